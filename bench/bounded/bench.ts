/**
 * `npm run bench -- bounded`: routes over pools that end, checked against other ways to make the same trades (checks.ts). Results in
 * `results/bounded.json`. Arguments: `<trades> <seed>`.
 */
import { buildGraph } from '@sluice/routing'
import { record, rounded } from '../record.ts'
import { quantile } from '../router/statistics.ts'
import { CHECKS, type Check, checkTrade } from './checks.ts'
import { drawTrade, makeMarket, snapshotOf } from './markets.ts'

const kinds = process.env.KINDS?.split(',') as never
const options = kinds ? { kinds, states: [] } : {}
const [wanted = 10_000, seed = 1_000_000] = process.argv.slice(2).map(Number)
const TRADES_OF_MARKET = 4
/** Basis points that a check may find before it counts as a violation. */
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

const made = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
const worst = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
const violations = new Map<Check, number>(CHECKS.map((check) => [check, 0]))
const losses: number[] = []
const certificates = { given: 0, false: 0 }
const examples: string[] = []
let drawn = 0
for (let market = 0; losses.length < wanted; market++) {
  const ends = makeMarket(seed + market, options)
  const graph = buildGraph(snapshotOf(ends.pools))
  for (let index = 0; index < TRADES_OF_MARKET && losses.length < wanted; index++) {
    drawn++
    const checked = checkTrade(ends, graph, drawTrade(ends, index))
    if (!checked) continue
    for (const check of checked.made) made.set(check, made.get(check)! + 1)
    certificates.given += checked.hasCertificate ? 1 : 0
    certificates.false += checked.falseCertificates.length > 0 ? 1 : 0
    const note = (text: string) => {
      console.error(`market ${seed + market}, trade ${index}: ${text}`)
      if (examples.length < 40) examples.push(`${seed + market} ${index}: ${text}`)
    }
    for (const text of checked.falseCertificates) note(`false certificate: ${text}`)
    for (const { check, lossBps, detail } of checked.findings) {
      worst.set(check, Math.max(worst.get(check)!, lossBps))
      if (lossBps <= ALLOWED[check]) continue
      violations.set(check, violations.get(check)! + 1)
      note(`${check} ${lossBps.toFixed(3)} bps: ${detail}`)
    }
    losses.push(Math.max(0, ...checked.findings.map(({ lossBps }) => lossBps)))
  }
}
record('bounded', {
  trades: losses.length,
  drawn,
  seed,
  certificates,
  lossBps: {
    p50: rounded(quantile(losses, 0.5), 4),
    p99: rounded(quantile(losses, 0.99), 3),
    worst: rounded(Math.max(...losses), 3),
  },
  checks: Object.fromEntries(
    CHECKS.map((check) => [
      check,
      {
        made: made.get(check),
        allowedBps: ALLOWED[check],
        violations: violations.get(check),
        worstBps: rounded(worst.get(check)!, 3),
      },
    ]),
  ),
  examples,
})
