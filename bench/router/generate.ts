/**
 * Generates seeded scenarios that resemble the liquidity of a chain. A scenario has six hub tokens, and many tail
 * tokens. Most pools of a tail token are with a hub. The values of pools follow a power law. Trades have five sizes,
 * and are between tokens of each class.
 */
import { type Random, seededRandom, wholeNumber } from '../lib/random.ts'
import { PoolFactory, type PoolType } from './generate-pools.ts'
import type { Scenario, ScenarioPool, ScenarioToken, ScenarioTrade } from './scenario.ts'

const HUBS: readonly (readonly [symbol: string, priceUsd: number, decimals: number, address: string])[] = [
  ['WETH', 3000, 18, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
  ['USDC', 1, 6, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  ['USDT', 1, 6, '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  ['DAI', 1, 18, '0x6b175474e89094c44da98b954eedeac495271d0f'],
  ['WBTC', 60000, 8, '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'],
  ['WSTETH', 3600, 18, '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0'],
]
const WETH = 0
const USDC = 1
const USDT = 2
const DAI = 3
/**
 * Trade sizes as fractions of the smaller depth of the two tokens. A token's depth is the value of its deepest pool.
 */
const SIZE_FRACTIONS = [0.0001, 0.001, 0.01, 0.05, 0.2]
const TRADE_CLASSES = ['hub-hub', 'hub-tail', 'tail-hub', 'tail-tail'] as const
/** Minimum depth of a traded tail token in USD. */
const MIN_DEPTH_USD = 20_000

export type ScenarioSpec = {
  readonly name: string
  readonly nPools: number
  readonly seed: number
  readonly nTrades?: number
  /** Types of the generated pools. Default: all types. */
  readonly allowedTypes?: readonly PoolType[]
}

export function generate({
  name,
  nPools,
  seed,
  nTrades = 40,
  allowedTypes: requestedTypes = ['v2', 'v3', 'stable'],
}: ScenarioSpec): Scenario {
  const random = seededRandom(seed)
  const tokens = makeTokens(nPools, random)
  const factory = new PoolFactory(tokens, random)
  const allowedTypes = new AllowedTypes(requestedTypes)
  addHubPools(factory, allowedTypes, nPools, random)
  addTailPools(factory, allowedTypes, nPools, tokens, random)
  const { pools } = factory
  const trades = makeTrades(tokens, pools, nTrades, random)
  return {
    version: 1,
    name,
    seed,
    chainId: 1,
    gasPriceWei: '10000000000',
    nativeToken: WETH,
    tokens,
    pools,
    trades,
  }
}

/** The types of pools that a scenario may have. */
class AllowedTypes {
  private readonly types: readonly PoolType[]
  constructor(requestedTypes: readonly PoolType[]) {
    this.types = requestedTypes
  }
  has(type: PoolType): boolean {
    return this.types.includes(type)
  }
  /** Returns the type if it is allowed, and the first allowed type otherwise. */
  allowedTypeFor(type: PoolType): PoolType {
    return this.has(type) ? type : this.types[0]!
  }
}

function makeTokens(nPools: number, random: Random): readonly ScenarioToken[] {
  const count = Math.max(7, Math.round(nPools * (nPools <= 20 ? 0.4 : nPools <= 200 ? 0.33 : 0.36)))
  const tokens: ScenarioToken[] = HUBS.map(([symbol, priceUsd, decimals, address], id) => ({
    id,
    symbol,
    address,
    decimals,
    priceUsd,
    hub: true,
  }))
  while (tokens.length < count) {
    const id = tokens.length
    tokens.push({
      id,
      symbol: `T${id}`,
      address: random.address(),
      decimals: random.next() < 0.88 ? 18 : random.pick([6, 8, 9]),
      priceUsd: Math.exp(random.normal() * 3 - 1),
      hub: false,
    })
  }
  return tokens
}

/** Returns a random value in USD with a Pareto distribution of exponent `alpha`, at most `max`. */
const pareto = (random: Random, min: number, alpha: number, max: number) =>
  Math.min(max, min / (random.next() || 1e-9) ** (1 / alpha))

function addHubPools(factory: PoolFactory, allowedTypes: AllowedTypes, nPools: number, random: Random): void {
  factory.add(allowedTypes.has('v3') ? 'v3' : 'v2', WETH, USDC, 1.2e8, allowedTypes.has('v3') ? 500 : 3000)
  if (allowedTypes.has('stable')) {
    factory.add('stable', USDC, USDT, 4e7, 100)
    factory.add('stable', USDC, DAI, 1.5e7, 400)
  }
  factory.add('v2', WETH, USDC, 3e7, 3000)
  const count = Math.max(8, Math.min(Math.round(nPools * 0.3), 70))
  const isStable = (token: number) => token >= USDC && token <= DAI
  for (let attempt = 0; factory.pools.length < count && attempt < 5000; attempt++) {
    const a = random.next() < 0.45 ? WETH : Math.floor(random.next() * HUBS.length)
    const b = random.next() < 0.4 ? USDC : Math.floor(random.next() * HUBS.length)
    if (a === b) continue
    const areBothStable = isStable(a) && isStable(b)
    const tvl = pareto(random, areBothStable ? 1.5e6 : 6e5, 0.75, 2.5e8)
    const draw = random.next()
    if (areBothStable && draw < 0.5 && allowedTypes.has('stable'))
      factory.add('stable', a, b, tvl, random.pick([100, 400]))
    else if (draw >= 0.8) factory.add('v2', a, b, tvl * 0.4, 3000)
    else if (allowedTypes.allowedTypeFor('v3') === 'v2') factory.add('v2', a, b, tvl, 3000)
    else factory.add('v3', a, b, tvl, random.pick(areBothStable ? [100, 100, 500] : [500, 500, 3000, 3000, 10000, 100]))
  }
}

/** Adds a pool for each tail token, mostly with a hub. Tail tokens with low indices get most of the remaining pools. */
function addTailPools(
  factory: PoolFactory,
  allowedTypes: AllowedTypes,
  nPools: number,
  tokens: readonly ScenarioToken[],
  random: Random,
): void {
  const tails = tokens.filter(({ hub }) => !hub).map(({ id }) => id)
  const drawPartner = () => {
    const draw = random.next()
    const hub = [0.55, 0.73, 0.83, 0.87, 0.9, 0.92].findIndex((bound) => draw < bound)
    return hub < 0 ? random.pick(tails) : hub
  }
  const addPool = (token: number) => {
    const other = drawPartner()
    const tvl = Math.max(2000, Math.min(8e7, 6e4 * Math.exp(random.normal() * 2)))
    if (random.next() < 0.5) return factory.add('v2', token, other, tvl, 3000)
    if (allowedTypes.allowedTypeFor('v3') === 'v2') return factory.add('v2', token, other, tvl, 3000)
    return factory.add('v3', token, other, tvl, random.pick([3000, 3000, 10000, 10000, 500]))
  }
  for (const token of tails) {
    if (factory.pools.length >= nPools) break
    for (let attempt = 0; attempt <= 20; attempt++) if (addPool(token)) break
  }
  for (let attempt = 0; factory.pools.length < nPools && attempt < nPools * 20; attempt++) {
    const token = tails[Math.floor(tails.length * random.next() ** 2.2)]!
    if (random.next() < 0.85) {
      addPool(token)
      continue
    }
    const [a, b] = [random.pick([0, 0, 1, 2, 3, 4]), random.pick([1, 2, 3, 4, 5])]
    if (a !== b) factory.add('v2', a, b, pareto(random, 1e5, 1, 5e7), 3000)
  }
}

function makeTrades(
  tokens: readonly ScenarioToken[],
  pools: readonly ScenarioPool[],
  count: number,
  random: Random,
): readonly ScenarioTrade[] {
  const depthUsd = new Map<number, number>()
  for (const { token0, token1, tvlUsd } of pools)
    for (const token of [token0, token1]) depthUsd.set(token, Math.max(depthUsd.get(token) ?? 0, tvlUsd))
  const tradedTokens = tokens.filter(({ id }) => depthUsd.has(id))
  const hubs = tradedTokens.filter(({ hub }) => hub)
  const tails = tradedTokens.filter(({ hub }) => !hub)
  const deepTails = tails.filter(({ id }) => depthUsd.get(id)! > MIN_DEPTH_USD)
  const tradedTails = deepTails.length > 0 ? deepTails : tails
  const componentOf = componentsOfTokens(tokens.length, pools)
  const trades: ScenarioTrade[] = []
  for (let attempt = 0; trades.length < count && attempt < 4000; attempt++) {
    const id = trades.length
    const tradeClass = TRADE_CLASSES[id % TRADE_CLASSES.length]!
    const sizeFrac = SIZE_FRACTIONS[Math.floor(id / TRADE_CLASSES.length) % SIZE_FRACTIONS.length]!
    const soldToken = random.pick(tradeClass.startsWith('hub') ? hubs : tradedTails)
    const boughtToken = random.pick(tradeClass.endsWith('hub') ? hubs : tradedTails)
    if (soldToken.id === boughtToken.id || componentOf[soldToken.id] !== componentOf[boughtToken.id]) continue
    const usd = sizeFrac * Math.min(depthUsd.get(soldToken.id)!, depthUsd.get(boughtToken.id)!)
    const amountIn = wholeNumber((usd / soldToken.priceUsd) * 10 ** soldToken.decimals)
    if (amountIn < 100_000n || (usd / boughtToken.priceUsd) * 10 ** boughtToken.decimals < 1e5) continue
    trades.push({
      id,
      tokenIn: soldToken.id,
      tokenOut: boughtToken.id,
      amountIn: String(amountIn),
      class: tradeClass,
      sizeFrac,
      usd: Number(usd.toFixed(2)),
    })
  }
  return trades
}

/**
 * Returns a component number for each token. Tokens with the same number are connected by pools, directly or through
 * other tokens.
 */
function componentsOfTokens(count: number, pools: readonly ScenarioPool[]): readonly number[] {
  const parent = Array.from({ length: count }, (_, token) => token)
  const rootOf = (token: number): number => {
    let current = token
    while (parent[current] !== current) {
      parent[current] = parent[parent[current]!]!
      current = parent[current]!
    }
    return current
  }
  for (const { token0, token1 } of pools) parent[rootOf(token0)] = rootOf(token1)
  return parent.map((_, token) => rootOf(token))
}
