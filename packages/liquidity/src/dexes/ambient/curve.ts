/**
 * The arithmetic of a piece of the curve between two levels: constant product, with prices of 64 fractional bits. Base is to the price
 * what token 1 is elsewhere. Checked against the deployed dex of Scroll; CurveMath, CurveRoll, CurveAssimilate and CompoundMath of
 * CrocSwap/CrocSwap-protocol at 33f339d.
 */
import { PoolRefusal } from '../../family.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'
import type { AmbientState } from './types.ts'

export const MIN_TICK = -665_454
export const MAX_TICK = 831_818
export const MIN_ROOT = 65_538n
export const MAX_ROOT = 21_267_430_153_580_247_136_652_501_917_186_561_138n

const PRICE_BITS = 64n
const GROWTH_BITS = 48n
const GROWTH_ONE = 1n << GROWTH_BITS
const MOST = (1n << 128n) - 1n
const MOST_GROWTH = (1n << 64n) - 1n

/** Price and liquidity of a state, which a swap changes. */
export type Curve = Pick<AmbientState, 'priceRoot' | 'ambientSeeds' | 'concLiq' | 'seedDeflator' | 'concGrowth'>

/** A number that the dex keeps in 128 bits. */
export function within(value: bigint): bigint {
  if (value > MOST || value < 0n) throw new PoolRefusal('TOO_LARGE', 'a number of more than 128 bits')
  return value
}

/** Prices of ticks are those of Uniswap with 32 bits less, rounded up too. */
const DROPPED = 32n
export const rootAtTick = (tick: number): bigint => (sqrtRatioAtTick(tick) + (1n << DROPPED) - 1n) >> DROPPED
export const tickAtRoot = (root: bigint): number => tickAtSqrtRatio(root << DROPPED)

export function liquidityOf({ ambientSeeds, seedDeflator, concLiq }: Curve): bigint {
  const ambient = (ambientSeeds * (GROWTH_ONE + seedDeflator)) >> GROWTH_BITS
  return within((ambient > MOST ? MOST : ambient) + concLiq)
}

const reserveOf = (liquidity: bigint, root: bigint, ofBase: boolean): bigint =>
  within(ofBase ? (liquidity * root) >> PRICE_BITS : (liquidity << PRICE_BITS) / root)

/** Tokens between two prices, divided twice where they are of the quote. */
export function between(liquidity: bigint, a: bigint, b: bigint, ofBase: boolean): bigint {
  const [small, large] = a < b ? [a, b] : [b, a]
  if (ofBase) return within((liquidity * (large - small)) >> PRICE_BITS)
  return within((((liquidity << PRICE_BITS) / small) * (large - small)) / large)
}

/** Output of a sale on a curve of one piece: near the real one, and the amount that the fee is counted from. */
export function estimate(liquidity: bigint, root: bigint, sold: bigint, isBuy: boolean): bigint {
  if (liquidity === 0n) return 0n
  const [held, other] = [reserveOf(liquidity, root, isBuy), reserveOf(liquidity, root, !isBuy)]
  const end = held + sold
  if (end === 0n) return MOST
  const left = (liquidity * liquidity) / end
  return within(left > other ? left - other : other - left)
}

/** The price after so much was sold: rounded down where it is the base, and up where it is the quote. */
export function priceAfter(liquidity: bigint, root: bigint, sold: bigint, isBuy: boolean): bigint {
  const next = isBuy ? raised(liquidity, root, sold) : reciprocal(raised(liquidity, reciprocal(root), sold)) + 1n
  return next >= MAX_ROOT ? MAX_ROOT - 1n : next < MIN_ROOT ? MIN_ROOT : next
}

function raised(liquidity: bigint, root: bigint, sold: bigint): bigint {
  const moved = liquidity === 0n ? MOST + 1n : (sold << PRICE_BITS) / liquidity
  return moved > MOST ? MOST : within(root + moved)
}

const reciprocal = (root: bigint): bigint => within((1n << (2n * PRICE_BITS)) / root)

/** Tokens that one unit of the price's precision is worth at most: of the quote what a price one unit lower would hold more. */
export function precisionOf(liquidity: bigint, root: bigint, ofBase: boolean): bigint {
  if (ofBase) return (liquidity >> PRICE_BITS) + 1n
  const shifted = liquidity << PRICE_BITS
  return within(shifted / (root - 1n) - shifted / root + 1n)
}

/** Bounds by how much liquidity could grow at once. */
const MOST_EXPANSION = 2n

/** The curve with a fee in it: all of it becomes liquidity of all prices, and moves the price. */
export function withFee(curve: Curve, paid: bigint, inBase: boolean): Curve {
  const liquidity = liquidityOf(curve)
  if (liquidity === 0n) return curve
  const { priceRoot, ambientSeeds, concLiq, seedDeflator, concGrowth } = curve
  const buffer = within(MOST_EXPANSION * precisionOf(liquidity, priceRoot, inBase))
  const growth = growthBy(paid <= buffer ? 0n : paid - buffer, reserveOf(liquidity, priceRoot, inBase))
  if (growth === 0n) return curve
  const factor = GROWTH_ONE + growth
  const stacked = (((GROWTH_ONE + seedDeflator) * factor) >> GROWTH_BITS) - GROWTH_ONE
  const deflator = stacked > MOST_GROWTH ? MOST_GROWTH : stacked
  const rewards = (growth << GROWTH_BITS) / (GROWTH_ONE + deflator)
  const seeds = (concLiq * rewards) >> GROWTH_BITS
  return {
    priceRoot: inBase ? within(((priceRoot * factor) >> GROWTH_BITS) + 1n) : (priceRoot << GROWTH_BITS) / factor,
    ambientSeeds: within(ambientSeeds + seeds),
    concLiq,
    seedDeflator: deflator,
    concGrowth: concGrowth + (seeds === 0n ? 0n : (rewards * seeds) / (seeds + 1n)),
  }
}

/** √(1 + fee / reserve) − 1 by two terms of its series. */
function growthBy(fee: bigint, reserve: bigint): bigint {
  if (reserve === 0n || fee > reserve) return 0n
  const x = (within(reserve + fee) << GROWTH_BITS) / reserve - GROWTH_ONE
  if (x >= GROWTH_ONE) throw new PoolRefusal('TOO_LARGE', 'a fee as large as the reserve')
  return (x >> 1n) - (((x * x) >> GROWTH_BITS) >> 3n)
}
