/** Exact math of Uniswap V2 pairs. */
import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../../family.ts'
import { divUp } from '../../math/integers.ts'
import type { UniswapV2State } from './types.ts'

/** Exclusive upper bound of reserves, which the pair stores as uint112. */
const RESERVE_LIMIT = 1n << 112n

/**
 * Quotes an exact input, rounded down.
 *
 * @param amountIn - base units that the pair receives, after any transfer tax of the token
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` for no output, `TOO_LARGE` if the reserve would overflow
 * @see UniswapV2Library.getAmountOut and UniswapV2Pair.swap, Uniswap/v2-periphery and v2-core
 */
export function quote(
  { reserve0, reserve1, feePpm }: UniswapV2State,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: UniswapV2State } {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  if (reserveIn === 0n || reserveOut === 0n)
    throw new PoolRefusal('EMPTY', `the pair holds ${reserve0} and ${reserve1}`)
  if (reserveIn + amountIn >= RESERVE_LIMIT) throw new PoolRefusal('TOO_LARGE', 'the reserve would exceed 112 bits')
  const netIn = amountIn * (PPM - BigInt(feePpm))
  const amountOut = (netIn * reserveOut) / (reserveIn * PPM + netIn)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return {
    amountOut,
    state: zeroForOne
      ? { reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut, feePpm }
      : { reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn, feePpm },
  }
}

/**
 * Returns the largest input that `quote` accepts: it fills the input reserve up to its maximum. 0 if none is accepted.
 */
export function maxInput({ reserve0, reserve1, feePpm }: UniswapV2State, zeroForOne: boolean): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const largestInput = RESERVE_LIMIT - 1n - reserveIn
  const netIn = largestInput * (PPM - BigInt(feePpm))
  // With very uneven reserves, even the largest input buys nothing.
  return reserveIn === 0n || largestInput <= 0n || netIn * reserveOut < reserveIn * PPM + netIn ? 0n : largestInput
}

/**
 * Returns the minimum input that buys `amountOut`; null if the output reserve is not larger than `amountOut`.
 *
 * @see UniswapV2Library.getAmountIn
 */
export function inputFor(
  { reserve0, reserve1, feePpm }: UniswapV2State,
  zeroForOne: boolean,
  amountOut: bigint,
): bigint | null {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  if (amountOut >= reserveOut) return null
  return divUp(reserveIn * amountOut * PPM, (reserveOut - amountOut) * (PPM - BigInt(feePpm)))
}
