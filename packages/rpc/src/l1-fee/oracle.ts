import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '../errors.ts'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'

/** Predeploys that answer `getL1Fee(bytes)`, and whether they count the transaction with its signature. */
export const oracles = {
  'op-stack': { address: toAddress('0x420000000000000000000000000000000000000F'), signed: false },
  metis: { address: toAddress('0x420000000000000000000000000000000000000F'), signed: false },
  scroll: { address: toAddress('0x5300000000000000000000000000000000000002'), signed: true },
  morph: { address: toAddress('0x530000000000000000000000000000000000000F'), signed: true },
} as const

/** Arbitrum's virtual contract of its nodes. */
export const ARBITRUM_NODE_INTERFACE = toAddress('0x00000000000000000000000000000000000000C8')

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
