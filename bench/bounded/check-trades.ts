/**
 * Checks many random trades and counts the findings. A certificate is an upper bound of the output of every route, which
 * the router computes together with a route. A certificate is false if another way to make the trade pays more.
 */
import { buildGraph } from '@sluice/routing'
import { snapshotOf } from '../lib/snapshot.ts'
import { rounded } from '../record.ts'
import { CHECKS, type Check, type CheckedTrade, checkTrade } from './checks.ts'
import { drawTrade, makeMarket } from './markets.ts'

const TRADES_PER_MARKET = 4
/** Maximum number of examples of findings in a result. */
const MAX_EXAMPLES = 40
/** Maximum loss that does not count as a violation, by check. */
const ALLOWED_LOSS_BPS: Readonly<Record<Check, number>> = {
  rate: 0.1,
  union: 0.5,
  narrower: 0.5,
  'narrower after gas': 0.5,
  'two pools': 0.5,
  'a then b': 1,
  'exact output': 0.01,
  'found backwards': 0.5,
  division: 0.5,
}

/** Number of the largest losses that are kept. The 99th percentile is the 100th largest loss of a default run. */
const MAX_LOSSES = 200

/** Counts of one check. `made` counts its comparisons. `violations` counts losses above `allowedBps`. */
type Tally = { made: number; readonly allowedBps: number; violations: number; worstBps: number }

/** Findings of a run so far. The benchmark writes them as its result, and a later run can continue from there. */
export type CheckedTrades = {
  readonly seed: number
  /** Seed of the next market. */
  nextMarket: number
  trades: number
  /** Number of generated trades, including trades that cannot be checked. */
  drawn: number
  readonly certificates: { issued: number; false: number }
  readonly lossBps: { p99: number; worst: number }
  readonly checks: Readonly<Record<Check, Tally>>
  readonly examples: string[]
  /** Largest losses in basis points, descending. */
  readonly largestBps: number[]
}

/**
 * Returns the initial result, without trades.
 *
 * @param seed - seed of the first market
 */
export function noTrades(seed: number): CheckedTrades {
  const tally = (check: Check) => ({ made: 0, allowedBps: ALLOWED_LOSS_BPS[check], violations: 0, worstBps: 0 })
  return {
    seed,
    nextMarket: seed,
    trades: 0,
    drawn: 0,
    certificates: { issued: 0, false: 0 },
    lossBps: { p99: 0, worst: 0 },
    checks: Object.fromEntries(CHECKS.map((check) => [check, tally(check)])) as Record<Check, Tally>,
    examples: [],
    largestBps: [],
  }
}

/**
 * Checks trades from seeded random markets until `result` has at least `trades` of them. Always completes a market, so
 * that a later call can continue with the next one.
 *
 * @param result - result so far, which this function updates
 * @param report - called with each false certificate and each violation
 */
export function checkTrades(result: CheckedTrades, trades: number, report: (text: string) => void): CheckedTrades {
  for (; result.trades < trades; result.nextMarket++) {
    const market = makeMarket(result.nextMarket)
    const graph = buildGraph(snapshotOf(market.pools))
    for (let index = 0; index < TRADES_PER_MARKET; index++) {
      result.drawn++
      const checkedTrade = checkTrade(market, graph, drawTrade(market, index))
      if (checkedTrade) addTrade(result, checkedTrade, `market ${market.seed}, trade ${index}`, report)
    }
  }
  const { largestBps, lossBps } = result
  lossBps.p99 = largestBps[Math.floor(result.trades / 100)] ?? 0
  lossBps.worst = largestBps[0] ?? 0
  return result
}

function addTrade(
  result: CheckedTrades,
  checkedTrade: CheckedTrade,
  tradeName: string,
  report: (text: string) => void,
): void {
  const { certificates, checks, examples, largestBps } = result
  const recordExample = (text: string) => {
    const example = `${tradeName}: ${text}`
    report(example)
    if (examples.length < MAX_EXAMPLES) examples.push(example)
  }
  result.trades++
  for (const check of checkedTrade.performed) checks[check].made++
  certificates.issued += checkedTrade.hasCertificate ? 1 : 0
  certificates.false += checkedTrade.falseCertificates.length > 0 ? 1 : 0
  for (const text of checkedTrade.falseCertificates) recordExample(`false certificate: ${text}`)
  for (const { check, lossBps, detail } of checkedTrade.findings) {
    const tally = checks[check]
    tally.worstBps = Math.max(tally.worstBps, rounded(lossBps, 3))
    if (lossBps <= ALLOWED_LOSS_BPS[check]) continue
    tally.violations++
    recordExample(`${check} ${lossBps.toFixed(3)} bps: ${detail}`)
  }
  largestBps.push(rounded(Math.max(0, ...checkedTrade.findings.map(({ lossBps }) => lossBps)), 4))
  largestBps.sort((a, b) => b - a).splice(MAX_LOSSES)
}
