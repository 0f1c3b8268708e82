/** Builds and simulates approvals of ERC-20 tokens. */
import type { Address, Hex } from '@sluice/chains'
import { type BlockRef, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { tokenAbi, undefinedIfReverted } from './permit/permit.ts'

/** One call of an account. */
export type AccountCall = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** Returns the call by which an owner approves a spender. @param units - base units */
export function approvalOf(token: Address, spender: Address, units: bigint): AccountCall {
  return { to: token, data: tokenAbi.encodeFunctionData('approve', [spender, units]) as Hex, value: 0n }
}

/** Returns true if the token accepts the owner's approval at the block. @throws RpcError if no node can run the call */
export async function acceptsApproval(
  rpc: Rpc,
  { to, data }: AccountCall,
  { owner, block }: { readonly owner: Address; readonly block: BlockRef },
  options: RequestOptions,
): Promise<boolean> {
  const answer = await rpc.call({ from: owner, to, data }, block, options).catch(undefinedIfReverted)
  if (answer === undefined) return false
  // Pre-standard tokens return no data. Some tokens return false, although they have approved.
  if (answer === '0x' || BigInt(answer.slice(0, 66)) === 1n) return true
  const [spender, units] = tokenAbi.decodeFunctionData('approve', data) as unknown as [Address, bigint]
  const allowanceCall = tokenAbi.encodeFunctionData('allowance', [owner, spender]) as Hex
  const calls = [
    { from: owner, to, data },
    { from: owner, to, data: allowanceCall },
  ]
  // Without eth_simulateV1, the node cannot show whether the allowance was set, so the approval counts as refused.
  const outcomes = await rpc.simulateV1(calls, block, options).catch((error: unknown) => {
    if (error instanceof RpcError && (error.isRefusal || error.code === 'BAD_ANSWER')) return []
    throw error
  })
  const allowance = outcomes[1]?.returnData ?? '0x'
  return outcomes[0]?.success === true && allowance.length >= 66 && BigInt(allowance.slice(0, 66)) === units
}
