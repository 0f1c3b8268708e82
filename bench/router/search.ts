/**
 * `npm run bench -- router [peer.mjs…]`: measures the outputs, times, and bounds of the search on new scenarios, and
 * compares them with other routers in the same run.
 */
import { buildGraph } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { record } from '../record.ts'
import { measureBoundGaps } from './certificates.ts'
import { measureChangedPools } from './changed-pool.ts'
import { comparePeers, type Outcome, summary, type TradeResult } from './compare.ts'
import { evaluate, evaluatePaths } from './evaluate.ts'
import { generate } from './generate.ts'
import { netOf } from './net.ts'
import { greedyPeer } from './peers/greedy.ts'
import { foreignPeer, type Peer, type PeerRoute } from './peers/peer.ts'
import { uniswapPeer } from './peers/uniswap.ts'
import { netGapBpsOf, routeTrade, SERVICE_LIMITS, scenarioGraph, warmUp } from './route.ts'
import { loadScenario, type Scenario, type ScenarioTrade } from './scenario.ts'
import { measureThread } from './thread.ts'

/** Number of pools, seeds, and number of trades of each size. The seeds were not used in development. */
const SIZES = [
  { nPools: 20, seeds: [910_001, 910_002], nTrades: 120 },
  { nPools: 200, seeds: [920_001, 920_002], nTrades: 120 },
  { nPools: 2_000, seeds: [930_001, 930_002], nTrades: 100 },
  { nPools: 20_000, seeds: [940_001], nTrades: 12 },
] as const
const GAS_PRICES = [0n, 10n ** 10n]
/** Minimum value in USD of a trade in runs with a gas price. The results of smaller trades depend mostly on gas. */
const MIN_USD = 500
/** Maximum number of pools in scenarios of the simple peers (`greedy.ts`), which are slow. */
const MAX_POOLS_OF_SIMPLE_PEERS = 200
/** Number of trades for the simple peers. */
const TRADES_OF_SIMPLE_PEERS = 10
/**
 * Number of trades without gas for Uniswap's router. Each takes seconds, because it splits more if splits cost nothing.
 */
const UNISWAP_TRADES_WITHOUT_GAS = 10
const TIMED_RUNS = 3

const sizes = []
const rowsWithGas: TradeResult[] = []
for (const { nPools, seeds, nTrades } of SIZES) {
  for (const gasPrice of GAS_PRICES) {
    const rows: TradeResult[] = []
    for (const seed of seeds)
      rows.push(...(await runScenario(generate({ name: 'bench', nPools, seed, nTrades }), gasPrice)))
    if (gasPrice > 0n) rowsWithGas.push(...rows)
    const figures = summary(rows, gasPrice)
    sizes.push({ pools: nPools, gasPriceGwei: Number(gasPrice / 10n ** 9n), ...figures })
    console.error(nPools, gasPrice, JSON.stringify(figures))
  }
}
record('router', {
  sizes,
  // Trades of all sizes together.
  netOfGas: { trades: rowsWithGas.length, peers: comparePeers(rowsWithGas) },
  certificates: measureBoundGaps(),
  changedPool: measureChangedPools(),
  thread: await measureThread(20_000, 940_001),
})

async function runScenario(scenario: Scenario, gasPrice: bigint): Promise<TradeResult[]> {
  const loadedScenario = loadScenario(scenario)
  const graph = scenarioGraph(loadedScenario)
  const ownGasGraph = buildGraph(loadedScenario.snapshot)
  const isSmall = scenario.pools.length <= MAX_POOLS_OF_SIMPLE_PEERS
  const price = Number(gasPrice)
  const simplePeers = isSmall ? [greedyPeer(scenario, price, 1), greedyPeer(scenario, price, 20)] : []
  const uniswap = uniswapPeer(scenario, price)
  const foreignPeers = await Promise.all(process.argv.slice(2).map((file) => foreignPeer(file, scenario, price)))
  const rows: TradeResult[] = []
  const trades = scenario.trades.filter(({ usd = 0 }) => gasPrice === 0n || usd >= MIN_USD)
  for (const peer of foreignPeers) await warmUp(trades, peer.run)
  await warmUp(trades, (trade) => routeTrade(loadedScenario, graph, trade, gasPrice))
  for (const [index, trade] of trades.entries()) {
    const ownRoute = routeTrade(loadedScenario, graph, trade, gasPrice)
    const peers = new Map<string, Outcome | null>()
    for (const peer of foreignPeers) peers.set(peer.name, await runPeer(peer, TIMED_RUNS, scenario, trade, gasPrice))
    if (gasPrice > 0n || index < UNISWAP_TRADES_WITHOUT_GAS)
      peers.set(uniswap.name, await runPeer(uniswap, 1, scenario, trade, gasPrice))
    if (index < TRADES_OF_SIMPLE_PEERS)
      for (const peer of simplePeers) peers.set(peer.name, await runPeer(peer, 1, scenario, trade, gasPrice))
    const evaluation = evaluate(scenario, trade, ownRoute.legs)
    if (String(evaluation.amountOut) !== ownRoute.amountOut)
      throw new Error(
        `${scenario.seed}: trade ${trade.id} pays ${evaluation.amountOut}, not ${ownRoute.amountOut} as claimed`,
      )
    const limitedRoute = routeTrade(loadedScenario, graph, trade, gasPrice, SERVICE_LIMITS)
    const limitedNet = netOf(evaluate(scenario, trade, limitedRoute.legs), scenario, trade, gasPrice)
    const net = netOf(evaluation, scenario, trade, gasPrice)
    const netGapBps = netGapBpsOf(loadedScenario, ownGasGraph, trade, gasPrice)
    rows.push({
      seed: scenario.seed,
      ownRoute,
      netGapBps,
      net,
      limited: { net: limitedNet, ms: limitedRoute.ms },
      peers,
    })
  }
  return rows
}

async function runPeer(peer: Peer, runs: number, scenario: Scenario, trade: ScenarioTrade, gasPrice: bigint) {
  let route: PeerRoute | null = runs > 1 ? await peer.run(trade) : null
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    const result = peer.run(trade)
    route = result instanceof Promise ? await result : result
    times.push(performance.now() - start)
  }
  if (!route) return null
  const evaluation =
    'legs' in route ? evaluate(scenario, trade, route.legs) : evaluatePaths(scenario, trade, route.paths)
  return { net: netOf(evaluation, scenario, trade, gasPrice), ms: median(times) }
}
