/**
 * Exact math of Echodex pairs: x·y = k, with a fee on the output. Checked against EchodexPair of
 * echodex-io/echodex-contracts at 9ce99f5.
 */
import { PoolRefusal } from '../../family.ts'
import { inputFor as inputForProduct, maxInput as maxProductInput, quote as quoteProduct } from '../uniswap-v2/math.ts'

/** State of a pair. */
export type EchodexState = {
  /** Base units of the first token, below 2^112. */
  readonly reserve0: bigint
  /** Base units of the second token, below 2^112. */
  readonly reserve1: bigint
  /**
   * Index of the factory's fee token; null if the pair does not trade it. The pair holds fees in this token in addition
   * to its reserve.
   */
  readonly feeToken: 0 | 1 | null
}

/** Fee on the output, in units of 1 / `FEE_UNIT`. */
const FEE = 30n
const FEE_UNIT = 10_000n
/** Fraction of the output that remains after the fee. */
export const KEEP_OUT = 0.997
/** Fee on the output in ppm. */
export const FEE_PPM = 3_000

/** Returns the state of a Uniswap V2 pair with these reserves and no fee. */
const withoutFee = ({ reserve0, reserve1 }: EchodexState) => ({ reserve0, reserve1, feePpm: 0 })

/**
 * True if the input is the fee token. The contract computes the input from the pair's balance, so it would count the
 * fees that the pair holds as input. Such swaps are not quoted.
 */
const countsHeldFees = ({ feeToken }: EchodexState, zeroForOne: boolean): boolean => feeToken === (zeroForOne ? 0 : 1)

/** Quotes an exact input. @throws PoolRefusal like Uniswap V2, and `UNSUPPORTED` for an input in the fee token */
export function quote(
  state: EchodexState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: EchodexState } {
  if (countsHeldFees(state, zeroForOne))
    throw new PoolRefusal('UNSUPPORTED', 'the pair holds fees in this token in addition to its reserve')
  const { amountOut, state: newState } = quoteProduct(withoutFee(state), zeroForOne, amountIn)
  const { reserve0, reserve1 } = newState
  return { amountOut: amountOut - (amountOut * FEE) / FEE_UNIT, state: { ...state, reserve0, reserve1 } }
}

/** Returns the largest input that `quote` accepts. */
export const maxInput = (state: EchodexState, zeroForOne: boolean): bigint =>
  countsHeldFees(state, zeroForOne) ? 0n : maxProductInput(withoutFee(state), zeroForOne)

/** Returns the minimum input that buys an output; null if the pair holds less, or if the input is the fee token. */
export function inputFor(state: EchodexState, zeroForOne: boolean, amountOut: bigint): bigint | null {
  if (countsHeldFees(state, zeroForOne)) return null
  // Find the smallest output before the fee from which `amountOut` remains. The contract rounds the fee down.
  const grossOutput = ((amountOut - 1n) * FEE_UNIT) / (FEE_UNIT - FEE) + 1n
  return inputForProduct(withoutFee(state), zeroForOne, grossOutput)
}
