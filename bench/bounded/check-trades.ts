/** Checks many random trades and counts the findings. */
import { buildGraph } from '@sluice/routing'
import { snapshotOf } from '../lib/snapshot.ts'
import { rounded } from '../record.ts'
import { CHECKS, type Check, type CheckedTrade, checkTrade } from './checks.ts'
import { drawTrade, makeMarket } from './markets.ts'

const TRADES_OF_MARKET = 4
/** Maximum examples of findings in a result. */
const MAX_EXAMPLES = 40
/** Basis points up to which a finding does not count as a violation. */
const ALLOWED: Readonly<Record<Check, number>> = {
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

/** Largest losses that are kept: more than 1 % of the trades of a whole run, which the 99th percentile needs. */
const MAX_LOSSES = 200

type Tally = { made: number; readonly allowedBps: number; violations: number; worstBps: number }

/** Findings of a run so far. As JSON, it is the benchmark's result, from which a later run continues. */
export type CheckedTrades = {
  readonly seed: number
  /** Seed of the next market. */
  nextMarket: number
  trades: number
  drawn: number
  readonly certificates: { issued: number; false: number }
  readonly lossBps: { p99: number; worst: number }
  readonly checks: Readonly<Record<Check, Tally>>
  readonly examples: string[]
  /** Largest losses in basis points, descending. */
  readonly largestBps: number[]
}

/** The result of no trades. @param seed - of the first market */
export function noTrades(seed: number): CheckedTrades {
  const tally = (check: Check) => ({ made: 0, allowedBps: ALLOWED[check], violations: 0, worstBps: 0 })
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
 * Checks trades from seeded random markets until there are enough of them. Whole markets only, so that a later call can
 * continue with the next one.
 *
 * @param result - extended
 * @param note - called with each false certificate and each violation
 */
export function checkTrades(result: CheckedTrades, trades: number, note: (text: string) => void): CheckedTrades {
  for (; result.trades < trades; result.nextMarket++) {
    const market = makeMarket(result.nextMarket)
    const graph = buildGraph(snapshotOf(market.pools))
    for (let index = 0; index < TRADES_OF_MARKET; index++) {
      result.drawn++
      const checkedTrade = checkTrade(market, graph, drawTrade(market, index))
      if (checkedTrade) addTrade(result, checkedTrade, `market ${market.seed}, trade ${index}`, note)
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
  where: string,
  note: (text: string) => void,
): void {
  const { certificates, checks, examples, largestBps } = result
  const countedNote = (text: string) => {
    const example = `${where}: ${text}`
    note(example)
    if (examples.length < MAX_EXAMPLES) examples.push(example)
  }
  result.trades++
  for (const check of checkedTrade.performed) checks[check].made++
  certificates.issued += checkedTrade.hasCertificate ? 1 : 0
  certificates.false += checkedTrade.falseCertificates.length > 0 ? 1 : 0
  for (const text of checkedTrade.falseCertificates) countedNote(`false certificate: ${text}`)
  for (const { check, lossBps, detail } of checkedTrade.findings) {
    const tally = checks[check]
    tally.worstBps = Math.max(tally.worstBps, rounded(lossBps, 3))
    if (lossBps <= ALLOWED[check]) continue
    tally.violations++
    countedNote(`${check} ${lossBps.toFixed(3)} bps: ${detail}`)
  }
  largestBps.push(rounded(Math.max(0, ...checkedTrade.findings.map(({ lossBps }) => lossBps)), 4))
  largestBps.sort((a, b) => b - a).splice(MAX_LOSSES)
}
