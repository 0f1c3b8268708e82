import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../../family.ts'
import { divUp } from '../../math/integers.ts'
import type { UniswapV2State } from './types.ts'

/** The pair keeps its reserves in 112 bits each. */
const RESERVE_LIMIT = 1n << 112n

/**
 * The output of an exact input, rounded down: the most that leaves x·y, counted without the fee, where it was.
 *
 * @param amountIn - base units of the token sold, as they arrive in the pair
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` where nothing would come out, `TOO_LARGE` where the reserve would not fit
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
  if (reserveIn + amountIn >= RESERVE_LIMIT) throw new PoolRefusal('TOO_LARGE', 'the reserve would pass 2^112')
  const kept = amountIn * (PPM - BigInt(feePpm))
  const amountOut = (kept * reserveOut) / (reserveIn * PPM + kept)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return {
    amountOut,
    state: zeroForOne
      ? { reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut, feePpm }
      : { reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn, feePpm },
  }
}

/** The largest input that `quote` accepts: up to the largest reserve. */
export function maxInput({ reserve0, reserve1, feePpm }: UniswapV2State, zeroForOne: boolean): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  const largest = RESERVE_LIMIT - 1n - reserveIn
  const kept = largest * (PPM - BigInt(feePpm))
  // Reserves so uneven that all of it buys nothing.
  return reserveIn === 0n || largest <= 0n || kept * reserveOut < reserveIn * PPM + kept ? 0n : largest
}

/** The least input that buys an output; null where the pair holds no more than that. @see UniswapV2Library.getAmountIn */
export function inputFor(
  { reserve0, reserve1, feePpm }: UniswapV2State,
  zeroForOne: boolean,
  amountOut: bigint,
): bigint | null {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  if (amountOut >= reserveOut) return null
  return divUp(reserveIn * amountOut * PPM, (reserveOut - amountOut) * (PPM - BigInt(feePpm)))
}
