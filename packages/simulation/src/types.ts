import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, BlockRef } from '@sluice/rpc'

/** One swap to run against a block, without funds or approvals of the sender. */
export type SimulationRequest = {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** ERC-20, or NATIVE for the service's own swaps (the public endpoint refuses NATIVE). */
  readonly tokenIn: Address
  /** Base units. */
  readonly amountIn: bigint
  /** ERC-20 or NATIVE. */
  readonly tokenOut: Address
  readonly block: BlockRef
  /** Wei; the network's price when absent; 0n simulates without one. */
  readonly gasPrice?: bigint
  /** Half of the block's gas limit when absent. */
  readonly gas?: bigint
  /** `to` when absent. */
  readonly spender?: Address
  /** The block's own author when absent. */
  readonly coinbase?: Address
  readonly balanceSlot?: bigint
  readonly allowanceSlot?: bigint
  /** Holders that may lend the token when its slots cannot be found; never a pool of the route. */
  readonly donors?: readonly Address[]
  /** What has been read of the block before; saves the round trip that would read it. */
  readonly known?: KnownState
  /** Also asks the node for its head, at no request of its own. */
  readonly withHead?: boolean
  readonly signal?: AbortSignal
}

export type KnownState = {
  /** Of `block`. */
  readonly header: BlockHeader
  /** Of `from` at that block. */
  readonly senderCode: Hex
}

export type SimulationResult = {
  readonly success: boolean
  /** Growth of `from`'s balance of tokenOut, base units; 0n when not successful. */
  readonly amountOut: bigint
  /** Gross gas of the call to `to`: no intrinsic gas, no calldata gas, before refunds. */
  readonly gasUsed: number
  readonly returnData: Hex
  readonly revertReason?: string
  /** Of the block it ran on. */
  readonly blockNumber: number
  readonly blockTimestamp: number
  readonly header: BlockHeader
  /** The node's newest block when it was asked to run it, where the request wanted to know. */
  readonly head?: BlockHeader
  readonly ways: SetUpWays
}

/**
 * How the sender came by its input. Overriding a slot leaves no trace in the gas; lending and approving touch the token
 * before the swap does, which then reads some 5 to 12 % low.
 */
export type SetUpWays = {
  readonly balance: 'native' | 'slot' | 'lent'
  readonly allowance: 'none' | 'slot' | 'approved'
  /** `bare`: it works only where the sender has no code, so the probe stood at the target; gas reads a little high. */
  readonly sender?: 'bare'
}

/** What a token does on transfers, measured in one call. */
export type TokenReport = {
  readonly token: Address
  readonly decimals: number | null
  readonly symbol: string | null
  /** Parts per million; null when it could not be measured. */
  readonly buyTaxPpm: number | null
  readonly sellTaxPpm: number | null
  readonly transferTaxPpm: number | null
  /** What the sender of a transfer loses on top of what he sends, the most that was seen. No swap of such a token is safe. */
  readonly surchargePpm: number | null
  readonly rebasing: boolean | null
  readonly needsApprovalReset: boolean | null
  readonly sellable: boolean | null
  /** The larger size met a limit that the smaller one did not. */
  readonly sizeLimited: boolean | null
}
