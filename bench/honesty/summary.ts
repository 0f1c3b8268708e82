/** Summarizes a run of trades. */
import { quantile } from '../lib/statistics.ts'
import type { Trade, TradedToken } from '../lib/trades.ts'
import { rounded } from '../record.ts'
import type { After, AfterBlock, LandedOutcome } from './blocks.ts'
import { type Outcome, TOLERANCES } from './trade.ts'

export type TrialOutcome = { readonly trade: Trade; readonly outcome: Outcome }

/**
 * Fraction above market prices from which a route uses pools of different dates, whose prices disagree. Such trades are
 * counted separately.
 */
const MAX_OVER_MARKET = 0.02
/** Maximum value of trades that are compared with prices. Their own impact is small. */
const SMALL_USD = 1_000
/** The integrator's fee in basis points. */
const FEE_BPS = 30

type TradedOutcome = Extract<Outcome, { readonly kind: 'landed' | 'reverted' }>
type AnsweredTrade = {
  readonly trade: Trade
  readonly outcome: TradedOutcome
  readonly overMarket: number
  /** Outcomes after each block; empty if the trade reverted before them. */
  readonly later: readonly After[]
}

export type Figures = ReturnType<typeof summary>

/** Returns the trades that succeeded, in the order of `blocks`. */
export function landedOf(
  trialOutcomes: readonly TrialOutcome[],
): { readonly trade: Trade; readonly outcome: LandedOutcome }[] {
  return trialOutcomes.flatMap(({ trade, outcome }) => (outcome.kind === 'landed' ? [{ trade, outcome }] : []))
}

export function summary(
  trialOutcomes: readonly TrialOutcome[],
  priceOf: ReadonlyMap<string, TradedToken>,
  blocks: readonly AfterBlock[],
) {
  const laterOf = new Map(
    landedOf(trialOutcomes).map(({ outcome }, index): [Outcome, readonly After[]] => [
      outcome,
      blocks.map(({ after }) => after[index]!),
    ]),
  )
  const answeredTrades = trialOutcomes.flatMap(({ trade, outcome }): AnsweredTrade[] => {
    if (outcome.kind !== 'landed' && outcome.kind !== 'reverted') return []
    const { decimals, usd } = priceOf.get(trade.dst)!
    const overMarket = ((Number(outcome.promised) / 10 ** decimals) * usd) / trade.usd - 1
    return [{ trade, outcome, overMarket, later: laterOf.get(outcome) ?? [] }]
  })
  const consistent = answeredTrades.filter(({ overMarket }) => overMarket <= MAX_OVER_MARKET)
  const rest = answeredTrades.filter(({ overMarket }) => overMarket > MAX_OVER_MARKET)
  const all = classOf(answeredTrades)
  return {
    trades: trialOutcomes.length,
    unfunded: trialOutcomes.filter(({ outcome }) => outcome.kind === 'unfunded').length,
    refused: refusals(trialOutcomes),
    wrong: all.reverted + all.paidLess,
    blocks: blocks.map(({ block, transactions }) => ({ block, transactions })),
    all,
    marketConsistent: classOf(consistent),
    rest: classOf(rest),
    overPrices: comparedWithPrices(consistent),
  }
}

/**
 * Compares small trades with market prices, and reports their own share: fees of pools and integrators, and price
 * impact. The rest is the deviation of the route's pools from prices, which come from many pools.
 */
function comparedWithPrices(consistent: readonly AnsweredTrade[]) {
  const small = consistent.filter(({ trade }) => trade.usd <= SMALL_USD)
  const withOwn = small.flatMap(({ trade, outcome: { impactBps }, overMarket }) =>
    impactBps === null ? [] : [{ over: overMarket * 10_000, own: impactBps + (trade.fee ? FEE_BPS : 0) }],
  )
  return {
    ...quantiles(small.map(({ overMarket }) => overMarket * 10_000)),
    ownBps: quantiles(withOwn.map(({ own }) => own)),
    restBps: quantiles(withOwn.map(({ over, own }) => over + own)),
  }
}

function classOf(answeredTrades: readonly AnsweredTrade[]) {
  const landedOutcomes = answeredTrades.flatMap(({ outcome }) => (outcome.kind === 'landed' ? [outcome] : []))
  const differences = landedOutcomes.map(({ promised, paid }) => bps(paid - promised, promised))
  const gas = (of: (outcome: TradedOutcome) => bigint) =>
    answeredTrades.map(({ outcome }) => Number(of(outcome)) / Number(outcome.gasEstimate))
  const neededGas = gas(({ gasNeeded }) => gasNeeded)
  return {
    answered: answeredTrades.length,
    reverted: answeredTrades.length - landedOutcomes.length,
    exact: landedOutcomes.filter(({ promised, paid }) => paid === promised).length,
    paidLess: landedOutcomes.filter(({ promised, paid }) => paid < promised).length,
    paidMore: landedOutcomes.filter(({ promised, paid }) => paid > promised).length,
    differenceBps: quantiles(differences.map(Math.abs)),
    gasNeeded: quantiles(neededGas, 4),
    gasCharged: quantiles(
      gas(({ gasUsed }) => gasUsed),
      4,
    ),
    outOfGas: neededGas.filter((ratio) => ratio > 1.2).length,
    autoPercent: quantiles(
      landedOutcomes.map(({ later }) => later.auto),
      4,
    ),
    quoteMs: quantiles(answeredTrades.map(({ outcome }) => outcome.ms)),
    afterBlocks: [0, 1].map((block) => afterBlock(answeredTrades, block)),
  }
}

/** Summarizes the trades after a block, including those that it did not affect, since most users' trades are such. */
function afterBlock(answeredTrades: readonly AnsweredTrade[], block: number) {
  const sentOutcomes = answeredTrades.flatMap(({ outcome, later }) =>
    outcome.kind === 'landed' && later[block] ? [{ promised: outcome.promised, ...later[block] }] : [],
  )
  const lostBps = sentOutcomes.flatMap(({ promised, paid }) => (paid === null ? [] : [bps(promised - paid, promised)]))
  return {
    sent: sentOutcomes.length,
    moved: sentOutcomes.filter(({ promised, paid }) => paid !== promised).length,
    lostBps: quantiles(lostBps.map((lostBpsOfSwap) => Math.max(0, lostBpsOfSwap))),
    gainedBps: quantiles(lostBps.map((lostBpsOfSwap) => Math.max(0, -lostBpsOfSwap))),
    revertsAtAnyTolerance: sentOutcomes.filter(({ paid }) => paid === null).length,
    reverts: Object.fromEntries(
      TOLERANCES.map((tolerance) => [tolerance, sentOutcomes.filter(({ reverted }) => reverted.has(tolerance)).length]),
    ),
  }
}

/** Returns basis points, exact to four decimals. */
const bps = (part: bigint, whole: bigint) => Number((part * 100_000_000n) / whole) / 10_000

function refusals(trialOutcomes: readonly TrialOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { outcome } of trialOutcomes)
    if (outcome.kind === 'refused') counts[outcome.code] = (counts[outcome.code] ?? 0) + 1
  return counts
}

function quantiles(values: readonly number[], digits = 2) {
  const quantileAt = (part: number) => (values.length === 0 ? null : rounded(quantile(values, part), digits))
  return { p1: quantileAt(0.01), p50: quantileAt(0.5), p99: quantileAt(0.99), most: quantileAt(1) }
}
