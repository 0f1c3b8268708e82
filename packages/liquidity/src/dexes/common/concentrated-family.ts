import { type DexFamily, PoolRefusal } from '../../family.ts'
import {
  type ConcentratedState,
  type ConcentratedSwap,
  inputForOutput,
  lastTickAtOrBelow,
  maxConcentratedInput,
  type StepEnd,
  swapExactInput,
  wordEnd,
} from '../../math/concentrated.ts'
import { endingAt } from '../../math/curve-end.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedOutline } from '../../math/outline.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from './direction.ts'
import { type GasFamily, HOP_GAS, PIECE_GAS } from './gas.ts'

/** Differences of a family's pools from those of uniswap-v3. */
export type ConcentratedKind<State> = {
  readonly stepEnd?: StepEnd
  /** Parts per million that a swap in this direction pays in all. */
  readonly swapFeePpm?: (state: State, zeroForOne: boolean) => number
  /** The largest amount that a pool can state; any when absent. */
  readonly maxAmount?: bigint
  /** False of pools that keep no observations, or write one whether the tick moves or not. */
  readonly observesTicks?: boolean
}

/**
 * Gas of a bitmap word without a tick, of that of a tick crossed: a cold slot and a step of the loop, some 5,000 of 30,000.
 * Fitted to trades that walk up to 3,400 words of pools on the real state of Ethereum.
 */
const WORD_PART = 0.16

/** Ticks crossed that a swap tells one by one: those next to the price, which other swaps cross too. */
const MOST_TICKS_TOLD = 8

/** The common part of pools with ticks that ask for their payment in a callback. */
export function concentratedTrade<State extends ConcentratedState>(
  id: GasFamily,
  {
    stepEnd = wordEnd,
    swapFeePpm = ({ feePpm }) => feePpm,
    maxAmount,
    observesTicks = true,
  }: ConcentratedKind<State> = {},
): Pick<
  DexFamily<State>,
  | 'quoteExactInput'
  | 'inputFor'
  | 'maxInput'
  | 'priceCurve'
  | 'outline'
  | 'reserves'
  | 'oracleGas'
  | 'takesTaxedInput'
  | 'step'
> {
  return {
    quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const feePpm = swapFeePpm(pool.state, zeroForOne)
      if (maxAmount !== undefined && amountIn > maxAmount)
        throw new PoolRefusal('TOO_LARGE', `more than ${maxAmount}, the largest amount of its pools`)
      const swapped = swapExactInput(pool.state, feePpm, zeroForOne, amountIn, stepEnd)
      const { amountOut, state, ticksCrossed, wordsWalked } = swapped
      const gas = HOP_GAS[id] + PIECE_GAS[id] * (ticksCrossed + WORD_PART * wordsWalked)
      const writes = ticksWritten(pool.state, swapped, zeroForOne)
      if (observesTicks && state.tick !== pool.state.tick) writes.push('oracle')
      return writes.length > 0 ? { amountOut, state, gas, writes } : { amountOut, state, gas }
    },
    inputFor(pool, tokenIn, tokenOut, amountOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      return inputForOutput(pool.state, swapFeePpm(pool.state, zeroForOne), zeroForOne, amountOut)
    },
    maxInput(pool, tokenIn, tokenOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const largest = maxConcentratedInput(pool.state, swapFeePpm(pool.state, zeroForOne), zeroForOne, stepEnd)
      return maxAmount !== undefined && (largest === null || largest > maxAmount) ? maxAmount : largest
    },
    priceCurve(pool, tokenIn, tokenOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const withFee = { ...pool.state, feePpm: swapFeePpm(pool.state, zeroForOne) }
      const curve = endingAt(concentratedCurve(withFee, zeroForOne, stepEnd), maxAmount ?? null)
      return { ...curve, gasPerPiece: PIECE_GAS[id] }
    },
    outline({ state }, band) {
      return concentratedOutline(state, Math.max(swapFeePpm(state, true), swapFeePpm(state, false)), band)
    },
    reserves: ({ state }) => concentratedReserves(state),
    // One observation: 5,900 to 6,400 by its place.
    oracleGas: 6_100,
    takesTaxedInput: false,
    step: (pool, tokenIn, tokenOut, input, output) => ({
      op: 'uniswap-v3',
      pool: pool.address,
      zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
      tokenIn,
      input,
      output,
    }),
  }
}

function ticksWritten<State extends ConcentratedState>(
  { ticks, tick }: State,
  { ticksCrossed }: ConcentratedSwap<State>,
  zeroForOne: boolean,
): string[] {
  const written: string[] = []
  if (ticksCrossed === 0) return written
  const below = lastTickAtOrBelow(ticks, tick)
  for (let k = 0; k < ticksCrossed && k < MOST_TICKS_TOLD; k++)
    written.push(`tick ${ticks[zeroForOne ? below - k : below + 1 + k]![0]}`)
  return written
}
