/** Builds and simulates approvals of ERC-20 tokens. */
import type { Address, Hex } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { tokenAbi, undefinedIfReverted } from './permit/permit.ts'

/** One call of an account. */
export type AccountCall = { readonly to: Address; readonly data: Hex; readonly value: bigint }

/** Returns the call by which an owner approves a spender. @param units - base units */
export function approvalOf(token: Address, spender: Address, units: bigint): AccountCall {
  return { to: token, data: tokenAbi.encodeFunctionData('approve', [spender, units]) as Hex, value: 0n }
}

/** Returns true if the token accepts the owner's approval at the block. @throws RpcError */
export async function acceptsApproval(
  rpc: Rpc,
  { to, data }: AccountCall,
  { owner, block }: { readonly owner: Address; readonly block: BlockRef },
  options: RequestOptions,
): Promise<boolean> {
  const answer = await rpc.call({ from: owner, to, data }, block, options).catch(undefinedIfReverted)
  // Pre-standard tokens return no data. A token that returns false has not approved.
  return answer === '0x' || (answer !== undefined && BigInt(answer.slice(0, 66)) === 1n)
}
