/** Types of verdicts on mined transactions. */
import type { Hex } from '@sluice/chains'
import type { SwapQuote } from '../quote/finalize.ts'
import type { ReasonCode, VerdictGap } from './codes.ts'
import type { MinedReceipt } from './mined.ts'
import type { SandwichAttack } from './sandwich.ts'
import type { AccountTrade } from './trades.ts'

/** Comparison of a mined trade's output with the best output at a state. Amounts are base units of the output token. */
export type TradeComparison = {
  /** `position`: after the earlier transactions of the same block. `parent`: at the end of the block before. */
  readonly state: 'position' | 'parent'
  /** Our quote of the same trade at that state. */
  readonly best: Pick<SwapQuote, 'id' | 'amountOut' | 'netAmountOut' | 'gasCostWei' | 'poolsPending' | 'route'> & {
    /** Ids of the route's pools. */
    readonly pools: readonly string[]
  }
  /** Upper bound on the output of all routes through the known pools; null if no bound is known. */
  readonly bound: bigint | null
  /** Best output minus mined output, in basis points of the best output. */
  readonly leftBps: number | null
  /** Like `leftBps`, with `bound` in place of the best output. */
  readonly leftAtMostBps: number | null
  /**
   * Like `leftBps`, with both outputs less the cost of gas; null if gas has no price in the output token, or if the
   * trader did not pay the gas.
   */
  readonly leftNetBps: number | null
}

/** A trade with its comparisons. */
export type JudgedTrade = AccountTrade & {
  /** Output of the same transaction at the end of the block before; null if it fails there, or no node can run it. */
  readonly paidAtParent: bigint | null
  /** Output less the cost of the transaction's gas; null if unknown, or if the trader did not pay the gas. */
  readonly netAmountOut: bigint | null
  /** Comparisons; the one at the position in the block comes first, if that state is known. */
  readonly comparisons: readonly TradeComparison[]
}

/** The verdict on a mined transaction. */
export type SwapVerdict = {
  readonly hash: Hex
  readonly outcome: 'unknown' | 'pending' | 'reverted' | 'nothing' | 'transfer' | 'wrap' | 'several' | 'swap'
  /** Reason for which the transaction has no swap to judge; null if it has a swap. */
  readonly reason: { readonly code: ReasonCode; readonly message: string } | null
  readonly mined: Pick<
    MinedReceipt,
    'block' | 'blockHash' | 'index' | 'from' | 'to' | 'gasUsed' | 'gasPriceWei' | 'costWei'
  > | null
  readonly trades: readonly JudgedTrade[]
  /** Sandwich attack on the transaction; null if none was seen. */
  readonly sandwich: SandwichAttack | null
  /** Facts that could not be read. */
  readonly gaps: readonly VerdictGap[]
}
