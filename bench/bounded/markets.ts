/**
 * Generates seeded markets of pools with limited capacity: narrow positions, gaps without liquidity, capped vaults,
 * pools near their ratio limits, and real states of every family. Some tokens are coarse, which means that they have
 * few base units per value. Except in some markets, the prices of pools differ by less than their fees.
 */
import { type Address, toAddress } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'
import { type Random, seededRandom, wholeNumber } from '../lib/random.ts'
import { type RealState, realStates } from './real-states.ts'
import { hasNoFee, makePool, type PairSpec, SYNTHETIC_KINDS, type SyntheticKind } from './synthetic-pools.ts'

export type Market = {
  readonly seed: number
  readonly pools: readonly Pool[]
  readonly tokens: readonly Address[]
  /** Value of a base unit of each token, in a common unit, in the order of `tokens`. */
  readonly values: readonly number[]
  /** Value of a trade that noticeably changes the prices of the deepest pools. */
  readonly depth: number
  /** True if prices of pools differ by more than their fees. */
  readonly pricesDisagree: boolean
}

export type MarketTrade = { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint }

/** In one of this many markets, the prices of pools differ by more than fees. */
const DISAGREEING_INTERVAL = 6
const MAX_POOLS = 14
const MAX_TOKENS = 6
/** Base units of a coarse token with the value of a market's depth. */
const COARSE_UNITS = 1e7
/** Maximum deviation of a pool's price in markets whose prices agree, as a fraction of the pool's fee. */
const MAX_FEE_SHARE = 0.8

export type MarketOptions = {
  /** Kinds of synthetic pools; all by default. */
  readonly kinds?: readonly SyntheticKind[]
  /** Real states of pools to choose from; all by default. */
  readonly states?: readonly RealState[]
}

/** Generates the market of a seed. */
export function makeMarket(
  seed: number,
  { kinds = SYNTHETIC_KINDS, states = realStates() }: MarketOptions = {},
): Market {
  const random = seededRandom(seed)
  const pricesDisagree = seed % DISAGREEING_INTERVAL === 0
  const tokens = Array.from({ length: 2 + Math.floor(random.next() * (MAX_TOKENS - 1)) }, () =>
    toAddress(random.address()),
  )
  const values: (number | undefined)[] = tokens.map(() => undefined)
  const pools: Pool[] = []
  let depth = 0
  const realStateCount =
    states.length === 0 || random.next() < 0.25 ? 0 : 1 + Math.floor(random.next() * Math.min(2, tokens.length - 1))
  for (let index = 0; index < realStateCount; index++) {
    const state = random.pick(states)
    const value = values[index] ?? 1 / state.rate
    // The first real state determines the depth. States of much smaller or larger value are left out.
    const valueOfScale = state.scale * value
    if (index > 0 && !(valueOfScale > depth / 1e3 && valueOfScale < depth * 1e3)) continue
    values[index] = value
    values[index + 1] = value / state.rate
    depth = Math.max(depth, valueOfScale)
    pools.push(marketPool(state, pools.length, [tokens[index]!, tokens[index + 1]!]))
  }
  if (depth === 0) depth = 10 ** (6 + 3 * random.next())
  const tokenValues = values.map((value) => value ?? depth / unitsOfDepth(random))
  const count = 2 + Math.floor(random.next() * (MAX_POOLS - 1))
  for (let attempt = 0; pools.length < count && attempt < 4 * MAX_POOLS; attempt++) {
    // The first pools connect all tokens, so that every trade has a path.
    const a = attempt < tokens.length - 1 ? attempt : Math.floor(random.next() * tokens.length)
    const b =
      attempt < tokens.length - 1
        ? attempt + 1
        : (a + 1 + Math.floor(random.next() * (tokens.length - 1))) % tokens.length
    const kind = random.pick(kinds)
    const pool = makePool(
      kind,
      specOf(random, kind, { a, b, tokens, values: tokenValues, depth, pricesDisagree }),
      random,
    )
    if (pool) pools.push({ ...pool, ...identityOf(pools.length) })
  }
  return { seed, pools, tokens, values: tokenValues, depth, pricesDisagree }
}

const unitsOfDepth = (random: Random) => (random.next() < 0.15 ? COARSE_UNITS : 10 ** (12 + 12 * random.next()))

/** A market, and the indices of two of its tokens. */
type TokenPair = Pick<Market, 'tokens' | 'values' | 'depth' | 'pricesDisagree'> & {
  readonly a: number
  readonly b: number
}

function specOf(
  random: Random,
  kind: SyntheticKind,
  { a, b, tokens, values, depth, pricesDisagree }: TokenPair,
): PairSpec {
  const feePpm = random.pick([100, 500, 3000, 3000, 10_000])
  const deviation = hasNoFee(kind) ? 0 : pricesDisagree ? 0.03 : (MAX_FEE_SHARE * feePpm) / 1e6
  return {
    tokens: [tokens[a]!, tokens[b]!],
    price: (values[a]! / values[b]!) * Math.exp((random.next() * 2 - 1) * deviation),
    // Approximate size in base units of the first token, from a log-normal distribution.
    size: ((depth / values[a]!) * Math.exp(random.normal() * 1.5)) / 4,
    feePpm,
  }
}

function identityOf(index: number): Pick<Pool, 'id' | 'address' | 'dex'> {
  const address = toAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`)
  return { id: address, address, dex: 'bounded' }
}

/** Returns a real state whose tokens are replaced by tokens of a market. */
function marketPool(
  { pool, inputIndex, outputIndex }: RealState,
  index: number,
  [tokenIn, tokenOut]: readonly [Address, Address],
): Pool {
  const tokens = pool.tokens.map((token, i) => (i === inputIndex ? tokenIn : i === outputIndex ? tokenOut : token))
  return { ...pool, ...identityOf(index), tokens }
}

/** Returns a trade of random size between random tokens. Some trades exceed the market's capacity many times. */
export function drawTrade({ tokens, values, depth, seed }: Market, index: number): MarketTrade {
  const random = seededRandom(seed * 1009 + index)
  const a = Math.floor(random.next() * tokens.length)
  const b = (a + 1 + Math.floor(random.next() * (tokens.length - 1))) % tokens.length
  const amountIn = wholeNumber((depth / values[a]!) * 10 ** (-3 + 4 * random.next()))
  return { tokenIn: tokens[a]!, tokenOut: tokens[b]!, amountIn }
}

/** Returns the output of a pool; null if it rejects the amount. */
export function quoteOrNull(pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint | null {
  if (amountIn <= 0n) return null
  return nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
}
