/** Math of Camelot V2 pairs: the curve of Uniswap V2 or the stable curve of Solidly, with a fee for each direction. */
import { PoolRefusal } from '../../family.ts'
import { quoteSolidly, solveSolidly } from '../../math/solidly.ts'
import { quote as quoteProduct } from '../uniswap-v2/math.ts'

/** State of a pair. */
export type CamelotV2State = {
  /** Base units of the first token. */
  readonly reserve0: bigint
  /** Base units of the second token. */
  readonly reserve1: bigint
  /** Base units per whole first token: 10^decimals. */
  readonly unit0: bigint
  /** Base units per whole second token. */
  readonly unit1: bigint
  /** True for the stable curve, false for a volatile pair. */
  readonly stable: boolean
  /** Fee in ppm on inputs of the first token. */
  readonly fee0Ppm: number
  /** Fee in ppm on inputs of the second token. */
  readonly fee1Ppm: number
  /**
   * Set after a quoted swap in a stable pair. The reserves are then unknown, because the pair sends away an unknown
   * part of the fee.
   */
  readonly unsettled?: true
}

/** Returns the fee of a direction in ppm. */
export const feeOf = ({ fee0Ppm, fee1Ppm }: CamelotV2State, zeroForOne: boolean): number =>
  zeroForOne ? fee0Ppm : fee1Ppm

/**
 * Quotes an exact input, rounded down.
 *
 * @throws PoolRefusal like the quotes of Uniswap V2 and Solidly, and `UNSUPPORTED` for a second swap in a stable pair
 * @see CamelotPair._getAmountOut, CamelotLabs/core
 */
export function quote(
  state: CamelotV2State,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: CamelotV2State } {
  if (state.unsettled) throw new PoolRefusal('UNSUPPORTED', 'it is unknown how much of the fee has left the pair')
  const directedState = { ...state, feePpm: feeOf(state, zeroForOne) }
  if (!state.stable) {
    const { amountOut, state: stateAfter } = quoteProduct(directedState, zeroForOne, amountIn)
    return { amountOut, state: { ...state, reserve0: stateAfter.reserve0, reserve1: stateAfter.reserve1 } }
  }
  const { amountOut } = quoteSolidly(directedState, zeroForOne, amountIn, solveSolidly)
  return { amountOut, state: { ...state, unsettled: true } }
}
