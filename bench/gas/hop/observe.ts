/** Measures the gas of routes through Guard, Executor, and pools. All measurements start from the same state. */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type Random, random, type World } from '@sluice/liquidity/testing'
import { type PriceBook, priceTokens } from '@sluice/pricing'
import { buildGraph, EncodeError, findRoute, type Graph, type RoutePlan, type RouteRequest } from '@sluice/routing'
import { createSimulationContext, intrinsicGas, simulateSwap } from '@sluice/simulation'
import { fillObservations } from './observations.ts'
import { amountFor, hopOf, refreshedPool, throughWrapper, tradablePools } from './pools.ts'
import { encodeRoute, routeThrough, sendRoute, simulateCharge } from './swap.ts'

export type ObservedRoute = {
  readonly world: string
  readonly route: RoutePlan
  readonly wrappedNative: Address | null
  /** Gas after refunds, which the sender is charged. */
  readonly charged: number
  /** Gas before refunds, as in the simulation of a quote. */
  readonly gross: number
}

/** Range of a trade's value in USD. */
const TRADE_USD = { min: 50, max: 100_000 }
/** Maximum price impact. By default, the service rejects a larger impact. */
const MAX_IMPACT_PERCENT = 15n
/** Gas prices of requests, in wei. */
const GAS_PRICES = [0n, 100_000_000n, 1_000_000_000n, 10_000_000_000n, 50_000_000_000n]
/** Number of random routes sent before the measurements. Only the first trades of a pool pay for new storage slots. */
const WARM_UP_ROUTES = 120

/** Seconds between the warm-up trades and the measurements. */
const SECONDS_AFTER_WARM_UP = 12

/** Maximum random requests per measured route. 80 to 90 % of them have no route or too much price impact. */
const MAX_TRIES = 50

/** Input of a small trade, as a multiple of the input that moves the price by one percent. */
const SMALL_SIZE = 0.02

/**
 * Sends trades that change the chain's state, so that it resembles a chain in use.
 *
 * @param count - number of random routes, which are sent after a trade in each direction of each pool
 */
export async function warmUpChain(world: World, seed: number, count = WARM_UP_ROUTES): Promise<void> {
  const randomSource = random(seed)
  for (const { id } of tradablePools(world)) {
    for (const isReversed of [false, true]) {
      const hops = throughWrapper(world, hopOf(await refreshedPool(world, id), isReversed))
      const route = routeThrough(hops, amountFor(hops.at(-1)!, SMALL_SIZE))
      if (route) await sendRoute(world, route)
    }
  }
  for (let i = 0; i < count; i++) {
    const route = drawRoute(world, buildGraph(await world.market.sync()), randomSource)
    if (route) await sendRoute(world, route)
  }
  await fillObservations(world)
  // Time must pass, because a trade updates the pool's oracle only if its block is later than the pool's last trade.
  await world.request('evm_increaseTime', [SECONDS_AFTER_WARM_UP])
  await world.request('evm_mine')
  await world.market.sync()
}

/** Measures random routes of the router, each from the same state. */
export async function observeRandomRoutes(
  world: World,
  count: number,
  seed: number,
): Promise<readonly ObservedRoute[]> {
  const randomSource = random(seed)
  const graph = buildGraph(await world.market.sync())
  const samples: ObservedRoute[] = []
  for (let tries = 0; samples.length < count && tries < MAX_TRIES * count; tries++) {
    const route = drawRoute(world, graph, randomSource)
    const sample = route && (await observeRoute(world, route))
    if (sample) samples.push(sample)
  }
  return samples
}

/** Measures each pool alone, in both directions. */
export async function observePools(world: World): Promise<readonly ObservedRoute[]> {
  await world.market.sync()
  const samples: ObservedRoute[] = []
  for (const { id } of tradablePools(world)) {
    for (const isReversed of [false, true]) {
      const hops = throughWrapper(world, hopOf(await refreshedPool(world, id), isReversed))
      const route = routeThrough(hops, amountFor(hops.at(-1)!, SMALL_SIZE))
      const sample = route && (await observeRoute(world, route))
      if (sample) samples.push(sample)
    }
  }
  return samples
}

/** Returns the measured route; null if it cannot be sent. */
async function observeRoute(world: World, route: RoutePlan): Promise<ObservedRoute | null> {
  const [gross = null] = await measureGrossGas(world, [route])
  const charged = gross === null ? null : await simulateCharge(world, route)
  if (gross === null || charged === null) return null
  return { world: world.name, route, wrappedNative: world.chain.wrappedNative?.address ?? null, charged, gross }
}

const contexts = new WeakMap<World, ReturnType<typeof createSimulationContext>>()

/**
 * Simulates the transactions of all routes in one call, each from the same state. Returns the gas of each transaction
 * before refunds. The gas is null for a route that does not pay exactly the computed output, because a quote would
 * reject this route.
 */
export async function measureGrossGas(
  world: World,
  [route, ...otherRoutes]: readonly [RoutePlan, ...RoutePlan[]],
): Promise<(number | null)[]> {
  const context = contexts.get(world) ?? createSimulationContext()
  contexts.set(world, context)
  try {
    const { to, data } = encodeRoute(world, route)
    const { tokenIn, amountIn, tokenOut } = route
    const calldatas = [data, ...otherRoutes.map((other) => encodeRoute(world, other).data)]
    const trade = { from: world.trader, to, data, tokenIn, amountIn, tokenOut }
    const callOptions = {
      gasPrice: 0n,
      block: 'latest',
      ...(otherRoutes.length > 0 && { others: calldatas.slice(1) }),
    } as const
    const result = await simulateSwap(world.rpc, { ...trade, ...callOptions }, context)
    const routes = [route, ...otherRoutes]
    return [result, ...(result.alternatives ?? [])].map(({ success, amountOut, gasUsed }, i) =>
      success && amountOut === routes[i]!.amountOut ? gasUsed + Number(intrinsicGas(calldatas[i]!)) : null,
    )
  } catch (error) {
    if (error instanceof EncodeError) return [null]
    throw error
  }
}

/** Returns a route between random tokens with random size and gas price; null if there is none. */
function drawRoute(world: World, graph: Graph, randomSource: Random): RoutePlan | null {
  const request = drawRequest(world, graph, randomSource)
  const result = request && findRoute(graph, request)
  return result?.ok && isWithinMaxImpact(result.route) ? result.route : null
}

/** Returns a request between random tokens with a random size; null if the tokens are equal or the amount is 0. */
export function drawRequest(
  world: World,
  graph: Graph,
  randomSource: Random,
  gasPriceWei = randomSource.pick(GAS_PRICES),
): RouteRequest | null {
  const wrappedNative = world.chain.wrappedNative!.address
  const { book, pricedTokens } = marketOf(world, graph)
  const [from, to] = [randomSource.pick(pricedTokens), randomSource.pick(pricedTokens)]
  const usd = TRADE_USD.min * (TRADE_USD.max / TRADE_USD.min) ** (randomSource.integer(1_000_000) / 1_000_000)
  const asNative = randomSource.integer(2) === 1
  const amountIn = BigInt(Math.round((usd / book.usd(from)!) * 10 ** world.market.tokens.decimals(from)!))
  if (from === to || amountIn === 0n) return null
  const endToken = (token: Address) => (asNative && token === wrappedNative ? NATIVE : token)
  return { tokenIn: endToken(from), tokenOut: endToken(to), amountIn, wrappedNative, gasPriceWei }
}

type PricedMarket = { readonly book: PriceBook; readonly pricedTokens: readonly Address[] }
const markets = new WeakMap<Graph, PricedMarket>()

/** Returns prices, and the priced tokens of tradable pools. Lists a token once for each of its pools. */
function marketOf(world: World, graph: Graph): PricedMarket {
  const cached = markets.get(graph)
  if (cached) return cached
  const decimals = (token: Address) => world.market.tokens.decimals(token)
  const book = priceTokens(graph.snapshot, world.chain, { decimals })
  const isPriced = (token: Address) =>
    token !== ZERO_ADDRESS && book.usd(token) !== null && decimals(token) !== undefined
  const pricedTokens = tradablePools(world).flatMap(({ family, tokens }) =>
    family === 'rate-wrapper' ? [] : tokens.filter(isPriced),
  )
  const market = { book, pricedTokens }
  markets.set(graph, market)
  return market
}

/** Returns true if the price impact is at most the maximum. */
function isWithinMaxImpact({ amountOut, midAmountOut }: RoutePlan): boolean {
  return midAmountOut !== null && amountOut * 100n >= midAmountOut * (100n - MAX_IMPACT_PERCENT)
}
