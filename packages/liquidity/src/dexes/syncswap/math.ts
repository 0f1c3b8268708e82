/**
 * Exact math of SyncSwap pools. Follows SyncSwapClassicPool, SyncSwapStablePool, and StableMath of
 * syncswap/core-contracts. Checked against 263 results of deployed pools.
 */
import { PoolRefusal } from '../../family.ts'
import { isConverged } from '../../math/integers.ts'
import type { SyncswapState } from './types.ts'

/** Fixed-point one of fees. */
const FEE_UNIT = 100_000n
/** A·n. The amplification A is 1,000 in every pool, and a pool has n = 2 coins. */
const ANN = 2_000n
const MAX_NEWTON_STEPS = 256
/** Maximum reserve of a stable pool, with 18 decimals. */
const MAX_SCALED = 3_802_571_709_128_108_338_056_982_581_425_910_818n
/** Maximum reserve of a classic pool, in base units. */
const MAX_RESERVE = (1n << 128n) - 1n
const MAX_WORD = (1n << 256n) - 1n

/**
 * Returns `product`, after checking that it fits in 256 bits. The contract reverts on an overflow, which happens if one
 * reserve is almost zero.
 *
 * @throws PoolRefusal `TOO_LARGE` if the product overflows 256 bits
 */
function checkedUint256(product: bigint): bigint {
  if (product > MAX_WORD) throw new PoolRefusal('TOO_LARGE', 'a product would overflow 256 bits')
  return product
}

/** Returns the invariant D of two balances with 18 decimals; 0 if both are zero. */
function invariant(x: bigint, y: bigint): bigint {
  const sum = x + y
  if (sum === 0n) return 0n
  let d = sum
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const previousD = d
    const product = checkedUint256((checkedUint256(d * d) / x) * d) / y / 4n
    d = checkedUint256((ANN * sum + 2n * product) * d) / ((ANN - 1n) * d + 3n * product)
    if (isConverged(d, previousD)) break
  }
  return d
}

/**
 * Returns the balance y that keeps the invariant `d` if the other balance is `x`. Solves y² + (b − d)·y = c by Newton's
 * method.
 */
function solveBalance(x: bigint, d: bigint): bigint {
  const c = checkedUint256((checkedUint256(d * d) / (x * 2n)) * d) / (ANN * 2n)
  const b = x + d / ANN
  let y = d
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const previousY = y
    y = checkedUint256(y * y + c) / (y * 2n + b - d)
    if (isConverged(y, previousY)) break
  }
  return y
}

/**
 * Quotes an exact input, rounded down.
 *
 * @throws PoolRefusal `TOO_SMALL` for no output; `TOO_LARGE` on overflow; for stable pools `EMPTY` if a reserve is zero
 */
export function quote(
  state: SyncswapState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: SyncswapState } {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  const fee = zeroForOne ? state.fee0 : state.fee1
  const amountOut = state.stable
    ? stableOut(state, zeroForOne, amountIn - (amountIn * fee) / FEE_UNIT)
    : classicOut(state, zeroForOne, amountIn * (FEE_UNIT - fee))
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const [change0, change1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  const [reserve0, reserve1] = [state.reserve0 + change0, state.reserve1 + change1]
  if (!state.stable && (reserve0 > MAX_RESERVE || reserve1 > MAX_RESERVE))
    throw new PoolRefusal('TOO_LARGE', 'a reserve would exceed 128 bits')
  if (state.stable && (reserve0 * state.multiplier0 > MAX_SCALED || reserve1 * state.multiplier1 > MAX_SCALED))
    throw new PoolRefusal('TOO_LARGE', 'a reserve would exceed the maximum of the pool')
  return { amountOut, state: { ...state, reserve0, reserve1 } }
}

/** Returns the approximate largest input in base units. It fills the input reserve up to its maximum. */
export function approximateMaxInput(state: SyncswapState, zeroForOne: boolean): bigint {
  const [reserve, multiplier] = zeroForOne ? [state.reserve0, state.multiplier0] : [state.reserve1, state.multiplier1]
  return (state.stable ? MAX_SCALED / multiplier : MAX_RESERVE) - reserve
}

/** Returns the output of a classic pool. @param netIn - input after the fee, times `FEE_UNIT` */
function classicOut({ reserve0, reserve1 }: SyncswapState, zeroForOne: boolean, netIn: bigint): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  // With a fee of 100 % and an empty input reserve, the divisor below would be zero.
  if (netIn === 0n) return 0n
  return (netIn * reserveOut) / (reserveIn * FEE_UNIT + netIn)
}

/** Returns the output of a stable pool. @param netIn - input after the fee */
function stableOut(state: SyncswapState, zeroForOne: boolean, netIn: bigint): bigint {
  const [x, y] = [state.reserve0 * state.multiplier0, state.reserve1 * state.multiplier1]
  if (x === 0n || y === 0n) throw new PoolRefusal('EMPTY', 'the pool lacks a token')
  const d = invariant(x, y)
  const [reserveOut, reserveIn, unitIn, unitOut] = zeroForOne
    ? [y, x, state.multiplier0, state.multiplier1]
    : [x, y, state.multiplier1, state.multiplier0]
  return (reserveOut - solveBalance(reserveIn + netIn * unitIn, d) - 1n) / unitOut
}
