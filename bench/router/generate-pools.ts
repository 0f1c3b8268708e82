/**
 * Generates the pools of a scenario. Prices of pools deviate from the tokens' prices by less than the fee, so that no
 * arbitrage is possible before a trade.
 */
import { type Random, wholeNumber } from '../lib/random.ts'
import { amount0Between, amount1Between, MAX_TICK, MIN_TICK, sqrtPriceAtTick, tickAtSqrtPrice } from './pool-math.ts'
import type { ScenarioPool, ScenarioToken } from './scenario.ts'

export type PoolType = ScenarioPool['type']

/** Maximum deviation of a pool's price as a fraction of its fee. */
const MAX_DEVIATION_OF_FEE = 0.85
/** Maximum number of V2 pools of two tokens, and maximum number of their stable pools. */
const MAX_POOLS_PER_PAIR = 3
/** Tick spacings by fee in parts per million. */
const TICK_SPACING_OF_FEE: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
/** Maximum absolute value of a tick. At higher values, prices lose too much precision. */
const TICK_LIMIT = 700_000
/** Minimum number of positions of a V3 pool. The first position spans the full range. */
const MIN_POSITIONS = 3
/** Maximum number of positions in addition to `MIN_POSITIONS`. */
const MAX_ADDED_POSITIONS = 28
/** Maximum half width of a position, in ticks. */
const MAX_POSITION_TICKS = 25_000
/** Weight of the full-range position. The other positions have random weights with a median of 1. */
const FULL_RANGE_WEIGHT = 0.08
const AMPLIFICATIONS = [100, 200, 500, 1000]

type CommonFields = Pick<ScenarioPool, 'id' | 'address' | 'token0' | 'token1' | 'feePpm' | 'tvlUsd'>
type PoolSpec = {
  readonly commonFields: CommonFields
  readonly token0: ScenarioToken
  readonly token1: ScenarioToken
  /** Value of the pool in USD. */
  readonly tvl: number
  /** Base units of token 1 per base unit of token 0. */
  readonly price: number
}

/** Creates the pools of a scenario, with at most one pool per type, pair, and variant. */
export class PoolFactory {
  readonly pools: ScenarioPool[] = []
  private readonly keys = new Set<string>()
  private readonly tokens: readonly ScenarioToken[]
  private readonly random: Random

  constructor(tokens: readonly ScenarioToken[], random: Random) {
    this.tokens = tokens
    this.random = random
  }

  /**
   * Adds a pool.
   *
   * @param a - id of a token
   * @param b - id of the other token
   * @param tvl - value of the pool in USD
   * @returns false if the pool already exists, or if its amounts would be too small to be exact
   */
  add(type: PoolType, a: number, b: number, tvl: number, feePpm: number): boolean {
    const { random, tokens } = this
    if (a === b) return false
    const [lower, upper] = BigInt(tokens[a]!.address) > BigInt(tokens[b]!.address) ? [b, a] : [a, b]
    const variant = type === 'v3' ? feePpm : Math.floor(random.next() * MAX_POOLS_PER_PAIR)
    const key = `${type} ${lower} ${upper} ${variant}`
    if (this.keys.has(key)) return false
    const [token0, token1] = [tokens[lower]!, tokens[upper]!]
    const deviation = Math.exp(((random.next() * 2 - 1) * MAX_DEVIATION_OF_FEE * feePpm) / 1e6)
    const price = (token0.priceUsd / token1.priceUsd) * 10 ** (token1.decimals - token0.decimals) * deviation
    const commonFields = {
      id: this.pools.length,
      address: random.address(),
      token0: lower,
      token1: upper,
      feePpm,
      tvlUsd: Math.round(tvl),
    }
    const makePool = { v2: makePairPool, v3: makeTickPool, stable: makeStablePool }[type]
    const pool = makePool({ commonFields, token0, token1, tvl, price }, random)
    if (!pool) return false
    this.pools.push(pool)
    this.keys.add(key)
    return true
  }
}

function makePairPool({ commonFields: base, token0, tvl, price }: PoolSpec): ScenarioPool | null {
  const reserve0 = (tvl / 2 / token0.priceUsd) * 10 ** token0.decimals
  const reserve1 = reserve0 * price
  if (reserve0 < 1e4 || reserve1 < 1e4) return null
  return { ...base, type: 'v2', reserve0: String(wholeNumber(reserve0)), reserve1: String(wholeNumber(reserve1)) }
}

function makeStablePool({ commonFields: base, token0, token1, tvl }: PoolSpec, random: Random): ScenarioPool {
  const A = random.pick(AMPLIFICATIONS)
  const decimals = Math.max(token0.decimals, token1.decimals)
  let imbalance = (random.next() * 2 - 1) * 0.35
  const balancesUsd = () => [(tvl / 2) * (1 + imbalance), (tvl / 2) * (1 - imbalance)] as const
  while (Math.abs(Math.log(stablePrice(...balancesUsd(), A * 2))) >= (MAX_DEVIATION_OF_FEE * base.feePpm) / 1e6)
    imbalance *= 0.6
  const unit = 10 ** decimals / token0.priceUsd
  const [x, y] = balancesUsd()
  const [scale0, scale1] = [10 ** (decimals - token0.decimals), 10 ** (decimals - token1.decimals)]
  return {
    ...base,
    type: 'stable',
    A: String(A),
    balance0: String(wholeNumber((x * unit) / scale0)),
    balance1: String(wholeNumber((y * unit) / scale1)),
    rate0: String(10n ** BigInt(decimals - token0.decimals)),
    rate1: String(10n ** BigInt(decimals - token1.decimals)),
  }
}

/**
 * Returns the marginal price of a two-coin stable pool with balances `x` and `y`. The names are those of Curve's
 * formulas: `ann` is 2·A, `d` is the invariant, `product` is D³/(4xy), and `b` and `c` are the coefficients of the
 * equation for the other balance.
 */
function stablePrice(x: number, y: number, ann: number): number {
  let d = x + y
  for (let iteration = 0; iteration < 60; iteration++) {
    const product = (((d * d) / (2 * x)) * d) / (2 * y)
    d = ((ann * (x + y) + 2 * product) * d) / ((ann - 1) * d + 3 * product)
  }
  const b = x + d / ann
  const c = (d * d * d) / (4 * x * ann)
  const otherBalance = (-(b - d) + Math.sqrt((b - d) ** 2 + 4 * c)) / 2
  return (otherBalance + c / x) / (2 * otherBalance + b - d)
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)

type Position = { readonly low: number; readonly high: number; readonly liquidity: number }

function makeTickPool(
  { commonFields: base, token0, token1, tvl, price }: PoolSpec,
  random: Random,
): ScenarioPool | null {
  const spacing = TICK_SPACING_OF_FEE[base.feePpm]!
  const sqrtPrice = wholeNumber(Math.sqrt(price) * 2 ** 96)
  const tick = tickAtSqrtPrice(sqrtPrice)
  if (Math.abs(tick) > TICK_LIMIT) return null
  const liquidityNet = new Map<number, bigint>()
  let liquidity = 0n
  let balance0 = 0n
  let balance1 = 0n
  for (const position of drawPositions(tick, spacing, { token0, token1, tvl, price }, random)) {
    const { low, high } = position
    const addedLiquidity = wholeNumber(position.liquidity)
    if (addedLiquidity < 2n) continue
    liquidityNet.set(low, (liquidityNet.get(low) ?? 0n) + addedLiquidity)
    liquidityNet.set(high, (liquidityNet.get(high) ?? 0n) - addedLiquidity)
    if (low <= tick && tick < high) liquidity += addedLiquidity
    const [lowSqrtPrice, highSqrtPrice] = [sqrtPriceAtTick(low), sqrtPriceAtTick(high)]
    if (sqrtPrice < highSqrtPrice)
      balance0 += amount0Between(larger(sqrtPrice, lowSqrtPrice), highSqrtPrice, addedLiquidity, true)
    if (sqrtPrice > lowSqrtPrice)
      balance1 += amount1Between(lowSqrtPrice, smaller(sqrtPrice, highSqrtPrice), addedLiquidity, true)
  }
  if (liquidity < 1_000n || balance0 < 10_000n || balance1 < 10_000n) return null
  return {
    ...base,
    type: 'v3',
    tickSpacing: spacing,
    sqrtPriceX96: String(sqrtPrice),
    tick,
    liquidity: String(liquidity),
    ticks: [...liquidityNet]
      .filter(([, change]) => change !== 0n)
      .sort(([a], [b]) => a - b)
      .map(([initializedTick, change]) => [initializedTick, String(change)] as const),
    balance0: String(balance0),
    balance1: String(balance1),
  }
}

/** Returns random positions around the price with a total value of `tvl`. */
function drawPositions(
  tick: number,
  spacing: number,
  { token0, token1, tvl, price }: Omit<PoolSpec, 'commonFields'>,
  random: Random,
): readonly Position[] {
  const [lowest, highest] = [Math.ceil(MIN_TICK / spacing) * spacing, Math.floor(MAX_TICK / spacing) * spacing]
  const minLogWidth = Math.log(spacing * 2)
  const count = MIN_POSITIONS + Math.floor(random.next() * random.next() * MAX_ADDED_POSITIONS)
  const positions: Position[] = []
  let totalWeight = 0
  for (let index = 0; index < count; index++) {
    let [low, high] = [lowest, highest]
    if (index > 0) {
      const width = Math.exp(minLogWidth + random.next() * (Math.log(MAX_POSITION_TICKS) - minLogWidth))
      const center = tick + random.normal() * width * 0.45
      low = Math.max(low, Math.floor((center - width) / spacing) * spacing)
      high = Math.min(high, Math.ceil((center + width) / spacing) * spacing)
    }
    if (high <= low) continue
    const weight = index === 0 ? FULL_RANGE_WEIGHT : Math.exp(random.normal())
    const [lowSqrtPrice, highSqrtPrice] = [1.0001 ** (low / 2), 1.0001 ** (high / 2)]
    const clampedSqrtPrice = Math.min(Math.max(Math.sqrt(price), lowSqrtPrice), highSqrtPrice)
    const usdPerLiquidity =
      ((clampedSqrtPrice - lowSqrtPrice) * token1.priceUsd) / 10 ** token1.decimals +
      ((1 / clampedSqrtPrice - 1 / highSqrtPrice) * token0.priceUsd) / 10 ** token0.decimals
    if (!(usdPerLiquidity > 0)) continue
    positions.push({ low, high, liquidity: weight / usdPerLiquidity })
    totalWeight += weight
  }
  return positions.map((position) => ({ ...position, liquidity: (position.liquidity * tvl) / totalWeight }))
}
