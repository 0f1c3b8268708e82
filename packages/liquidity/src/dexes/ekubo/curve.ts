/** A pool of Ekubo as the float search sees it, and what it holds. */
import type { PriceCurve } from '../../family.ts'
import type { EkuboConfig } from './config.ts'
import { amount0Between, amount1Between } from './math.ts'
import { MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, ratioAtTick } from './ratio.ts'
import type { EkuboState } from './types.ts'

const ONE = 2 ** 128
const ALL_OF_FEE = 2 ** 64

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
  const rising = partsOf(state, config)
  const ratioOf = (ratio: bigint) => (zeroForOne ? Number(ratio) / ONE : ONE / Number(ratio))
  const sqrtPrice = [ratioOf(state.sqrtRatio)]
  const liquidity: number[] = []
  const add = (to: number, amount: bigint) => {
    const from = sqrtPrice.at(-1)!
    if (to >= from) return
    liquidity.push(Number(amount))
    sqrtPrice.push(to)
  }
  for (const part of zeroForOne ? rising.toReversed() : rising) {
    const [near, far] = zeroForOne ? [part.upper, part.lower] : [part.lower, part.upper]
    add(ratioOf(ratioAtTick(near)), 0n)
    add(ratioOf(ratioAtTick(far)), part.liquidity)
  }
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn, keepOut: 1 }
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
