/** Pools as the float search sees them. Floats never leave the search: amounts are settled in integers. */
import type { Curve } from '../family.ts'
import { type ConcentratedState, lastTickAtOrBelow } from './concentrated.ts'
import { MAX_TICK, MIN_TICK } from './ticks.ts'

const Q96 = 2 ** 96
const EMPTY = new Float64Array()

const emptyCurve = (keepIn: number): Curve => ({ sqrtPrice: new Float64Array(1), liquidity: EMPTY, keepIn, keepOut: 1 })

/** x·y = k: one piece that ends at a price of 0. */
export function constantProductCurve(reserveIn: bigint, reserveOut: bigint, feePpm: number): Curve {
  const keepIn = 1 - feePpm / 1e6
  if (reserveIn === 0n || reserveOut === 0n) return emptyCurve(keepIn)
  const x = Number(reserveIn)
  const y = Number(reserveOut)
  return {
    sqrtPrice: Float64Array.of(Math.sqrt(y / x), 0),
    liquidity: Float64Array.of(Math.sqrt(x) * Math.sqrt(y)),
    keepIn,
    keepOut: 1,
  }
}

/** One piece between each two initialised ticks in the direction of the trade; gaps have liquidity 0. */
export function concentratedCurve(state: ConcentratedState, zeroForOne: boolean): Curve {
  const keepIn = 1 - state.feePpm / 1e6
  if (state.sqrtPriceX96 === 0n) return emptyCurve(keepIn)
  const sqrtPriceAt = (tick: number) => 1.0001 ** ((zeroForOne ? tick : -tick) / 2)
  const start = Number(state.sqrtPriceX96) / Q96
  const sqrtPrice = [zeroForOne ? start : 1 / start]
  const liquidity: number[] = []
  const { ticks } = state
  let inRange = state.liquidity
  const add = (to: number) => {
    const last = sqrtPrice.at(-1)!
    // A price that stands on a tick may lie a rounding error beyond it.
    sqrtPrice.push(Math.min(to, last))
    liquidity.push(Number(inRange))
  }
  const step = zeroForOne ? -1 : 1
  let i = lastTickAtOrBelow(ticks, state.tick) + (zeroForOne ? 0 : 1)
  for (let tick = ticks[i]; tick !== undefined; i += step, tick = ticks[i]) {
    if (tick[1] === 0n) continue
    add(sqrtPriceAt(tick[0]))
    inRange += zeroForOne ? -tick[1] : tick[1]
  }
  if (inRange > 0n) add(sqrtPriceAt(zeroForOne ? MIN_TICK : MAX_TICK))
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn, keepOut: 1 }
}
