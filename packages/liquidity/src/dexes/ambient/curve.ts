/**
 * Exact math of one segment of an Ambient pool's price curve. A segment is the range between two levels (ticks at which
 * liquidity changes), and follows x·y = k. A root is a √price: √(base / quote) with 64 fractional bits. So the base
 * token corresponds to token 1 of Uniswap. `isBuy` is true for swaps that sell base tokens, as in the contract.
 * `ofBase` and `inBase` are true for amounts of the base token. Follows CurveMath, CurveRoll, CurveAssimilate, and
 * CompoundMath of CrocSwap/CrocSwap-protocol at 33f339d. Checked against the deployed contract on Scroll.
 */
import { PoolRefusal } from '../../family.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

/** Limits of ticks and √prices in the contract. */
export const MIN_TICK = -665_454
export const MAX_TICK = 831_818
export const MIN_ROOT = 65_538n
export const MAX_ROOT = 21_267_430_153_580_247_136_652_501_917_186_561_138n

/** Fractional bits of √prices. */
const PRICE_BITS = 64n
/** Fractional bits of growth rates: relative increases of liquidity by fees. */
const GROWTH_BITS = 48n
const GROWTH_ONE = 1n << GROWTH_BITS
const MAX_UINT128 = (1n << 128n) - 1n
/** Maximum of `seedDeflator`, which the contract stores as uint64. */
const MAX_GROWTH = (1n << 64n) - 1n

/** The part of the state that a swap changes within a segment. */
export type SegmentState = Pick<AmbientState, 'priceRoot' | 'ambientSeeds' | 'concLiq' | 'seedDeflator' | 'concGrowth'>

/** Returns a value that the contract stores as uint128. @throws PoolRefusal if it does not fit */
export function checkedUint128(value: bigint): bigint {
  if (value > MAX_UINT128 || value < 0n) throw new PoolRefusal('TOO_LARGE', 'a number of more than 128 bits')
  return value
}

/** Number of fractional bits by which Uniswap's √prices are longer. */
const DROPPED_BITS = 32n
/** Returns the √price at a tick, rounded up. */
export const rootAtTick = (tick: number): bigint => (sqrtRatioAtTick(tick) + (1n << DROPPED_BITS) - 1n) >> DROPPED_BITS
/** Returns the tick at or below a √price. */
export const tickAtRoot = (root: bigint): number => tickAtSqrtRatio(root << DROPPED_BITS)

/** Flag in a lot count that marks knockout liquidity, which the contract removes when a swap crosses its level. */
export const KNOCKOUT = 1n
/** A lot is 2^10 units of liquidity. */
const LOT_BITS = 10n

/** Returns the liquidity that a level adds when the price rises. */
export const liquidityNetOf = ([, bidLots, askLots]: AmbientLevel): bigint =>
  ((bidLots & ~KNOCKOUT) - (askLots & ~KNOCKOUT)) << LOT_BITS

/** Returns the total liquidity at the price: ambient and concentrated. */
export function liquidityOf({ ambientSeeds, seedDeflator, concLiq }: SegmentState): bigint {
  const ambient = (ambientSeeds * (GROWTH_ONE + seedDeflator)) >> GROWTH_BITS
  return checkedUint128((ambient > MAX_UINT128 ? MAX_UINT128 : ambient) + concLiq)
}

/** Returns the virtual reserve of one token. */
const reserveOf = (liquidity: bigint, root: bigint, ofBase: boolean): bigint =>
  checkedUint128(ofBase ? (liquidity * root) >> PRICE_BITS : (liquidity << PRICE_BITS) / root)

/**
 * Returns the amount of base or quote tokens between two √prices, rounded down. The amount of quote tokens takes two
 * divisions, as in the contract.
 */
export function tokensBetween(liquidity: bigint, rootA: bigint, rootB: bigint, ofBase: boolean): bigint {
  const [small, large] = rootA < rootB ? [rootA, rootB] : [rootB, rootA]
  if (ofBase) return checkedUint128((liquidity * (large - small)) >> PRICE_BITS)
  return checkedUint128((((liquidity << PRICE_BITS) / small) * (large - small)) / large)
}

/** Returns the output of a swap as if the segment had no end. The contract computes the fee from this estimate. */
export function estimateOutput(liquidity: bigint, root: bigint, soldAmount: bigint, isBuy: boolean): bigint {
  if (liquidity === 0n) return 0n
  const [reserveIn, reserveOut] = [reserveOf(liquidity, root, isBuy), reserveOf(liquidity, root, !isBuy)]
  const newReserveIn = reserveIn + soldAmount
  if (newReserveIn === 0n) return MAX_UINT128
  const newReserveOut = (liquidity * liquidity) / newReserveIn
  return checkedUint128(newReserveOut > reserveOut ? newReserveOut - reserveOut : reserveOut - newReserveOut)
}

/** Returns the √price after a swap: rounded down for an input of base tokens, up for an input of quote tokens. */
export function rootAfterInput(liquidity: bigint, root: bigint, soldAmount: bigint, isBuy: boolean): bigint {
  const nextRoot = isBuy
    ? raiseRoot(liquidity, root, soldAmount)
    : reciprocal(raiseRoot(liquidity, reciprocal(root), soldAmount)) + 1n
  return nextRoot >= MAX_ROOT ? MAX_ROOT - 1n : nextRoot < MIN_ROOT ? MIN_ROOT : nextRoot
}

/** Returns a √price raised by soldAmount / liquidity, rounded down. */
function raiseRoot(liquidity: bigint, root: bigint, soldAmount: bigint): bigint {
  const rise = liquidity === 0n ? MAX_UINT128 + 1n : (soldAmount << PRICE_BITS) / liquidity
  return rise > MAX_UINT128 ? MAX_UINT128 : checkedUint128(root + rise)
}

/** Returns 1 / root, rounded down. */
const reciprocal = (root: bigint): bigint => checkedUint128((1n << (2n * PRICE_BITS)) / root)

/** Returns an upper bound of the amount of tokens that moves the √price by its smallest unit. */
export function tokensPerRootUnit(liquidity: bigint, root: bigint, ofBase: boolean): bigint {
  if (ofBase) return (liquidity >> PRICE_BITS) + 1n
  const shiftedLiquidity = liquidity << PRICE_BITS
  return checkedUint128(shiftedLiquidity / (root - 1n) - shiftedLiquidity / root + 1n)
}

/** Upper bound of the factor by which the fee of one leg can multiply the liquidity. */
const MAX_EXPANSION = 2n

/** Returns the curve after a fee has been added to the pool. The fee becomes ambient liquidity, and moves the price. */
export function addFee(curve: SegmentState, fee: bigint, inBase: boolean): SegmentState {
  const liquidity = liquidityOf(curve)
  if (liquidity === 0n) return curve
  const { priceRoot, ambientSeeds, concLiq, seedDeflator, concGrowth } = curve
  // The contract keeps back this part of the fee, to cover the rounding of the new price.
  const buffer = checkedUint128(MAX_EXPANSION * tokensPerRootUnit(liquidity, priceRoot, inBase))
  const growth = growthFromFee(fee <= buffer ? 0n : fee - buffer, reserveOf(liquidity, priceRoot, inBase))
  if (growth === 0n) return curve
  const factor = GROWTH_ONE + growth
  const stackedGrowth = (((GROWTH_ONE + seedDeflator) * factor) >> GROWTH_BITS) - GROWTH_ONE
  const deflator = stackedGrowth > MAX_GROWTH ? MAX_GROWTH : stackedGrowth
  const rewards = (growth << GROWTH_BITS) / (GROWTH_ONE + deflator)
  const seeds = (concLiq * rewards) >> GROWTH_BITS
  return {
    priceRoot: inBase
      ? checkedUint128(((priceRoot * factor) >> GROWTH_BITS) + 1n)
      : (priceRoot << GROWTH_BITS) / factor,
    ambientSeeds: checkedUint128(ambientSeeds + seeds),
    concLiq,
    seedDeflator: deflator,
    concGrowth: concGrowth + (seeds === 0n ? 0n : (rewards * seeds) / (seeds + 1n)),
  }
}

/** Returns √(1 + fee / reserve) − 1, approximated by the first two terms of its series. */
function growthFromFee(fee: bigint, reserve: bigint): bigint {
  if (reserve === 0n || fee > reserve) return 0n
  const x = (checkedUint128(reserve + fee) << GROWTH_BITS) / reserve - GROWTH_ONE
  if (x >= GROWTH_ONE) throw new PoolRefusal('TOO_LARGE', 'a fee as large as the reserve')
  return (x >> 1n) - (((x * x) >> GROWTH_BITS) >> 3n)
}
