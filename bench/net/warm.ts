/**
 * `npm run bench -- net [quotes at each price]`: checks if a quote pays less, net of gas, than restricted variants of
 * its request. On synthetic scenarios, gas is that of the gas table, as in the search. On the local chain and on
 * recorded Ethereum state, gas is the charged gas of simulated transactions. The service has learned from earlier
 * simulations.
 */
import { random, startEthereum, startLocal, type World } from '@sluice/liquidity/testing'
import { GasLessons } from '@sluice/quoting'
import { buildGraph, findRoute, type Graph, type RoutePlan, type RouteRequest, routeGas } from '@sluice/routing'
import { drawRequest, measureGrossGas, observeRandomRoutes, warmUpChain } from '../gas/hop/observe.ts'
import { approveAll, simulateCharge } from '../gas/hop/swap.ts'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { generate } from '../router/generate.ts'
import { requestOf, SERVICE_LIMITS } from '../router/route.ts'
import { loadScenario } from '../router/scenario.ts'
import { type Alternative, findAlternatives, GAS_PRICES, LOST_BPS, lossBps } from './restricted-requests.ts'

const GWEI = 10n ** 9n
/** Sizes and seeds of the scenarios. The seeds were not used in development. */
const SCENARIOS = [
  { nPools: 20, seed: 950_001, nTrades: 60 },
  { nPools: 200, seed: 950_002, nTrades: 60 },
  { nPools: 2_000, seed: 950_003, nTrades: 40 },
]
const QUOTES_PER_PRICE = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 50)
const SEED = 960_001
/** Number of quotes before the measurement. The service learns from their simulations. */
const LESSON_COUNT = 200

const byTable = SCENARIOS.flatMap((size) => {
  const scenario = generate({ name: 'net', ...size })
  const loadedScenario = loadScenario(scenario)
  const graph = buildGraph(loadedScenario.snapshot)
  return GAS_PRICES.map((gasPriceWei) => {
    const losses = scenario.trades.flatMap((trade) => {
      const result = findAlternatives(graph, requestOf(loadedScenario, trade, gasPriceWei, SERVICE_LIMITS))
      if (!result) return []
      const netOf = ({ route }: Alternative) => Number(route.amountOut) - Number(route.gasCostOut ?? 0n)
      const [ownRoute, ...otherRoutes] = result
      return [lossBps({ net: netOf(ownRoute), amountOut: Number(ownRoute.route.amountOut) }, otherRoutes.map(netOf))]
    })
    return { pools: size.nPools, gwei: Number(gasPriceWei) / 1e9, ...figuresOf(losses) }
  })
})
console.error(byTable)

const byMeasurement: Record<string, object[]> = {}
for (const start of [startEthereum, startLocal]) {
  const world = await start()
  await approveAll(world)
  await warmUpChain(world, SEED)
  const graph = buildGraph(await world.market.sync())
  const lessons = new GasLessons(world.chain.wrappedNative?.address ?? null)
  for (const { route, gross } of await observeRandomRoutes(world, LESSON_COUNT, SEED)) lessons.observe(route, gross, 0)
  byMeasurement[world.name] = []
  for (const gasPriceWei of GAS_PRICES) {
    const generator = random(SEED + Number(gasPriceWei / (GWEI / 10n)))
    const rows: NetMeasurement[] = []
    for (let tries = 0; rows.length < QUOTES_PER_PRICE && tries < 4 * QUOTES_PER_PRICE; tries++) {
      const request = drawRequest(world, graph, generator, gasPriceWei)
      const learnedGas = lessons.correctionsAt(0)
      const measurement =
        request && (await measureRequest(world, graph, { ...request, ...(learnedGas && { learnedGas }) }))
      if (measurement) rows.push(measurement)
    }
    const worstRow = rows.toSorted((a, b) => b.quoted.bps - a.quoted.bps)[0]
    byMeasurement[world.name]!.push({
      gwei: Number(gasPriceWei) / 1e9,
      quoted: figuresOf(rows.map(({ quoted }) => quoted.bps)),
      // Loss of the route that the search ranks first, before simulation.
      ranked: figuresOf(rows.map(({ ranked }) => ranked.bps)),
      rivals: rounded(rows.reduce((sum, row) => sum + row.alternatives, 0) / rows.length, 2),
      callTime: rounded(median(rows.flatMap(({ timeRatio }) => (timeRatio === null ? [] : [timeRatio]))), 2),
      gasOffPercent: { median: rounded(median(rows.map(({ gasErrorPercent }) => gasErrorPercent)), 1) },
      ...(worstRow && worstRow.quoted.bps > LOST_BPS && { worstTo: worstRow.quoted.restriction }),
    })
    console.error(world.name, JSON.stringify(byMeasurement[world.name]!.at(-1)))
  }
  await world.stop()
}
record('net', { byTable, byMeasurement })

/** Loss of a route, compared with the best restricted route. */
type Loss = {
  readonly bps: number
  /** Restriction and request of the best restricted route; empty if no restricted route exists. */
  readonly restriction: string
}
type NetMeasurement = {
  /** Loss of the route that the service would quote after simulation. */
  readonly quoted: Loss
  /** Loss of the route that the search ranks first, before simulation. */
  readonly ranked: Loss
  /** Number of simulated alternatives. */
  readonly alternatives: number
  /**
   * Time to simulate the own route and all alternatives, divided by the time to simulate only the own route; null
   * without alternatives.
   */
  readonly timeRatio: number | null
  /** Difference between the estimated and the charged gas, in percent of the charged gas. */
  readonly gasErrorPercent: number
}

async function withTime<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const startedAt = performance.now()
  return { result: await run(), ms: performance.now() - startedAt }
}

/**
 * Simulates the transactions of the quoted route, of the route that the search ranks first, and of the routes of
 * restricted requests, each on the same state. Compares their outputs net of charged gas. Returns null if gas has no
 * price, or if the transaction of the first route fails.
 */
async function measureRequest(world: World, graph: Graph, request: RouteRequest): Promise<NetMeasurement | null> {
  const routes = findAlternatives(graph, request)
  const ownRoute = routes?.[0].route
  if (!routes || !ownRoute?.gasCostOut) return null
  const outputPerGas = Number(ownRoute.gasCostOut) / ownRoute.gas
  const { wrappedNative } = request
  const netOf = async (route: RoutePlan) => {
    const chargedGas = await simulateCharge(world, route)
    return chargedGas === null
      ? Number.NEGATIVE_INFINITY
      : Number(route.amountOut - ownRoute.amountOut) - chargedGas * outputPerGas
  }
  const rankedNet = await netOf(ownRoute)
  if (rankedNet === Number.NEGATIVE_INFINITY) return null
  const result = findRoute(graph, { ...request, maxAlternatives: 3 })
  const candidates = [ownRoute, ...((result.ok && result.alternatives) || [])] as const
  const ownRun = await withTime(() => measureGrossGas(world, [ownRoute]))
  const candidatesRun = await withTime(() => measureGrossGas(world, candidates))
  let quotedRoute = ownRoute
  let maxGain = Number.NEGATIVE_INFINITY
  // Ranks routes like a quote does: by the simulated gas minus the expected refund.
  for (const [i, route] of candidates.entries()) {
    const grossGasOfRoute = candidatesRun.result[i] ?? null
    if (grossGasOfRoute === null) continue
    const { refund } = routeGas({ ...route, wrappedNative })
    const gain = Number(route.amountOut - ownRoute.amountOut) - (grossGasOfRoute - refund) * outputPerGas
    if (gain > maxGain) [quotedRoute, maxGain] = [route, gain]
  }
  const restrictedNets: { readonly name: string; readonly net: number }[] = []
  for (const { name, route } of routes.slice(1)) restrictedNets.push({ name, net: await netOf(route) })
  const lossOf = (net: number): Loss => {
    const bestRestricted = restrictedNets.toSorted((a, b) => b.net - a.net)[0]
    return {
      bps: lossBps(
        { net, amountOut: Number(ownRoute.amountOut) },
        restrictedNets.map((restricted) => restricted.net),
      ),
      restriction: bestRestricted
        ? `${bestRestricted.name}: ${request.tokenIn} ${request.tokenOut} ${request.amountIn}`
        : '',
    }
  }
  const ownChargedGas = -rankedNet / outputPerGas
  const gasErrorPercent =
    (100 * Math.abs(routeGas({ ...ownRoute, wrappedNative }).charged - ownChargedGas)) / ownChargedGas
  return {
    quoted: lossOf(quotedRoute === ownRoute ? rankedNet : await netOf(quotedRoute)),
    ranked: lossOf(rankedNet),
    alternatives: candidates.length - 1,
    timeRatio: candidates.length > 1 ? candidatesRun.ms / ownRun.ms : null,
    gasErrorPercent,
  }
}

function figuresOf(losses: readonly number[]) {
  return {
    quotes: losses.length,
    lost: losses.filter((bps) => bps > LOST_BPS).length,
    bps: { p95: rounded(quantile(losses, 0.95), 2), worst: rounded(Math.max(0, ...losses), 2) },
  }
}
