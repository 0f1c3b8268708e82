import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '../errors.ts'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'

/**
 * Predeploys that answer `getL1Fee(bytes)`, and the form in which they count the transaction.
 *
 * Chains of the OP Stack with nodes of their own charge by the very same function, core/types/rollup_cost.go: Boba
 * (bobanetwork/op-geth at e19258b54), Celo (celo-org/op-geth at ffa122403), and opBNB (bnb-chain/op-geth at 1b995c366).
 */
export const oracles = {
  'op-stack': { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'unsigned' },
  mantle: { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'unsigned' },
  metis: { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'legacy' },
  scroll: { address: toAddress('0x5300000000000000000000000000000000000002'), form: 'signed' },
  morph: { address: toAddress('0x530000000000000000000000000000000000000F'), form: 'signed' },
} as const

/** Answer of a contract that may not be there: null where there is no code, or where it does not know the function. */
export async function ask(
  rpc: Rpc,
  to: Address,
  data: Hex,
  block: BlockRef,
  options?: RequestOptions,
): Promise<Hex | null> {
  try {
    const answer = await rpc.call({ to, data }, block, options)
    return answer === '0x' ? null : answer
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return null
    throw error
  }
}

/** For each connection, the upgrades that it has seen a chain have; none is undone. */
const upgrades = new WeakMap<Rpc, Set<string>>()

/**
 * True where a flag of an oracle says that an upgrade has come; it is asked for until then.
 *
 * @param call - calldata of the flag
 */
export async function isSince(
  rpc: Rpc,
  oracle: Address,
  call: Hex,
  block: BlockRef,
  options?: RequestOptions,
): Promise<boolean> {
  const seen = upgrades.get(rpc) ?? new Set()
  if (seen.has(call)) return true
  const answer = await ask(rpc, oracle, call, block, options)
  if (answer === null || BigInt(answer) !== 1n) return false
  upgrades.set(rpc, seen.add(call))
  return true
}
