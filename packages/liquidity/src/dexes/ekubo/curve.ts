/** A pool of Ekubo as the float search sees it, and what it holds. */
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { endingAt, withMargin } from '../../math/curve-end.ts'
import { emptyCurve } from '../../math/curves.ts'
import { outputDownTo } from '../../math/outline.ts'
import type { EkuboConfig } from './config.ts'
import { amount0Between, amount1Between, farthestTick, MAX_AMOUNT, maxInput } from './math.ts'
import { MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, ratioAtTick } from './ratio.ts'
import type { EkuboState } from './types.ts'

const ONE = 2 ** 128
const ALL_OF_FEE = 2 ** 64

/** Base units of output that the roundings of all steps may take. */
const THIN = 10_000

/** Liquidity between two ticks. */
type Part = { readonly lower: number; readonly upper: number; readonly liquidity: bigint }

/** Parts with liquidity, rising. */
function partsOf(
  { liquidity, ticks, known = [MIN_TICK, MAX_TICK], tick }: EkuboState,
  { kind }: EkuboConfig,
): readonly Part[] {
  if (kind.name === 'range') return liquidity > 0n ? [{ lower: kind.lower, upper: kind.upper, liquidity }] : []
  // Where not all ticks are known, the liquidity at the price says what lies below the first of them.
  let current = ticks.reduce((rest, [index, net]) => (index <= tick ? rest - net : rest), liquidity)
  let lower = Math.max(MIN_TICK, known[0])
  const parts: Part[] = []
  for (const [index, net] of [...ticks, [Math.min(MAX_TICK, known[1]), 0n] as const]) {
    if (current > 0n && index > lower) parts.push({ lower, upper: index, liquidity: current })
    current += net
    lower = index
  }
  return parts
}

/** One piece for each part in the direction of the trade, with pieces without liquidity where there is none between two. */
export function curveOf(state: EkuboState, config: EkuboConfig, zeroForOne: boolean): PriceCurve {
  const keepIn = 1 - Number(config.fee) / ALL_OF_FEE
  const farthest = ratioAtTick(farthestTick(state, config.kind, zeroForOne))
  const isNearer = (a: bigint, b: bigint) => (zeroForOne ? a > b : a < b)
  const sqrtPriceAt = (ratio: bigint) => (zeroForOne ? Number(ratio) / ONE : ONE / Number(ratio))
  const builder = new CurveBuilder()
  let at = state.sqrtRatio
  const rising = partsOf(state, config)
  for (const { lower, upper, liquidity } of zeroForOne ? rising.toReversed() : rising) {
    const near = ratioAtTick(zeroForOne ? upper : lower)
    const end = ratioAtTick(zeroForOne ? lower : upper)
    const from = isNearer(at, near) ? near : at
    const to = isNearer(end, farthest) ? end : farthest
    if (!isNearer(from, to)) continue
    const input = zeroForOne ? amount0Between(to, from, liquidity, true) : amount1Between(from, to, liquidity, true)
    builder.hyperbola(sqrtPriceAt(from), sqrtPriceAt(to), Number(liquidity), Number(input))
    at = to
  }
  const curve = endingAt(withMargin(builder.build(keepIn)), MAX_AMOUNT)
  // Liquidity so thin that roundings take all that it buys.
  const isThin = outputDownTo(curve, 0) < THIN && maxInput(state, config, zeroForOne) === 0n
  return isThin ? emptyCurve(keepIn) : curve
}

/** Base units that the positions hold, fees aside: token 1 below the price, token 0 above it. */
export function reservesOf(state: EkuboState, config: EkuboConfig): readonly [bigint, bigint] {
  const within = (lower: bigint, upper: bigint) =>
    state.sqrtRatio < lower ? lower : state.sqrtRatio > upper ? upper : state.sqrtRatio
  let held: readonly [bigint, bigint] = [0n, 0n]
  for (const { lower, upper, liquidity } of partsOf(state, config)) {
    const [bottom, top] = [
      lower === MIN_TICK ? MIN_RATIO : ratioAtTick(lower),
      upper === MAX_TICK ? MAX_RATIO : ratioAtTick(upper),
    ]
    const middle = within(bottom, top)
    held = [
      held[0] + amount0Between(middle, top, liquidity, false),
      held[1] + amount1Between(bottom, middle, liquidity, false),
    ]
  }
  return held
}
