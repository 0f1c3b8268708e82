/** Computes price curves and reserves of Ekubo pools. */
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { applyEndMargin, endCurveAt } from '../../math/curve-end.ts'
import { emptyCurve } from '../../math/curves.ts'
import { outputDownTo } from '../../math/outline.ts'
import type { EkuboConfig } from './config.ts'
import { amount0Between, amount1Between, farthestTick, MAX_AMOUNT, maxInput } from './math.ts'
import { MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, ratioAtTick } from './ratio.ts'
import type { EkuboState } from './types.ts'

/** Fixed-point one of √prices. */
const ONE = 2 ** 128
/** Fixed-point one of fees. */
const FEE_ONE = 2 ** 64

/** Total output of a curve, in base units, below which rounding may consume the whole output. */
const MIN_OUTPUT = 10_000

/**
 * Minimum relative fall of √price along a piece that is built from its two prices. A piece with a smaller fall is built
 * from its input. The contract rounds inputs up, which matters for such small pieces.
 */
const WIDE_FALL = 1e-3

/** Range of ticks with constant liquidity. */
type LiquidityRange = { readonly lower: number; readonly upper: number; readonly liquidity: bigint }

/** Returns the ranges with liquidity, ascending. */
function rangesOf(
  { liquidity, ticks, known = [MIN_TICK, MAX_TICK], tick }: EkuboState,
  { kind }: EkuboConfig,
): readonly LiquidityRange[] {
  if (kind.name === 'range') return liquidity > 0n ? [{ lower: kind.lower, upper: kind.upper, liquidity }] : []
  // Compute the liquidity below the first known tick from the liquidity at the price, because lower ticks may be
  // unknown.
  let currentLiquidity = ticks.reduce(
    (liquidityBelow, [initializedTick, net]) => (initializedTick <= tick ? liquidityBelow - net : liquidityBelow),
    liquidity,
  )
  let lower = Math.max(MIN_TICK, known[0])
  const ranges: LiquidityRange[] = []
  for (const [upper, net] of [...ticks, [Math.min(MAX_TICK, known[1]), 0n] as const]) {
    if (currentLiquidity > 0n && upper > lower) ranges.push({ lower, upper, liquidity: currentLiquidity })
    currentLiquidity += net
    lower = upper
  }
  return ranges
}

/** Returns a curve with one piece per liquidity range in the trade direction. Between ranges, the liquidity is 0. */
export function curveOf(state: EkuboState, config: EkuboConfig, zeroForOne: boolean): PriceCurve {
  const keepIn = 1 - Number(config.fee) / FEE_ONE
  const farthestRatio = ratioAtTick(farthestTick(state, config.kind, zeroForOne))
  const isNearer = (a: bigint, b: bigint) => (zeroForOne ? a > b : a < b)
  const sqrtPriceAt = (ratio: bigint) => (zeroForOne ? Number(ratio) / ONE : ONE / Number(ratio))
  const builder = new CurveBuilder()
  let sqrtRatio = state.sqrtRatio
  const ranges = rangesOf(state, config)
  for (const { lower, upper, liquidity } of zeroForOne ? ranges.toReversed() : ranges) {
    const nearRatio = ratioAtTick(zeroForOne ? upper : lower)
    const rangeEndRatio = ratioAtTick(zeroForOne ? lower : upper)
    const startRatio = isNearer(sqrtRatio, nearRatio) ? nearRatio : sqrtRatio
    const endRatio = isNearer(rangeEndRatio, farthestRatio) ? rangeEndRatio : farthestRatio
    if (!isNearer(startRatio, endRatio)) continue
    const input = zeroForOne
      ? amount0Between(endRatio, startRatio, liquidity, true)
      : amount1Between(startRatio, endRatio, liquidity, true)
    const [startSqrtPrice, endSqrtPrice] = [sqrtPriceAt(startRatio), sqrtPriceAt(endRatio)]
    builder.addHyperbola(
      startSqrtPrice,
      endSqrtPrice,
      Number(liquidity),
      endSqrtPrice < startSqrtPrice * (1 - WIDE_FALL) ? undefined : Number(input),
    )
    sqrtRatio = endRatio
  }
  const curve = endCurveAt(applyEndMargin(builder.build(keepIn)), MAX_AMOUNT)
  // With very little liquidity, rounding can consume the whole output of every input.
  const isThin = outputDownTo(curve, 0) < MIN_OUTPUT && maxInput(state, config, zeroForOne) === 0n
  return isThin ? emptyCurve(keepIn) : curve
}

/** Returns the base units of both tokens in all positions, without fees. */
export function reservesOf(state: EkuboState, config: EkuboConfig): readonly [reserve0: bigint, reserve1: bigint] {
  const clampRatio = (lower: bigint, upper: bigint) =>
    state.sqrtRatio < lower ? lower : state.sqrtRatio > upper ? upper : state.sqrtRatio
  let reserves: readonly [bigint, bigint] = [0n, 0n]
  for (const { lower, upper, liquidity } of rangesOf(state, config)) {
    const [bottom, top] = [
      lower === MIN_TICK ? MIN_RATIO : ratioAtTick(lower),
      upper === MAX_TICK ? MAX_RATIO : ratioAtTick(upper),
    ]
    const middle = clampRatio(bottom, top)
    reserves = [
      reserves[0] + amount0Between(middle, top, liquidity, false),
      reserves[1] + amount1Between(bottom, middle, liquidity, false),
    ]
  }
  return reserves
}
