/** Pools near their price: all that is needed of one by who looks at a hundred thousand of them, without curves being made. */
import { FLOAT_PPM } from '@sluice/chains'
import type { PairOutline, PriceCurve } from '../family.ts'
import { type ConcentratedState, lastTickAtOrBelow, type Tick } from './concentrated.ts'

/**
 * Liquidity behind the last tick that is known, as a part of the most that there is anywhere: more is no rounding error, but goes on as
 * curves have it.
 */
const OPEN = 1e-9
/** One, in prices with 96 fractional bits. */
const Q96 = 2 ** 96

/** @param band - part by which the price is moved, to either side */
export function outlineOfCurves(
  sell: PriceCurve,
  buy: PriceCurve,
  { firstHeld, secondHeld }: Pick<PairOutline, 'firstHeld' | 'secondHeld'>,
  band: number,
): PairOutline {
  return {
    price: sell.sqrtPrice[0]! ** 2,
    fee: Math.max(keptBy(sell), keptBy(buy)),
    firstNear: outputDownTo(buy, rootOfBand(buy.sqrtPrice[0]!, band)),
    secondNear: outputDownTo(sell, rootOfBand(sell.sqrtPrice[0]!, band)),
    firstHeld,
    secondHeld,
  }
}

/** Share of a swap that the pool keeps. */
const keptBy = ({ keepIn, keepOut }: PriceCurve) => 1 - keepIn * keepOut

/** @param end - root of the price at which selling ends */
export function outputDownTo({ sqrtPrice, liquidity }: PriceCurve, end: number): number {
  let output = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++)
    output += liquidity[k]! * (sqrtPrice[k]! - Math.max(sqrtPrice[k + 1]!, end))
  return output
}

/** x·y = k. */
export function constantProductOutline(first: bigint, second: bigint, feePpm: number, band: number): PairOutline {
  const [firstHeld, secondHeld] = [Number(first), Number(second)]
  const near = 1 - rootOfBand(1, band)
  return {
    price: firstHeld > 0 ? secondHeld / firstHeld : 0,
    fee: feePpm / FLOAT_PPM,
    firstNear: firstHeld * near,
    secondNear: secondHeld * near,
    firstHeld,
    secondHeld,
  }
}

/** @param feePpm - of the direction in which it is more */
export function concentratedOutline(state: ConcentratedState, feePpm: number, band: number): PairOutline {
  const start = Number(state.sqrtPriceX96) / Q96
  const inRange = Number(state.liquidity)
  const { ticks } = state
  const below = lastTickAtOrBelow(ticks, state.tick)
  const [fee, price] = [feePpm / FLOAT_PPM, start ** 2]
  if (start === 0) return { price, fee, firstNear: 0, secondNear: 0, firstHeld: 0, secondHeld: 0 }
  walk(ticks, below, -1, start, inRange, band)
  const [secondNear, secondHeld] = [walked.near, walked.whole]
  walk(ticks, below + 1, 1, 1 / start, inRange, band)
  return { price, fee, firstNear: walked.near, secondNear, firstHeld: walked.whole, secondHeld }
}

/** Reused: a walk makes no garbage. */
const walked = { near: 0, whole: 0 }

/**
 * Sells into a pool as far as its ticks go. Liquidity is added up as floats, which may be off by rounding errors of the most
 * that there is anywhere; exact integers take most of the time of a look at many pools.
 */
function walk(ticks: readonly Tick[], from: number, step: 1 | -1, start: number, inRange: number, band: number): void {
  const end = rootOfBand(start, band)
  let root = start
  let liquidity = inRange
  let most = inRange
  let near = 0
  let whole = 0
  for (let i = from; i >= 0 && i < ticks.length; i += step) {
    const tick = ticks[i]!
    const to = Math.min(1.0001 ** ((-step * tick[0]) / 2), root)
    if (liquidity > 0) {
      whole += liquidity * (root - to)
      if (root > end) near += liquidity * (root - Math.max(to, end))
    }
    liquidity += step * Number(tick[1])
    if (liquidity > most) most = liquidity
    root = to
  }
  if (liquidity > OPEN * most) {
    whole += liquidity * root
    if (root > end) near += liquidity * (root - end)
  }
  walked.near = near
  walked.whole = whole
}

const rootOfBand = (root: number, band: number) => root * Math.sqrt(1 - band)
