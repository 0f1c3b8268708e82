/** Pairs of camelot-v2: those of uniswap-v2 or of solidly's stable curve, with a fee for each token that comes in. */
import { PoolRefusal } from '../../family.ts'
import { quoteSolidly, solveSolidly } from '../../math/solidly.ts'
import { quote as quoteProduct } from '../uniswap-v2/math.ts'

export type CamelotV2State = {
  /** Base units of the pair's first token. */
  readonly reserve0: bigint
  /** Base units of the pair's second token. */
  readonly reserve1: bigint
  /** Base units in a whole token: 10^decimals. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly stable: boolean
  /** Parts per million of what comes in of the first token. */
  readonly fee0Ppm: number
  /** Parts per million of what comes in of the second token. */
  readonly fee1Ppm: number
  /** After a swap of a stable pair, a part of whose fee leaves it. */
  readonly unsettled?: true
}

export const feeOf = ({ fee0Ppm, fee1Ppm }: CamelotV2State, zeroForOne: boolean): number =>
  zeroForOne ? fee0Ppm : fee1Ppm

/**
 * The output of an exact input, rounded down.
 *
 * @throws PoolRefusal as pairs of both kinds do, and `UNSUPPORTED` for a second swap in a stable pair
 * @see CamelotPair._getAmountOut, CamelotLabs/core
 */
export function quote(
  state: CamelotV2State,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: CamelotV2State } {
  if (state.unsettled) throw new PoolRefusal('UNSUPPORTED', 'how much of the fee has left the pair is not known')
  const one = { ...state, feePpm: feeOf(state, zeroForOne) }
  if (!state.stable) {
    const { amountOut, state: after } = quoteProduct(one, zeroForOne, amountIn)
    return { amountOut, state: { ...state, reserve0: after.reserve0, reserve1: after.reserve1 } }
  }
  const { amountOut } = quoteSolidly(one, zeroForOne, amountIn, solveSolidly)
  return { amountOut, state: { ...state, unsettled: true } }
}
