/** Routes through the real Guard, Executor and pools, with the gas that each is charged from one and the same state. */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type Random, random, type World } from '@sluice/liquidity/testing'
import { type PriceBook, priceTokens } from '@sluice/pricing'
import { buildGraph, EncodeError, findRoute, type Graph, type Route, type RouteRequest } from '@sluice/routing'
import { createSimulationContext, intrinsicGas, simulateSwap } from '@sluice/simulation'
import { fillObservations } from './observations.ts'
import { amountFor, current, hopOf, throughWrapper, tradable } from './pools.ts'
import { chain, chargedFromHere, encoded, gasOf } from './swap.ts'

export type Observed = {
  readonly world: string
  readonly route: Route
  readonly wrappedNative: Address | null
  /** After refunds: what the sender is charged. */
  readonly charged: number
  /** Before refunds, as the simulation of a quote tells it. */
  readonly gross: number
}

const USD = { least: 50, most: 100_000 }
/** Percent: by default the service refuses trades of more impact. */
const MOST_IMPACT = 15n
const GAS_PRICES = [0n, 100_000_000n, 1_000_000_000n, 10_000_000_000n, 50_000_000_000n]
/** Routes that are sent first and stay: pools that nobody has traded in pay for slots that are never empty again. */
const WARM = 120

/** Seconds from the trades that stay to those that are measured. */
const LATER = 12

/** Draws for each route that is wanted: four of five, at times nine of ten, have no route or too much impact. */
const MOST_TRIES = 50

/** Times the input that moves a price by a hundredth. */
const SMALL = 0.02

/** Trades that stay, so that the chain is like one that is in use. */
export async function warm(world: World, seed: number): Promise<void> {
  const r = random(seed)
  for (const { id } of tradable(world)) {
    for (const back of [false, true]) {
      const hops = throughWrapper(world, hopOf(await current(world, id), back))
      const route = chain(hops, amountFor(hops.at(-1)!, SMALL))
      if (route) await gasOf(world, route)
    }
  }
  for (let k = 0; k < WARM; k++) {
    const route = drawn(world, buildGraph(await world.market.sync()), r)
    if (route) await gasOf(world, route)
  }
  await fillObservations(world)
  // The first trade of a pool in a block brings its oracle up to date, if the block is of a later second than the last trade's.
  await world.request('evm_increaseTime', [LATER])
  await world.request('evm_mine')
  await world.market.sync()
}

/** Random routes of the router, each from the same state. */
export async function observe(world: World, count: number, seed: number): Promise<readonly Observed[]> {
  const r = random(seed)
  const graph = buildGraph(await world.market.sync())
  const found: Observed[] = []
  for (let tries = 0; found.length < count && tries < MOST_TRIES * count; tries++) {
    const route = drawn(world, graph, r)
    const seen = route && (await observed(world, route))
    if (seen) found.push(seen)
  }
  return found
}

/** Each pool by itself, both ways. */
export async function observePools(world: World): Promise<readonly Observed[]> {
  await world.market.sync()
  const found: Observed[] = []
  for (const { id } of tradable(world)) {
    for (const back of [false, true]) {
      const hops = throughWrapper(world, hopOf(await current(world, id), back))
      const route = chain(hops, amountFor(hops.at(-1)!, SMALL))
      const seen = route && (await observed(world, route))
      if (seen) found.push(seen)
    }
  }
  return found
}

/** Null where the route cannot be sent. */
async function observed(world: World, route: Route): Promise<Observed | null> {
  const [gross = null] = await grossGas(world, [route])
  const charged = gross === null ? null : await chargedFromHere(world, route)
  if (gross === null || charged === null) return null
  return { world: world.name, route, wrappedNative: world.chain.wrappedNative?.address ?? null, charged, gross }
}

const contexts = new WeakMap<World, ReturnType<typeof createSimulationContext>>()

/**
 * Gas before refunds of whole transactions, the first route's and those of others from the same state, by one call; null where
 * one pays another amount than it settles at, which no quote does.
 */
export async function grossGas(
  world: World,
  [route, ...others]: readonly [Route, ...Route[]],
): Promise<(number | null)[]> {
  const context = contexts.get(world) ?? createSimulationContext()
  contexts.set(world, context)
  try {
    const { to, data } = encoded(world, route)
    const { tokenIn, amountIn, tokenOut } = route
    const datas = [data, ...others.map((other) => encoded(world, other).data)]
    const ends = { from: world.trader, to, data, tokenIn, amountIn, tokenOut }
    const rest = { gasPrice: 0n, block: 'latest', ...(others.length > 0 && { others: datas.slice(1) }) } as const
    const result = await simulateSwap(world.rpc, { ...ends, ...rest }, context)
    const routes = [route, ...others]
    return [result, ...(result.others ?? [])].map(({ success, amountOut, gasUsed }, k) =>
      success && amountOut === routes[k]!.amountOut ? gasUsed + Number(intrinsicGas(datas[k]!)) : null,
    )
  } catch (error) {
    if (error instanceof EncodeError) return [null]
    throw error
  }
}

/** A route of the router between random tokens, of a random size at a random gas price; null where there is none. */
function drawn(world: World, graph: Graph, r: Random): Route | null {
  const request = drawnRequest(world, graph, r)
  const found = request && findRoute(graph, request)
  return found?.ok && isAnswered(found.route) ? found.route : null
}

export function drawnRequest(
  world: World,
  graph: Graph,
  r: Random,
  gasPriceWei = r.pick(GAS_PRICES),
): RouteRequest | null {
  const wrappedNative = world.chain.wrappedNative!.address
  const { book, ends } = marketOf(world, graph)
  const [from, to] = [r.pick(ends), r.pick(ends)]
  const usd = USD.least * (USD.most / USD.least) ** (r.integer(1_000_000) / 1_000_000)
  const asNative = r.integer(2) === 1
  const amountIn = BigInt(Math.round((usd / book.usd(from)!) * 10 ** world.market.tokens.decimals(from)!))
  if (from === to || amountIn === 0n) return null
  const end = (token: Address) => (asNative && token === wrappedNative ? NATIVE : token)
  return { tokenIn: end(from), tokenOut: end(to), amountIn, wrappedNative, gasPriceWei }
}

type PricedMarket = { readonly book: PriceBook; readonly ends: readonly Address[] }
const markets = new WeakMap<Graph, PricedMarket>()

/** Tokens of tradable pools that have a price, once for each pool. */
function marketOf(world: World, graph: Graph): PricedMarket {
  const known = markets.get(graph)
  if (known) return known
  const decimals = (token: Address) => world.market.tokens.decimals(token)
  const book = priceTokens(graph.snapshot, world.chain, { decimals })
  const isPriced = (token: Address) =>
    token !== ZERO_ADDRESS && book.usd(token) !== null && decimals(token) !== undefined
  const ends = tradable(world).flatMap(({ family, tokens }) =>
    family === 'rate-wrapper' ? [] : tokens.filter(isPriced),
  )
  const made = { book, ends }
  markets.set(graph, made)
  return made
}

/** True of a trade that the service would answer by default. */
function isAnswered({ amountOut, midAmountOut }: Route): boolean {
  return midAmountOut !== null && amountOut * 100n >= midAmountOut * (100n - MOST_IMPACT)
}
