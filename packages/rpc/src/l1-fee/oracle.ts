/** Calls to the fee oracles of rollups. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '../errors.ts'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'

/**
 * By fee model: the contract with `getL1Fee(bytes)` that every chain of the model has, and the form in which the
 * contract expects a transaction.
 *
 * Boba, Celo, and opBNB are OP Stack chains with their own nodes, which charge by the same core/types/rollup_cost.go.
 * (Checked in bobanetwork/op-geth at e19258b54, celo-org/op-geth at ffa122403, and bnb-chain/op-geth at 1b995c366.)
 */
export const oracles = {
  'op-stack': { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'unsigned' },
  mantle: { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'unsigned' },
  metis: { address: toAddress('0x420000000000000000000000000000000000000F'), form: 'legacy' },
  scroll: { address: toAddress('0x5300000000000000000000000000000000000002'), form: 'signed' },
  morph: { address: toAddress('0x530000000000000000000000000000000000000F'), form: 'signed' },
} as const

/** Calls a contract that may not exist; null if there is no code or the call reverts. */
export async function callOracle(
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

/** Upgrade flags that were read as true, per `Rpc`. They are not read again, because upgrades are never reverted. */
const activeFlagsByRpc = new WeakMap<Rpc, Set<string>>()

/**
 * Returns true if a flag of an oracle reports that an upgrade is active. Caches only true.
 *
 * @param call - calldata of the flag's getter
 */
export async function isUpgradeActive(
  rpc: Rpc,
  oracle: Address,
  call: Hex,
  block: BlockRef,
  options?: RequestOptions,
): Promise<boolean> {
  const activeFlags = activeFlagsByRpc.get(rpc) ?? new Set()
  if (activeFlags.has(call)) return true
  const answer = await callOracle(rpc, oracle, call, block, options)
  if (answer === null || BigInt(answer) !== 1n) return false
  activeFlagsByRpc.set(rpc, activeFlags.add(call))
  return true
}
