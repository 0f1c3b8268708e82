/** Types of verdicts on mined transactions. */
import type { Hex } from '@sluice/chains'
import type { SwapQuote } from '../quote/finalize.ts'
import type { ReasonCode, VerdictGap } from './codes.ts'
import type { MinedReceipt } from './mined.ts'
import type { SandwichAttack } from './sandwich.ts'
import type { AccountTrade } from './trades.ts'

/** Compares an output with the best at a state. Amounts are base units of the output token. */
export type TradeComparison = {
  /** `position`: behind the transactions before it in its block. `parent`: at the end of the block before. */
  readonly state: 'position' | 'parent'
  readonly best: Pick<SwapQuote, 'id' | 'amountOut' | 'netAmountOut' | 'gasCostWei' | 'poolsPending' | 'route'> & {
    readonly pools: readonly string[]
  }
  /** No route of the known pools pays more; null if no bound is known. */
  readonly bound: bigint | null
  /** Basis points of the best by which the output was below it; negative if it was above. */
  readonly leftBps: number | null
  /** Upper bound of `leftBps`, from the bound on all routes. */
  readonly leftAtMostBps: number | null
  /** `leftBps` after gas of both swaps; null if the gas has no price in the output, or somebody else has paid it. */
  readonly leftNetBps: number | null
}

/** A trade with its comparisons. */
export type JudgedTrade = AccountTrade & {
  /** Output of the same transaction at the end of the block before; null if it fails there, or no node can run it. */
  readonly paidAtParent: bigint | null
  /** Output less the gas of the transaction. */
  readonly netAmountOut: bigint | null
  /** Comparisons at the state of its position first, if that is known. */
  readonly comparisons: readonly TradeComparison[]
}

/** The verdict on a mined transaction. */
export type SwapVerdict = {
  readonly hash: Hex
  readonly outcome: 'unknown' | 'pending' | 'reverted' | 'nothing' | 'transfer' | 'wrap' | 'several' | 'swap'
  /** Reason for which there is no swap to judge. */
  readonly reason: { readonly code: ReasonCode; readonly message: string } | null
  readonly mined: Pick<
    MinedReceipt,
    'block' | 'blockHash' | 'index' | 'from' | 'to' | 'gasUsed' | 'gasPriceWei' | 'costWei'
  > | null
  readonly trades: readonly JudgedTrade[]
  /** Null if none was seen. */
  readonly sandwich: SandwichAttack | null
  /** Facts that could not be read. */
  readonly gaps: readonly VerdictGap[]
}
