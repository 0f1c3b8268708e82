/** Computes the reserves of a concentrated-liquidity pool, and the pool's state after a position changes. */
import {
  amount0Between,
  amount1Between,
  type ConcentratedState,
  lastIndexAtOrBelow,
  type Tick,
} from './concentrated.ts'
import { sqrtRatioAtTick } from './ticks.ts'

/**
 * Returns the base units of both tokens in all positions, without fees, rounded down. Positions hold token 1 at prices
 * below the current price, and token 0 above it.
 */
export function concentratedReserves({ sqrtPriceX96, ticks }: ConcentratedState): [amount0: bigint, amount1: bigint] {
  let amount0 = 0n
  let amount1 = 0n
  let liquidity = 0n
  let lower = 0n
  for (const [tick, liquidityNet] of ticks) {
    const upper = sqrtRatioAtTick(tick)
    if (liquidity > 0n) {
      const middle = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
      amount1 += amount1Between(lower, middle, liquidity, false)
      amount0 += amount0Between(middle, upper, liquidity, false)
    }
    liquidity += liquidityNet
    lower = upper
  }
  return [amount0, amount1]
}

/**
 * Returns the state after liquidity was added to or removed from the position between two ticks.
 *
 * @param liquidityDelta - added liquidity; negative if removed
 * @returns null if the state lacks a tick of the position or its gross liquidity, so that the pool must be read again
 */
export function changeLiquidity<State extends Pick<ConcentratedState, 'tick' | 'liquidity' | 'ticks'>>(
  state: State,
  tickLower: number,
  tickUpper: number,
  liquidityDelta: bigint,
): State | null {
  if (liquidityDelta === 0n) return state
  const ticksWithLower = changeTick(state.ticks, tickLower, liquidityDelta, liquidityDelta)
  const ticks = ticksWithLower && changeTick(ticksWithLower, tickUpper, -liquidityDelta, liquidityDelta)
  if (!ticks) return null
  const isInRange = tickLower <= state.tick && state.tick < tickUpper
  return { ...state, ticks, liquidity: isInRange ? state.liquidity + liquidityDelta : state.liquidity }
}

/** Returns the ticks after the liquidity of one tick changed; null as in `changeLiquidity`. */
function changeTick(
  ticks: readonly Tick[],
  tick: number,
  netChange: bigint,
  grossChange: bigint,
): readonly Tick[] | null {
  const tickIndex = lastIndexAtOrBelow(ticks, tick)
  const existingTick = ticks[tickIndex]
  if (existingTick?.[0] !== tick)
    return grossChange > 0n ? ticks.toSpliced(tickIndex + 1, 0, [tick, netChange, grossChange]) : null
  const [, netBefore, grossBefore] = existingTick
  if (grossBefore === undefined || grossBefore + grossChange < 0n) return null
  // A tick without liquidity is no longer initialized.
  if (grossBefore + grossChange === 0n) return ticks.toSpliced(tickIndex, 1)
  return ticks.with(tickIndex, [tick, netBefore + netChange, grossBefore + grossChange])
}
