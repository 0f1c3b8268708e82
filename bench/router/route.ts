/** Routes a scenario's trade with the service's own search, and returns the route in the benchmark's format. */
import { buildGraph, findRoute, type Graph, type RouteRequest } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { COMPARISON_GAS } from './comparison-gas.ts'
import type { LoadedScenario, ScenarioTrade } from './scenario.ts'

export const scenarioGraph = ({ snapshot }: LoadedScenario): Graph => buildGraph(snapshot, undefined, COMPARISON_GAS)

/**
 * Leg of a route. Legs are executed in order. Each leg swaps floor(balance × num / den), where the balance is the
 * amount of `tokenIn` after the earlier legs.
 */
export type ScenarioLeg = {
  readonly pool: number
  readonly tokenIn: number
  readonly tokenOut: number
  readonly num: string
  readonly den: string
}

export type RoutedTrade = {
  readonly id: ScenarioTrade['id']
  /** Base units; "0" if no route was found. */
  readonly amountOut: string
  readonly legs: readonly ScenarioLeg[]
  /** Distance of the output from its upper bound, without gas, in basis points; null without a bound. */
  readonly gapBps: number | null
  /** Median milliseconds of three searches, after the warm-up and one search that does not count. */
  readonly ms: number
}

/** Limits that are so large that they do not restrict the routes of the benchmark. */
const UNRESTRICTED_LIMITS = { maxHops: 8, maxSplits: 1_000 }
/** Default limits of the service. */
export const SERVICE_LIMITS = { maxHops: 4, maxSplits: 24 }
export type Limits = typeof UNRESTRICTED_LIMITS
/** Timed searches of `routeTrade`. */
const RUNS = 3

/** Milliseconds of the warm-up, after which V8 has compiled the search, as in a running service. */
const WARM_UP_MS = 2_500

/** Runs searches until V8 has compiled them. */
export async function warmUp<T>(trades: readonly T[], run: (trade: T) => unknown): Promise<void> {
  const end = performance.now() + WARM_UP_MS
  for (let index = 0; performance.now() < end; index++) await run(trades[index % trades.length]!)
}

export function requestOf(
  { tokenOf, wrappedNative }: LoadedScenario,
  { tokenIn, tokenOut, amountIn }: ScenarioTrade,
  gasPriceWei: bigint,
  limits: Limits = UNRESTRICTED_LIMITS,
): RouteRequest {
  const ends = { tokenIn: tokenOf(tokenIn), tokenOut: tokenOf(tokenOut) }
  return { ...ends, amountIn: BigInt(amountIn), wrappedNative, gasPriceWei, ...limits }
}

export function routeTrade(
  loadedScenario: LoadedScenario,
  graph: Graph,
  trade: ScenarioTrade,
  gasPriceWei: bigint,
  limits: Limits = UNRESTRICTED_LIMITS,
): RoutedTrade {
  const request = requestOf(loadedScenario, trade, gasPriceWei, limits)
  const result = findRoute(graph, request)
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now()
    findRoute(graph, request)
    return performance.now() - start
  })
  const ms = Number(median(times).toFixed(4))
  if (!result.ok) return { id: trade.id, amountOut: '0', legs: [], gapBps: null, ms }
  const { amountOut, legs, optimalityGapBps } = result.route
  return {
    id: trade.id,
    amountOut: String(amountOut),
    legs: legs.map(({ pool, tokenIn, tokenOut, num, den }) => ({
      pool: Number(pool.id),
      tokenIn: loadedScenario.idOf(tokenIn),
      tokenOut: loadedScenario.idOf(tokenOut),
      num: String(num),
      den: String(den),
    })),
    gapBps: optimalityGapBps,
    ms,
  }
}

/**
 * Returns the distance of the output after gas from its upper bound, in basis points; null without a route or a bound.
 *
 * @param graph - with the service's own gas: a quote counts this gas, and not the gas of the comparison
 */
export function netGapBpsOf(
  loadedScenario: LoadedScenario,
  graph: Graph,
  trade: ScenarioTrade,
  gasPriceWei: bigint,
): number | null {
  const result = findRoute(graph, requestOf(loadedScenario, trade, gasPriceWei))
  return result.ok ? result.route.optimalityGapNetBps : null
}
