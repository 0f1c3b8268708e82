/** Generates pools with a given price and size. The capacity of each kind of pool is limited in another way. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { type Random, wholeNumber } from '../lib/random.ts'
import { sqrtPriceAtTick, tickAtSqrtPrice } from '../router/pool-math.ts'

export type PairSpec = {
  readonly tokens: readonly [Address, Address]
  /** Base units of the second token per base unit of the first. */
  readonly price: number
  /** Approximate base units of the first token in the pool. */
  readonly size: number
  readonly feePpm: number
}

type PoolState = Pick<Pool, 'family' | 'tokens' | 'state'>

/**
 * Kinds of pools. Random choices prefer kinds that are listed several times. Three kinds have concentrated liquidity:
 * `narrow` around the price, `gap` with an empty range on each side of the price, `wide` in a narrow and a very wide
 * position.
 */
export const SYNTHETIC_KINDS = [
  'pair',
  'pair',
  'narrow',
  'narrow',
  'narrow',
  'gap',
  'wide',
  'weighted',
  'stable',
  'vault',
  'wrapper',
] as const
export type SyntheticKind = (typeof SYNTHETIC_KINDS)[number]

/** Returns true for kinds without a fee. Their price must be exact, because any deviation would allow arbitrage. */
export const hasNoFee = (kind: SyntheticKind): boolean => kind === 'vault' || kind === 'wrapper'

const E18 = 10n ** 18n
const TICK_SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
/** Maximum absolute tick. Beyond it, Q64.96 square root prices lose too much precision. */
const MAX_TICK = 700_000
/** Minimum base units of each token in a pool. */
const MIN_UNITS = 1_000

/** Returns a pool; null if it would hold too few units of a token or its price is out of range. */
export function makePool(kind: SyntheticKind, spec: PairSpec, random: Random): PoolState | null {
  if (!(spec.size > MIN_UNITS && spec.size * spec.price > MIN_UNITS)) return null
  if (kind === 'pair') return pairState(spec)
  if (kind === 'narrow' || kind === 'gap' || kind === 'wide')
    return concentratedState(spec, drawPositions(kind, random))
  if (kind === 'weighted') return weightedState(spec, random)
  if (kind === 'stable') return stableState(spec, random)
  return kind === 'vault' ? vaultState(spec, random) : wrapperState(spec, random)
}

function pairState({ tokens, price, size, feePpm }: PairSpec): PoolState {
  const state = { reserve0: wholeNumber(size), reserve1: wholeNumber(size * price), feePpm }
  return { family: 'uniswap-v2', tokens, state }
}

/**
 * A position from `below` ticks below the price to `above` ticks above it. A negative number means the other side of
 * the price. `part` is the position's size as a multiple of the pool's size.
 */
type Position = { readonly below: number; readonly above: number; readonly part: number }

function drawPositions(kind: 'narrow' | 'gap' | 'wide', random: Random): readonly Position[] {
  const width = (maxTicks: number) => 20 + random.next() ** 2 * maxTicks
  const center = { below: width(600), above: width(600), part: 1 }
  if (kind === 'narrow')
    return random.next() < 0.5 ? [center] : [center, { below: width(3000), above: width(3000), part: 0.5 }]
  if (kind === 'wide') return [center, { below: 80_000, above: 80_000, part: 0.3 }]
  // Two further positions, beyond a range without liquidity on each side. A large swap crosses this range.
  const gap = 200 + random.next() * 2000
  return [
    center,
    { below: -(center.above + gap), above: center.above + gap + width(600), part: 0.5 },
    { below: center.below + gap + width(600), above: -(center.below + gap), part: 0.5 },
  ]
}

function concentratedState(
  { tokens, price, size, feePpm }: PairSpec,
  requestedPositions: readonly Position[],
): PoolState | null {
  const tickSpacing = TICK_SPACING[feePpm]!
  const sqrtPriceX96 = wholeNumber(Math.sqrt(price) * 2 ** 96)
  const tick = tickAtSqrtPrice(sqrtPriceX96)
  if (Math.abs(tick) > MAX_TICK) return null
  const netLiquidity = new Map<number, bigint>()
  let liquidity = 0n
  for (const { below, above, part } of requestedPositions) {
    const low = Math.floor((tick - below) / tickSpacing) * tickSpacing
    const high = Math.max(low + tickSpacing, Math.ceil((tick + above) / tickSpacing) * tickSpacing)
    const [lowSqrtPrice, highSqrtPrice] = [1.0001 ** (low / 2), 1.0001 ** (high / 2)]
    const sqrtPriceInside = Math.min(Math.max(Math.sqrt(price), lowSqrtPrice), highSqrtPrice)
    const unitsPerLiquidity = 1 / sqrtPriceInside - 1 / highSqrtPrice + (sqrtPriceInside - lowSqrtPrice) / price
    const addedLiquidity = wholeNumber((size * part) / unitsPerLiquidity)
    if (addedLiquidity < 1_000n) return null
    netLiquidity.set(low, (netLiquidity.get(low) ?? 0n) + addedLiquidity)
    netLiquidity.set(high, (netLiquidity.get(high) ?? 0n) - addedLiquidity)
    if (sqrtPriceAtTick(low) <= sqrtPriceX96 && sqrtPriceX96 < sqrtPriceAtTick(high)) liquidity += addedLiquidity
  }
  const ticks = [...netLiquidity].filter(([, change]) => change !== 0n).sort(([a], [b]) => a - b)
  return { family: 'uniswap-v3', tokens, state: { sqrtPriceX96, tick, liquidity, feePpm, tickSpacing, ticks } }
}

function weightedState({ tokens, price, size, feePpm }: PairSpec, random: Random): PoolState {
  const weight = random.pick([0.2, 0.5, 0.5, 0.8])
  const weights = [weight, 1 - weight].map((part) => BigInt(Math.round(part * 100)) * 10n ** 16n)
  // The price is (balance1 / weight1) / (balance0 / weight0).
  const balances = [size, (size * price * (1 - weight)) / weight].map(wholeNumber)
  const scaling = [E18, E18]
  const swapFee = BigInt(feePpm) * 10n ** 12n
  return {
    family: 'balancer-v2',
    tokens,
    state: { kind: 'weighted', balances, scaling, swapFee, weights, exactPowers: true },
  }
}

/**
 * Maximum fee of stable pools in ppm. Fees stay in the pool, so with a higher fee two swaps would pay more than one.
 */
const MAX_STABLE_FEE = 500

/**
 * Returns a stable pool with unequal balances. First computes the price of the pool without a fee, and then corrects
 * the rates so that the pool has the requested price.
 */
function stableState({ tokens, price, size, feePpm }: PairSpec, random: Random): PoolState | null {
  if (feePpm > MAX_STABLE_FEE) return null
  const scale = 10 ** Math.max(0, 18 - Math.log10(size))
  const tilt = 0.5 + (random.next() - 0.5) * 0.9
  const a = BigInt(random.pick([200, 1000, 2000]))
  const stateWith = (feeE10: bigint, correction: number): PoolState | null => {
    // Rates scale balances of different tokens to a common unit.
    const rates = [scale, (scale / price) * correction].map((rate) => wholeNumber(rate * 1e18))
    if (rates.some((rate) => rate < 10n ** 6n)) return null
    const state = {
      balances: [size * 2 * tilt, (size * price * 2 * (1 - tilt)) / correction].map(wholeNumber),
      rates,
      amplification: { a, precision: 1n },
      feeE10,
      adminFeeE10: 0n,
      offpegMultiplierE10: 0n,
      rounding: 'each',
      feeOrder: 'base',
      margin: 1n,
    }
    return { family: 'curve-stable', tokens, state }
  }
  const uncorrectedPool = stateWith(0n, 1)
  const curve =
    uncorrectedPool &&
    familyOf(uncorrectedPool.family)!.priceCurve({ ...uncorrectedPool, ...PLACEHOLDER_IDENTITY }, tokens[0], tokens[1])
  return curve && stateWith(BigInt(feePpm) * 10_000n, curve.sqrtPrice[0]! ** 2 / price)
}

const PLACEHOLDER_IDENTITY = { id: 'pool', dex: 'bounded', address: ZERO_ADDRESS }

/** Returns a vault that accepts deposits up to a part of its size, and pays out up to a part of its assets. */
function vaultState({ tokens, price, size }: PairSpec, random: Random): PoolState {
  const totalAssets = wholeNumber(size)
  const state = {
    totalAssets,
    totalSupply: wholeNumber(size * price),
    virtualShares: 0n,
    maxDeposit: wholeNumber(size * random.next() ** 2),
    cash: wholeNumber(size * random.next()),
  }
  return { family: 'erc4626', tokens, state }
}

function wrapperState({ tokens, price, size }: PairSpec, random: Random): PoolState {
  const state = {
    pooled: wholeNumber(size * 10),
    shares: wholeNumber(size * 10 * price),
    supply: wholeNumber(size * price * random.next()),
  }
  return { family: 'rate-wrapper', tokens, state }
}
