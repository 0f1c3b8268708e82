/** Measures how close the outputs of routes are to the upper bounds that the search computes for them. */
import { median, quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { generate } from './generate.ts'
import { routeTrade, scenarioGraph } from './route.ts'
import { loadScenario } from './scenario.ts'

const SAMPLE = { scenarios: 167, nPools: 20, nTrades: 60, seed: 950_000 }

/** Returns statistics of the gaps between the routes of random trades and their bounds, without gas. */
export function measureBoundGaps() {
  const gaps: (number | null)[] = []
  for (let index = 0; index < SAMPLE.scenarios; index++) {
    const { nPools, nTrades, seed } = SAMPLE
    const scenario = generate({ name: 'certificates', nPools, nTrades, seed: seed + index })
    const loadedScenario = loadScenario(scenario)
    const graph = scenarioGraph(loadedScenario)
    for (const trade of scenario.trades) gaps.push(routeTrade(loadedScenario, graph, trade, 0n).gapBps)
  }
  const knownGaps = gaps.filter((gap) => gap !== null)
  return {
    trades: gaps.length,
    withoutBound: gaps.length - knownGaps.length,
    within1Bps: rounded(knownGaps.filter((gap) => gap <= 1).length / gaps.length, 5),
    bps: {
      median: rounded(median(knownGaps), 4),
      p999: rounded(quantile(knownGaps, 0.999), 3),
      max: rounded(Math.max(...knownGaps), 3),
    },
  }
}
