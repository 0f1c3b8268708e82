import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, BlockRef, Priority } from '@sluice/rpc'
import type { BlockEnvironment } from './next-block.ts'

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
  /** Block at the end of whose state it runs. */
  readonly block: BlockRef
  /** Environment it runs in, as far as the node can set it; that of the next block when absent, and at `pending` that of the node. */
  readonly runsIn?: BlockEnvironment
  /** Wei; the network's price when absent; 0n simulates without one. */
  readonly gasPrice?: bigint
  /** Half of the block's gas limit when absent. */
  readonly gas?: bigint
  /** `to` when absent. */
  readonly spender?: Address
  /** Account whose growth of `tokenOut` is the output; `from` when absent. */
  readonly recipient?: Address
  /** The block's own author when absent. */
  readonly coinbase?: Address
  readonly balanceSlot?: bigint
  readonly allowanceSlot?: bigint
  /**
   * Absent, the allowance is set up. `kept`: it stays as it is, since the calldata brings its own permission; the sender keeps
   * its own code, or none, so that signatures are checked as they will be. `approved`: the sender approves ahead of the call,
   * from the allowance that it has, after a reset to zero where the token insists.
   */
  readonly allowance?: 'kept' | 'approved'
  /** Holders that may lend the token when its slots cannot be found; never a pool of the route. */
  readonly holders?: readonly Address[]
  /** Code that accounts have in the simulation, such as contracts that did not exist yet at a past block. */
  readonly codes?: Readonly<Record<Address, Hex>>
  /** State that has been read of the block before; saves the round trip that would read it. */
  readonly known?: KnownState
  /**
   * Calldata of other swaps of the same input by `to`, for the same tokens: each is run from the same state in the same call,
   * with the gas that those before it leave.
   */
  readonly others?: readonly Hex[]
  /**
   * Also runs the transaction as it is sent, without a probe in the sender's place, and takes that outcome where it differs. What
   * fails for a sender without code is run so in any case.
   */
  readonly asSent?: boolean
  /** Also asks the node for its head, at no request of its own. */
  readonly withHead?: boolean
  /** Who goes first where requests wait for the node; `quote` when absent. */
  readonly priority?: Priority
  readonly signal?: AbortSignal
}

export type KnownState = {
  /** Header of `block`. */
  readonly header: BlockHeader
  /** Code of `from` at that block. */
  readonly senderCode?: Hex
}

/** One of the swaps of a simulation. */
export type SwapOutcome = {
  readonly success: boolean
  /** Growth of the recipient's balance of tokenOut, base units; 0n when not successful. */
  readonly amountOut: bigint
  /** Gross gas of the call to `to`: no intrinsic gas, no calldata gas, before refunds. */
  readonly gasUsed: number
  readonly returnData: Hex
}

export type SimulationResult = SwapOutcome & {
  /** Outcomes of the swaps that were to be run beside it; absent where it was run in a way that does not allow for others. */
  readonly others?: readonly SwapOutcome[]
  /** Outcome with a probe in the sender's place, where the transaction as it is sent ends otherwise. */
  readonly probed?: SwapOutcome
  /** Gas of the whole transaction after refunds, where it was run as it is sent and the node told it. */
  readonly chargedGas?: number
  readonly revertReason?: string
  /** Block whose state it ran on. */
  readonly blockNumber: number
  readonly blockTimestamp: number
  /** Environment it ran in; absent where the node cannot set one, and ran it in the block's own. */
  readonly ranIn?: BlockEnvironment
  readonly header: BlockHeader
  /** The node's newest block when it was asked to run it, where the request wanted to know. */
  readonly head?: BlockHeader
  readonly ways: SetUpWays
}

/**
 * Ways in which the sender came by its input. Overriding a slot leaves no trace in the gas; lending and approving touch the token
 * before the swap does, which then reads some 5 to 12 % low.
 */
export type SetUpWays = {
  readonly balance: 'native' | 'slot' | 'lent' | 'own'
  readonly allowance: 'none' | 'slot' | 'approved' | 'own'
  /**
   * Absent where only the probe in the sender's place was run. `same`: the transaction as it is sent ends in the same way. `bare`: it
   * does not, and the outcome is that of the transaction as it is sent.
   */
  readonly sender?: 'same' | 'bare'
}

/** Behaviour of a token on transfers, measured in one call. */
export type TokenReport = {
  readonly token: Address
  readonly decimals: number | null
  readonly symbol: string | null
  /** Parts per million; null when it could not be measured. */
  readonly buyTaxPpm: number | null
  readonly sellTaxPpm: number | null
  readonly transferTaxPpm: number | null
  /** Loss of a transfer's sender on top of what he sends, the most that was seen. No swap of such a token is safe. */
  readonly surchargePpm: number | null
  readonly rebasing: boolean | null
  readonly needsApprovalReset: boolean | null
  readonly sellable: boolean | null
  /** The larger size met a limit that the smaller one did not. */
  readonly sizeLimited: boolean | null
}
