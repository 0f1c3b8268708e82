/** Builds the functions that families of pools with ticks share: quotes, price curves, and program steps. */
import { type DexFamily, type Pool, PoolRefusal } from '../../family.ts'
import {
  type ConcentratedState,
  type ConcentratedSwap,
  inputForOutput,
  lastIndexAtOrBelow,
  maxConcentratedInput,
  type StepEnd,
  swapExactInput,
  wordEnd,
} from '../../math/concentrated.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedOutline } from '../../math/outline.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { pathOfTicks, withConsistentState } from './consistent-state.ts'
import { isZeroForOne } from './direction.ts'
import { type GasFamily, HOP_GAS, PIECE_GAS } from './gas.ts'
import { poolStep } from './pool-step.ts'

/** Differences between a family's pools and those of uniswap-v3. */
export type ConcentratedKind<State> = {
  /**
   * Returns the tick at which a step ends if no initialized tick comes before it. Default: the end of the bitmap word.
   */
  readonly stepEnd?: StepEnd
  /** Returns the total fee of a swap in ppm. Default: `feePpm` of the state. */
  readonly swapFeePpm?: (state: State, zeroForOne: boolean) => number
  /** Largest input that the contract accepts, in base units. Absent: unlimited. */
  readonly maxAmount?: bigint
  /** True if a swap writes an oracle only if it changes the tick. False without such an oracle. Default: true. */
  readonly observesTicks?: boolean
  /** True for pools whose first swap in a block writes an oracle even if the tick does not change. */
  readonly observesBlocks?: (state: State) => boolean
  /** False if a swap only reads the ticks that it crosses. Default: true. */
  readonly writesCrossedTicks?: boolean
  /** Gas of an empty bitmap word, divided by the gas of a crossed tick. Default: WORD_GAS_RATIO. */
  readonly wordGasRatio?: number
}

/**
 * Gas to walk an empty bitmap word, divided by the gas to cross a tick. A word takes about 5,000 gas, for a cold slot
 * and a loop iteration. A tick takes about 30,000 gas. Fitted to trades over up to 3,400 words in the state of
 * Ethereum.
 */
const WORD_GAS_RATIO = 0.16

/** Maximum crossed ticks in `HopQuote.writtenSlots`. Another swap probably crosses only the ticks next to the price. */
const MAX_REPORTED_TICKS = 8

/** Returns the functions of a family of pools with ticks that request their payment in a callback, like uniswap-v3. */
export function concentratedTrade<State extends ConcentratedState>(
  id: GasFamily,
  {
    stepEnd = wordEnd,
    swapFeePpm = ({ feePpm }) => feePpm,
    maxAmount,
    observesTicks = true,
    observesBlocks = () => false,
    writesCrossedTicks = true,
    wordGasRatio = WORD_GAS_RATIO,
  }: ConcentratedKind<State> = {},
) {
  const functions = {
    quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const feePpm = swapFeePpm(pool.state, zeroForOne)
      if (maxAmount !== undefined && amountIn > maxAmount)
        throw new PoolRefusal('TOO_LARGE', `more than ${maxAmount}, the largest input of the contract`)
      const swapResult = swapExactInput(pool.state, feePpm, zeroForOne, amountIn, stepEnd)
      const { amountOut, state, ticksCrossed, wordsWalked } = swapResult
      const gas = HOP_GAS[id] + PIECE_GAS[id] * (ticksCrossed + wordGasRatio * wordsWalked)
      const writtenSlots = writesCrossedTicks ? writtenTickSlots(pool.state, swapResult, zeroForOne) : []
      if ((observesTicks && state.tick !== pool.state.tick) || observesBlocks(pool.state)) writtenSlots.push('oracle')
      return writtenSlots.length > 0 ? { amountOut, state, gas, writtenSlots } : { amountOut, state, gas }
    },
    inputFor(pool, tokenIn, tokenOut, amountOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      return inputForOutput(pool.state, swapFeePpm(pool.state, zeroForOne), zeroForOne, amountOut)
    },
    maxInput(pool, tokenIn, tokenOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const largestInput = maxConcentratedInput(pool.state, swapFeePpm(pool.state, zeroForOne), zeroForOne, stepEnd)
      return maxAmount !== undefined && (largestInput === null || largestInput > maxAmount) ? maxAmount : largestInput
    },
    priceCurve(pool, tokenIn, tokenOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const stateWithFee = { ...pool.state, feePpm: swapFeePpm(pool.state, zeroForOne) }
      const curve = endCurveAt(concentratedCurve(stateWithFee, zeroForOne, stepEnd), maxAmount ?? null)
      return { ...curve, gasPerPiece: PIECE_GAS[id] }
    },
    outline({ state }, priceBand) {
      return concentratedOutline(state, Math.max(swapFeePpm(state, true), swapFeePpm(state, false)), priceBand)
    },
    reserves: ({ state }) => concentratedReserves(state),
    // One observation takes 5,900 to 6,400 gas, depending on the old value of its slot.
    oracleGas: 6_100,
    takesTaxedInput: false,
    step: poolStep<State>('uniswap-v3'),
  } satisfies Partial<DexFamily<State>>
  return withConsistentState(functions, ({ state }: Pool<State>) =>
    pathOfTicks(state.liquidity, state.tick, state.ticks),
  )
}

/** Returns the keys of the crossed ticks for `HopQuote.writtenSlots`, nearest first. */
function writtenTickSlots<State extends ConcentratedState>(
  { ticks, tick }: State,
  { ticksCrossed }: ConcentratedSwap<State>,
  zeroForOne: boolean,
): string[] {
  const writtenSlots: string[] = []
  if (ticksCrossed === 0) return writtenSlots
  const lastBelow = lastIndexAtOrBelow(ticks, tick)
  for (let k = 0; k < ticksCrossed && k < MAX_REPORTED_TICKS; k++)
    writtenSlots.push(`tick ${ticks[zeroForOne ? lastBelow - k : lastBelow + 1 + k]![0]}`)
  return writtenSlots
}
