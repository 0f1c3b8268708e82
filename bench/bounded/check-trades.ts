/** Checks many random trades and counts the findings. */
import { buildGraph } from '@sluice/routing'
import { rounded } from '../record.ts'
import { quantile } from '../router/statistics.ts'
import { CHECKS, type Check, checkTrade } from './checks.ts'
import { drawTrade, makeMarket, snapshotOf } from './markets.ts'

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

/**
 * Checks many trades from seeded random markets.
 *
 * @param note - called with each false certificate and each violation
 */
export function checkTrades(trades: number, seed: number, note: (text: string) => void) {
  const made = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
  const worst = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
  const violations = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
  const losses: number[] = []
  const certificates = { given: 0, false: 0 }
  const examples: string[] = []
  let drawn = 0
  for (let market = seed; losses.length < trades; market++) {
    const ends = makeMarket(market)
    const graph = buildGraph(snapshotOf(ends.pools))
    for (let index = 0; index < TRADES_OF_MARKET && losses.length < trades; index++) {
      drawn++
      const checked = checkTrade(ends, graph, drawTrade(ends, index))
      if (!checked) continue
      for (const check of checked.made) made.set(check, made.get(check)! + 1)
      certificates.given += checked.hasCertificate ? 1 : 0
      certificates.false += checked.falseCertificates.length > 0 ? 1 : 0
      const found = (text: string) => {
        const example = `market ${market}, trade ${index}: ${text}`
        note(example)
        if (examples.length < MAX_EXAMPLES) examples.push(example)
      }
      for (const text of checked.falseCertificates) found(`false certificate: ${text}`)
      for (const { check, lossBps, detail } of checked.findings) {
        worst.set(check, Math.max(worst.get(check)!, lossBps))
        if (lossBps <= ALLOWED[check]) continue
        violations.set(check, violations.get(check)! + 1)
        found(`${check} ${lossBps.toFixed(3)} bps: ${detail}`)
      }
      losses.push(Math.max(0, ...checked.findings.map(({ lossBps }) => lossBps)))
    }
  }
  const tally = (check: Check) => ({
    made: made.get(check)!,
    allowedBps: ALLOWED[check],
    violations: violations.get(check)!,
    worstBps: rounded(worst.get(check)!, 3),
  })
  return {
    trades: losses.length,
    drawn,
    certificates,
    lossBps: {
      p50: rounded(quantile(losses, 0.5), 4),
      p99: rounded(quantile(losses, 0.99), 3),
      worst: rounded(Math.max(...losses), 3),
    },
    checks: Object.fromEntries(CHECKS.map((check) => [check, tally(check)])),
    examples,
  }
}
