/**
 * `npm run bench -- router least-input`: compares exact-input requests with exact-output requests for the same output.
 * Measures the search times, and the additional input of the exact-output route. Searches each trade in both ways, in
 * turn, in one process. The shortest of many runs counts, because other load on the machine affects it least. Results
 * in `results/least-input.json`.
 */
import { type ExactOutputRequest, findRoute } from '@sluice/routing'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { generate } from './generate.ts'
import { requestOf, SERVICE_LIMITS, scenarioGraph, warmUp } from './route.ts'
import { loadScenario } from './scenario.ts'

const SIZES = [
  { nPools: 20, seed: 910_001, nTrades: 100 },
  { nPools: 200, seed: 920_001, nTrades: 100 },
  { nPools: 2_000, seed: 930_001, nTrades: 100 },
] as const
const GAS_PRICES = [0n, 10n ** 10n]
const RUNS = 11
const BPS = 10_000

const sizes = []
for (const size of SIZES) {
  for (const gasPriceWei of GAS_PRICES) {
    const scenario = generate({ name: 'bench', ...size })
    const loadedScenario = loadScenario(scenario)
    const graph = scenarioGraph(loadedScenario)
    const pairs = scenario.trades.flatMap((trade) => {
      const exactInputRequest = requestOf(loadedScenario, trade, gasPriceWei, SERVICE_LIMITS)
      const result = findRoute(graph, exactInputRequest)
      if (!result.ok) return []
      const { amountIn, ...otherFields } = exactInputRequest
      const exactOutputRequest: ExactOutputRequest = { ...otherFields, amountOut: result.route.amountOut }
      return [{ exactInputRequest, exactOutputRequest, amountIn }]
    })
    await warmUp(pairs, ({ exactInputRequest, exactOutputRequest }) => [
      findRoute(graph, exactInputRequest),
      findRoute(graph, exactOutputRequest),
    ])
    let missedCount = 0
    const trades = pairs.flatMap(({ exactInputRequest, exactOutputRequest, amountIn }) => {
      const exactOutputResult = findRoute(graph, exactOutputRequest)
      if (!exactOutputResult.ok || exactOutputResult.route.amountOut < exactOutputRequest.amountOut) {
        missedCount++
        return []
      }
      const shortestMs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
      for (let run = 0; run < RUNS; run++) {
        for (const [side, request] of [exactInputRequest, exactOutputRequest].entries()) {
          const start = performance.now()
          findRoute(graph, request)
          shortestMs[side] = Math.min(shortestMs[side]!, performance.now() - start)
        }
      }
      const addedInputBps = (Number(exactOutputResult.route.amountIn) / Number(amountIn) - 1) * BPS
      return [{ ratio: shortestMs[1] / shortestMs[0], ms: shortestMs, addedInputBps }]
    })
    const ratios = trades.map(({ ratio }) => ratio)
    const allAddedInputBps = trades.map(({ addedInputBps }) => addedInputBps)
    sizes.push({
      pools: size.nPools,
      gasPriceGwei: Number(gasPriceWei / 10n ** 9n),
      trades: trades.length,
      missed: missedCount,
      ratio: { median: rounded(median(ratios), 2), p95: rounded(quantile(ratios, 0.95), 2) },
      medianMs: {
        quote: rounded(median(trades.map(({ ms }) => ms[0])), 3),
        leastInput: rounded(median(trades.map(({ ms }) => ms[1])), 3),
      },
      moreInputBps: { median: rounded(median(allAddedInputBps), 4), p95: rounded(quantile(allAddedInputBps, 0.95), 3) },
    })
    console.error(JSON.stringify(sizes.at(-1)))
  }
}
record('least-input', { sizes })
