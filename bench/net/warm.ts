/**
 * `npm run bench -- net [quotes at each price]`: checks if a quote pays less net of gas than the same quote with
 * restrictions. Fresh scenarios use the gas table, as the search does. The local chain and real Ethereum state use the
 * charged gas of transactions, with a service that has learned from earlier simulations.
 */
import { random, startEthereum, startLocal, type World } from '@sluice/liquidity/testing'
import { GasLessons } from '@sluice/quoting'
import { buildGraph, findRoute, type Graph, type RoutePlan, type RouteRequest, routeGas } from '@sluice/routing'
import { drawRequest, grossGas, observe, warm } from '../gas/hop/observe.ts'
import { approveAll, chargedFromHere } from '../gas/hop/swap.ts'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { generate } from '../router/generate.ts'
import { requestOf, SERVICE_LIMITS } from '../router/route.ts'
import { loadScenario } from '../router/scenario.ts'
import { type Alternative, alternatives, GAS_PRICES, LOST_BPS, lossBps } from './restricted-requests.ts'

const GWEI = 10n ** 9n
/** Development used none of these seeds. */
const SCENARIOS = [
  { nPools: 20, seed: 950_001, nTrades: 60 },
  { nPools: 200, seed: 950_002, nTrades: 60 },
  { nPools: 2_000, seed: 950_003, nTrades: 40 },
]
const QUOTES = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 50)
const SEED = 960_001
/** Number of earlier quotes whose simulations the service has learned from. */
const LESSONS = 200

const byTable = SCENARIOS.flatMap((size) => {
  const scenario = generate({ name: 'net', ...size })
  const loadedScenario = loadScenario(scenario)
  const graph = buildGraph(loadedScenario.snapshot)
  return GAS_PRICES.map((gasPriceWei) => {
    const losses = scenario.trades.flatMap((trade) => {
      const result = alternatives(graph, requestOf(loadedScenario, trade, gasPriceWei, SERVICE_LIMITS))
      if (!result) return []
      const net = ({ route }: Alternative) => Number(route.amountOut) - Number(route.gasCostOut ?? 0n)
      const [ownRoute, ...otherRoutes] = result
      return [lossBps({ net: net(ownRoute), amountOut: Number(ownRoute.route.amountOut) }, otherRoutes.map(net))]
    })
    return { pools: size.nPools, gwei: Number(gasPriceWei) / 1e9, ...figures(losses) }
  })
})
console.error(byTable)

const byMeasurement: Record<string, object[]> = {}
for (const start of [startEthereum, startLocal]) {
  const world = await start()
  await approveAll(world)
  await warm(world, SEED)
  const graph = buildGraph(await world.market.sync())
  const lessons = new GasLessons(world.chain.wrappedNative?.address ?? null)
  for (const { route, gross } of await observe(world, LESSONS, SEED)) lessons.observe(route, gross, 0)
  byMeasurement[world.name] = []
  for (const gasPriceWei of GAS_PRICES) {
    const r = random(SEED + Number(gasPriceWei / (GWEI / 10n)))
    const rows: NetMeasurement[] = []
    for (let tries = 0; rows.length < QUOTES && tries < 4 * QUOTES; tries++) {
      const request = drawRequest(world, graph, r, gasPriceWei)
      const learnedGas = lessons.at(0)
      const measurement =
        request && (await measureRequest(world, graph, { ...request, ...(learnedGas && { learnedGas }) }))
      if (measurement) rows.push(measurement)
    }
    const worst = rows.toSorted((x, y) => y.quoted.bps - x.quoted.bps)[0]
    byMeasurement[world.name]!.push({
      gwei: Number(gasPriceWei) / 1e9,
      quoted: figures(rows.map(({ quoted }) => quoted.bps)),
      // The route that the search ranks first, before simulation.
      ranked: figures(rows.map(({ ranked }) => ranked.bps)),
      rivals: rounded(rows.reduce((sum, row) => sum + row.alternatives, 0) / rows.length, 2),
      callTime: rounded(median(rows.flatMap(({ timeRatio }) => (timeRatio === null ? [] : [timeRatio]))), 2),
      gasOffPercent: { median: rounded(median(rows.map(({ gasErrorPercent }) => gasErrorPercent)), 1) },
      ...(worst && worst.quoted.bps > LOST_BPS && { worstTo: worst.quoted.by }),
    })
    console.error(world.name, JSON.stringify(byMeasurement[world.name]!.at(-1)))
  }
  await world.stop()
}
record('net', { byTable, byMeasurement })

type Loss = { readonly bps: number; readonly by: string }
type NetMeasurement = {
  readonly quoted: Loss
  readonly ranked: Loss
  /** Number of alternatives simulated. */
  readonly alternatives: number
  /** Time of the call with alternatives as a multiple of the call without; null if there are none. */
  readonly timeRatio: number | null
  /** Error of the estimated gas in percent. */
  readonly gasErrorPercent: number
}

async function withTime<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const from = performance.now()
  return { result: await run(), ms: performance.now() - from }
}

/**
 * Executes the quote's route, the search's own best route, and the restricted routes from the same state, and returns
 * their losses net of charged gas. Null if gas has no price or the route cannot be sent.
 */
async function measureRequest(world: World, graph: Graph, request: RouteRequest): Promise<NetMeasurement | null> {
  const routes = alternatives(graph, request)
  const ownRoute = routes?.[0].route
  if (!routes || !ownRoute?.gasCostOut) return null
  const perGas = Number(ownRoute.gasCostOut) / ownRoute.gas
  const { wrappedNative } = request
  const net = async (route: RoutePlan) => {
    const gasPerOutput = await chargedFromHere(world, route)
    return gasPerOutput === null
      ? Number.NEGATIVE_INFINITY
      : Number(route.amountOut - ownRoute.amountOut) - gasPerOutput * perGas
  }
  const rankedNet = await net(ownRoute)
  if (rankedNet === Number.NEGATIVE_INFINITY) return null
  const result = findRoute(graph, { ...request, maxAlternatives: 3 })
  const candidates = [ownRoute, ...((result.ok && result.alternatives) || [])] as const
  const aloneGas = await withTime(() => grossGas(world, [ownRoute]))
  const together = await withTime(() => grossGas(world, candidates))
  let quoted = ownRoute
  let maxGain = Number.NEGATIVE_INFINITY
  // Ranks routes as a quote does: simulated gas minus the expected refund.
  for (const [k, route] of candidates.entries()) {
    const gross = together.result[k] ?? null
    if (gross === null) continue
    const { refund } = routeGas({ ...route, wrappedNative })
    const gain = Number(route.amountOut - ownRoute.amountOut) - (gross - refund) * perGas
    if (gain > maxGain) [quoted, maxGain] = [route, gain]
  }
  const others: { readonly name: string; readonly net: number }[] = []
  for (const { name, route } of routes.slice(1)) others.push({ name, net: await net(route) })
  const lossOf = (net: number): Loss => {
    const best = others.toSorted((x, y) => y.net - x.net)[0]
    return {
      bps: lossBps(
        { net, amountOut: Number(ownRoute.amountOut) },
        others.map((other) => other.net),
      ),
      by: best ? `${best.name}: ${request.tokenIn} ${request.tokenOut} ${request.amountIn}` : '',
    }
  }
  const gasPerOutput = -rankedNet / perGas
  const gasErrorPercent =
    (100 * Math.abs(routeGas({ ...ownRoute, wrappedNative }).charged - gasPerOutput)) / gasPerOutput
  return {
    quoted: lossOf(quoted === ownRoute ? rankedNet : await net(quoted)),
    ranked: lossOf(rankedNet),
    alternatives: candidates.length - 1,
    timeRatio: candidates.length > 1 ? together.ms / aloneGas.ms : null,
    gasErrorPercent,
  }
}

function figures(losses: readonly number[]) {
  return {
    quotes: losses.length,
    lost: losses.filter((bps) => bps > LOST_BPS).length,
    bps: { p95: rounded(quantile(losses, 0.95), 2), worst: rounded(Math.max(0, ...losses), 2) },
  }
}
