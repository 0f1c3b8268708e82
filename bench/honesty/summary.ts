/** Summarizes the outcomes of the benchmark's trades. */
import { quantile } from '../lib/statistics.ts'
import type { Trade, TradedToken } from '../lib/trades.ts'
import { rounded } from '../record.ts'
import type { AfterBlock, LandedOutcome, ReplayedOutcome } from './blocks.ts'
import { type Outcome, TOLERANCES } from './trade.ts'

export type TrialOutcome = { readonly trade: Trade; readonly outcome: Outcome }

/**
 * Maximum `overMarket` of a market-consistent trade. Trades above it are counted separately: their
 * routes go through pools that were recorded at different dates, whose prices are inconsistent.
 */
const MAX_OVER_MARKET = 0.02
/**
 * Maximum value in USD of the trades that are compared with market prices. Trades up to this value hardly move prices.
 */
const SMALL_USD = 1_000
/** The integrator's fee in basis points. */
const FEE_BPS = 30

type TradedOutcome = Extract<Outcome, { readonly kind: 'landed' | 'reverted' }>
type AnsweredTrade = {
  readonly trade: Trade
  readonly outcome: TradedOutcome
  /** Value of the quoted output at market prices, divided by the value of the input, minus one. */
  readonly overMarket: number
  /** Outcome of the quote's transactions after each block; empty if the trade reverted before the blocks. */
  readonly replays: readonly ReplayedOutcome[]
}

export type Figures = ReturnType<typeof summarize>

/**
 * Returns the trades that succeeded, in their original order. The outcomes in each `AfterBlock` have the same order.
 */
export function landedOf(
  trialOutcomes: readonly TrialOutcome[],
): { readonly trade: Trade; readonly outcome: LandedOutcome }[] {
  return trialOutcomes.flatMap(({ trade, outcome }) => (outcome.kind === 'landed' ? [{ trade, outcome }] : []))
}

export function summarize(
  trialOutcomes: readonly TrialOutcome[],
  pricedTokenByAddress: ReadonlyMap<string, TradedToken>,
  blocks: readonly AfterBlock[],
) {
  const replaysByOutcome = new Map(
    landedOf(trialOutcomes).map(({ outcome }, index): [Outcome, readonly ReplayedOutcome[]] => [
      outcome,
      blocks.map(({ outcomes }) => outcomes[index]!),
    ]),
  )
  const answeredTrades = trialOutcomes.flatMap(({ trade, outcome }): AnsweredTrade[] => {
    if (outcome.kind !== 'landed' && outcome.kind !== 'reverted') return []
    const { decimals, usd } = pricedTokenByAddress.get(trade.dst)!
    const overMarket = ((Number(outcome.promised) / 10 ** decimals) * usd) / trade.usd - 1
    return [{ trade, outcome, overMarket, replays: replaysByOutcome.get(outcome) ?? [] }]
  })
  const consistentTrades = answeredTrades.filter(({ overMarket }) => overMarket <= MAX_OVER_MARKET)
  const otherTrades = answeredTrades.filter(({ overMarket }) => overMarket > MAX_OVER_MARKET)
  const all = figuresOf(answeredTrades)
  return {
    trades: trialOutcomes.length,
    unfunded: trialOutcomes.filter(({ outcome }) => outcome.kind === 'unfunded').length,
    refused: countRefusals(trialOutcomes),
    wrong: all.reverted + all.paidLess,
    blocks: blocks.map(({ block, transactions }) => ({ block, transactions })),
    all,
    marketConsistent: figuresOf(consistentTrades),
    rest: figuresOf(otherTrades),
    overPrices: compareWithPrices(consistentTrades),
  }
}

/**
 * Compares the quotes of small trades with market prices. `ownBps` is the trade's own cost: the fees of the pools and
 * of the integrator, and the price impact. `restBps` is the rest of the difference. It arises because the prices of the
 * route's pools differ from market prices, which are computed from many pools.
 */
function compareWithPrices(consistentTrades: readonly AnsweredTrade[]) {
  const smallTrades = consistentTrades.filter(({ trade }) => trade.usd <= SMALL_USD)
  const deviations = smallTrades.flatMap(({ trade, outcome: { impactBps }, overMarket }) =>
    impactBps === null ? [] : [{ overBps: overMarket * 10_000, ownBps: impactBps + (trade.hasFee ? FEE_BPS : 0) }],
  )
  return {
    ...quantiles(smallTrades.map(({ overMarket }) => overMarket * 10_000)),
    ownBps: quantiles(deviations.map(({ ownBps }) => ownBps)),
    restBps: quantiles(deviations.map(({ overBps, ownBps }) => overBps + ownBps)),
  }
}

function figuresOf(answeredTrades: readonly AnsweredTrade[]) {
  const landedOutcomes = answeredTrades.flatMap(({ outcome }) => (outcome.kind === 'landed' ? [outcome] : []))
  const differences = landedOutcomes.map(({ promised, paid }) => bpsOf(paid - promised, promised))
  const shareOfEstimate = (gasOf: (outcome: TradedOutcome) => bigint) =>
    answeredTrades.map(({ outcome }) => Number(gasOf(outcome)) / Number(outcome.gasEstimate))
  const neededShares = shareOfEstimate(({ gasNeeded }) => gasNeeded)
  return {
    answered: answeredTrades.length,
    reverted: answeredTrades.length - landedOutcomes.length,
    exact: landedOutcomes.filter(({ promised, paid }) => paid === promised).length,
    paidLess: landedOutcomes.filter(({ promised, paid }) => paid < promised).length,
    paidMore: landedOutcomes.filter(({ promised, paid }) => paid > promised).length,
    differenceBps: quantiles(differences.map(Math.abs)),
    gasNeeded: quantiles(neededShares, 4),
    gasCharged: quantiles(
      shareOfEstimate(({ gasUsed }) => gasUsed),
      4,
    ),
    outOfGas: neededShares.filter((ratio) => ratio > 1.2).length,
    autoPercent: quantiles(
      landedOutcomes.map(({ laterTransactions }) => laterTransactions.autoPercent),
      4,
    ),
    quoteMs: quantiles(answeredTrades.map(({ outcome }) => outcome.ms)),
    afterBlocks: [0, 1].map((blockIndex) => figuresAfterBlock(answeredTrades, blockIndex)),
  }
}

/**
 * Summarizes all trades after a block. Includes trades that the block did not affect, as most trades of users are not
 * affected by a block.
 */
function figuresAfterBlock(answeredTrades: readonly AnsweredTrade[], blockIndex: number) {
  const sentOutcomes = answeredTrades.flatMap(({ outcome, replays }) =>
    outcome.kind === 'landed' && replays[blockIndex] ? [{ promised: outcome.promised, ...replays[blockIndex] }] : [],
  )
  const lossesBps = sentOutcomes.flatMap(({ promised, paid }) =>
    paid === null ? [] : [bpsOf(promised - paid, promised)],
  )
  return {
    sent: sentOutcomes.length,
    moved: sentOutcomes.filter(({ promised, paid }) => paid !== promised).length,
    lostBps: quantiles(lossesBps.map((lossBps) => Math.max(0, lossBps))),
    gainedBps: quantiles(lossesBps.map((lossBps) => Math.max(0, -lossBps))),
    revertsAtAnyTolerance: sentOutcomes.filter(({ paid }) => paid === null).length,
    reverts: Object.fromEntries(
      TOLERANCES.map((tolerance) => [
        tolerance,
        sentOutcomes.filter(({ revertedTolerances }) => revertedTolerances.has(tolerance)).length,
      ]),
    ),
  }
}

/** Returns `part` in basis points of `whole`, exact to four decimals. */
const bpsOf = (part: bigint, whole: bigint) => Number((part * 100_000_000n) / whole) / 10_000

function countRefusals(trialOutcomes: readonly TrialOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { outcome } of trialOutcomes)
    if (outcome.kind === 'refused') counts[outcome.code] = (counts[outcome.code] ?? 0) + 1
  return counts
}

function quantiles(values: readonly number[], digits = 2) {
  const quantileAt = (part: number) => (values.length === 0 ? null : rounded(quantile(values, part), digits))
  return { p1: quantileAt(0.01), p50: quantileAt(0.5), p99: quantileAt(0.99), most: quantileAt(1) }
}
