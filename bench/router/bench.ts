/** Output, time and bounds of the search on fresh scenarios, beside other routers in the same run. */
import { PoolMap } from '@sluice/liquidity'
import { buildGraph } from '@sluice/routing'
import { record, rounded } from '../record.ts'
import { evaluate, evaluatePaths } from './evaluate.ts'
import { generate } from './generate.ts'
import { foreignPeer, greedyPeer, type Peer, type PeerRoute } from './peers.ts'
import { type RoutedTrade, routeTrade, scenarioGraph } from './route.ts'
import { loadScenario, type Scenario, type ScenarioTrade } from './scenario.ts'
import { median, quantile } from './statistics.ts'
import { threadFigures } from './thread.ts'

/** Pools, the seeds of that size, and the trades of each. None of the seeds served in development. */
const SIZES = [
  { nPools: 20, seeds: [910_001, 910_002], nTrades: 60 },
  { nPools: 200, seeds: [920_001, 920_002], nTrades: 60 },
  { nPools: 2_000, seeds: [930_001, 930_002], nTrades: 40 },
  { nPools: 20_000, seeds: [940_001], nTrades: 12 },
] as const
const GAS_PRICES = [0n, 10n ** 10n]
/** Where gas counts, smaller trades are not routed for what they pay. */
const LEAST_USD = 500
/** The plain methods quote every pool anew and are not waited for above this size. */
const PLAIN_PEERS_UP_TO = 200
const PLAIN_TRADES = 10
const TIMED_RUNS = 3
/** Differences below are ties, in basis points of the output. */
const TIE_BPS = 0.1
const CERTIFICATES = { scenarios: 167, nPools: 20, nTrades: 60, seed: 950_000 }
const UPDATES = 200

type Outcome = { readonly net: number; readonly ms: number }
type Row = { readonly own: RoutedTrade; readonly net: number; readonly peers: ReadonlyMap<string, Outcome | null> }

const sizes = []
for (const { nPools, seeds, nTrades } of SIZES) {
  for (const gasPrice of GAS_PRICES) {
    const rows: Row[] = []
    for (const seed of seeds)
      rows.push(...(await runScenario(generate({ name: 'bench', nPools, seed, nTrades }), gasPrice)))
    const figures = summary(rows, gasPrice)
    sizes.push({ pools: nPools, gasPriceGwei: Number(gasPrice / 10n ** 9n), ...figures })
    console.error(nPools, gasPrice, JSON.stringify(figures))
  }
}
record('router', {
  sizes,
  certificates: certificates(),
  changedPool: changedPool(),
  thread: await threadFigures(20_000, 940_001),
})

async function runScenario(scenario: Scenario, gasPrice: bigint): Promise<Row[]> {
  const loaded = loadScenario(scenario)
  const graph = scenarioGraph(loaded)
  const small = scenario.pools.length <= PLAIN_PEERS_UP_TO
  const price = Number(gasPrice)
  const plain = small ? [greedyPeer(scenario, price, 1), greedyPeer(scenario, price, 20)] : []
  const foreign = await Promise.all(process.argv.slice(2).map((file) => foreignPeer(file, scenario, price)))
  const rows: Row[] = []
  const trades = scenario.trades.filter(({ usd = 0 }) => gasPrice === 0n || usd >= LEAST_USD)
  for (const [index, trade] of trades.entries()) {
    const own = routeTrade(loaded, graph, trade, gasPrice)
    const peers = new Map<string, Outcome | null>()
    for (const peer of foreign) peers.set(peer.name, await runPeer(peer, TIMED_RUNS, scenario, trade, gasPrice))
    if (index < PLAIN_TRADES)
      for (const peer of plain) peers.set(peer.name, await runPeer(peer, 1, scenario, trade, gasPrice))
    const evaluation = evaluate(scenario, trade, own.legs)
    if (String(evaluation.amountOut) !== own.amountOut)
      throw new Error(
        `${scenario.seed}: trade ${trade.id} pays ${evaluation.amountOut}, not ${own.amountOut} as claimed`,
      )
    rows.push({ own, net: netOf(evaluation, scenario, trade, gasPrice), peers })
  }
  return rows
}

async function runPeer(peer: Peer, runs: number, scenario: Scenario, trade: ScenarioTrade, gasPrice: bigint) {
  let route: PeerRoute | null = runs > 1 ? await peer.run(trade) : null
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    const found = peer.run(trade)
    route = found instanceof Promise ? await found : found
    times.push(performance.now() - start)
  }
  if (!route) return null
  const evaluation =
    'legs' in route ? evaluate(scenario, trade, route.legs) : evaluatePaths(scenario, trade, route.paths)
  return { net: netOf(evaluation, scenario, trade, gasPrice), ms: median(times) }
}

/** Output base units after gas, valued at the scenario's prices: the same for all routers. */
function netOf(
  { amountOut, gas }: { readonly amountOut: bigint; readonly gas: number },
  { tokens, nativeToken }: Scenario,
  { tokenOut }: ScenarioTrade,
  gasPrice: bigint,
): number {
  const native = tokens[nativeToken]!
  const token = tokens[tokenOut]!
  const gasUsd = ((gas * Number(gasPrice)) / 10 ** native.decimals) * native.priceUsd
  return Number(amountOut) - (gasUsd / token.priceUsd) * 10 ** token.decimals
}

function summary(rows: readonly Row[], gasPrice: bigint) {
  const gaps = rows.map(({ own }) => own.gapBps).filter((gap) => gap !== null)
  const ms = rows.map(({ own }) => own.ms)
  const names = new Set(rows.flatMap(({ peers }) => [...peers.keys()]))
  return {
    trades: rows.length,
    unrouted: rows.filter(({ own }) => own.legs.length === 0).length,
    withoutBound: rows.length - gaps.length,
    // With gas the bound, which knows none, cannot be reached.
    ...(gasPrice === 0n
      ? { bpsBelowBound: { median: rounded(median(gaps), 4), p99: rounded(quantile(gaps, 0.99), 3) } }
      : {}),
    ms: { median: rounded(median(ms), 3), p95: rounded(quantile(ms, 0.95), 3) },
    peers: [...names].map((name) => compared(rows, name)),
  }
}

function compared(rows: readonly Row[], name: string) {
  const run = rows.filter(({ peers }) => peers.has(name))
  const paired = run.flatMap(({ own, net, peers }) => {
    const peer = peers.get(name)
    return peer
      ? [
          {
            bps: ((net - peer.net) / Math.abs(Number(own.amountOut) || 1)) * 10_000,
            ratio: own.ms / peer.ms,
            ms: peer.ms,
          },
        ]
      : []
  })
  const differences = paired.map(({ bps }) => bps)
  const times = paired.map(({ ms }) => ms)
  return {
    name,
    trades: run.length,
    withoutRoute: run.length - paired.length,
    better: differences.filter((bps) => bps > TIE_BPS).length,
    tie: differences.filter((bps) => Math.abs(bps) <= TIE_BPS).length,
    worse: differences.filter((bps) => bps < -TIE_BPS).length,
    bpsBetter: {
      least: rounded(Math.min(...differences), 3),
      median: rounded(median(differences), 3),
      p95: rounded(quantile(differences, 0.95), 1),
    },
    ms: { median: rounded(median(times), 3), p95: rounded(quantile(times, 0.95), 3) },
    ourTimeToTheirs: rounded(median(paired.map(({ ratio }) => ratio)), 2),
  }
}

/** How near the bound stands to the route over many random trades, without gas. */
function certificates() {
  const gaps: (number | null)[] = []
  for (let index = 0; index < CERTIFICATES.scenarios; index++) {
    const { nPools, nTrades, seed } = CERTIFICATES
    const scenario = generate({ name: 'certificates', nPools, nTrades, seed: seed + index })
    const loaded = loadScenario(scenario)
    const graph = scenarioGraph(loaded)
    for (const trade of scenario.trades) gaps.push(routeTrade(loaded, graph, trade, 0n).gapBps)
  }
  const known = gaps.filter((gap) => gap !== null)
  return {
    trades: gaps.length,
    withoutBound: gaps.length - known.length,
    within1Bps: rounded(known.filter((gap) => gap <= 1).length / gaps.length, 5),
    bps: {
      median: rounded(median(known), 4),
      p999: rounded(quantile(known, 0.999), 3),
      max: rounded(Math.max(...known), 3),
    },
  }
}

/** What it costs to bring the compiled graph of 20,000 pools to the next block, a pool at a time and a hundred at once. */
function changedPool() {
  const { snapshot } = loadScenario(generate({ name: 'changes', nPools: 20_000, seed: 940_001, nTrades: 1 }))
  const ids = [...snapshot.pools.keys()]
  let pools = PoolMap.empty.with(snapshot.pools.values())
  let graph = buildGraph({ ...snapshot, pools })
  const time = (count: number) => {
    const times: number[] = []
    for (let update = 0; update < UPDATES; update++) {
      const changed = new Set(
        Array.from({ length: count }, (_, index) => ids[(update * 97 + index * 31) % ids.length]!),
      )
      // Another object with the same state: compiled anew as after any trade.
      pools = pools.with(Array.from(changed, (id) => ({ ...pools.get(id)! })))
      const start = performance.now()
      graph = buildGraph({ ...snapshot, pools }, graph)
      times.push((performance.now() - start) / count)
    }
    return rounded(median(times), 4)
  }
  time(10)
  return { pools: ids.length, msPerPool: { alone: time(1), ofAHundred: time(100) } }
}
