/** Checked against 263 answers of deployed pools; SyncSwapClassicPool, SyncSwapStablePool and StableMath of syncswap/core-contracts. */
import { PoolRefusal } from '../../family.ts'
import type { SyncswapState } from './types.ts'

/** Parts of a fee. */
const FEE_UNIT = 100_000n
/** Twice the amplification, which is 1000 in every pool. */
const ANN = 2_000n
const MAX_STEPS = 256
/** The most of a token, at 18 decimals, that a stable pool lets itself be left with. */
const MAX_SCALED = 3_802_571_709_128_108_338_056_982_581_425_910_818n
/** The most of a token that a classic pool lets itself be left with. */
const MAX_RESERVE = (1n << 128n) - 1n
const MAX_WORD = (1n << 256n) - 1n

/** A product, which the pool reverts on where it does not fit into a word: so it does where one token is all but gone. */
function fitting(product: bigint): bigint {
  if (product > MAX_WORD) throw new PoolRefusal('TOO_LARGE', 'more than the pool can compute with')
  return product
}

const near = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= 1n

/** The invariant of two balances of 18 decimals; 0 without any. */
function invariant(x: bigint, y: bigint): bigint {
  const sum = x + y
  if (sum === 0n) return 0n
  let d = sum
  for (let step = 0; step < MAX_STEPS; step++) {
    const before = d
    const product = fitting((fitting(d * d) / x) * d) / y / 4n
    d = fitting((ANN * sum + 2n * product) * d) / ((ANN - 1n) * d + 3n * product)
    if (near(d, before)) break
  }
  return d
}

/** The other balance that keeps the invariant beside `x`. */
function balance(x: bigint, d: bigint): bigint {
  const c = fitting((fitting(d * d) / (x * 2n)) * d) / (ANN * 2n)
  const b = x + d / ANN
  let y = d
  for (let step = 0; step < MAX_STEPS; step++) {
    const before = y
    y = fitting(y * y + c) / (y * 2n + b - d)
    if (near(y, before)) break
  }
  return y
}

/**
 * The output of an exact input, rounded down.
 *
 * @throws PoolRefusal `TOO_SMALL` where nothing comes out; `TOO_LARGE` where numbers pass what it counts with; for stable pools `EMPTY`
 *   where one lacks a token
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
  const [paid0, paid1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  const [reserve0, reserve1] = [state.reserve0 + paid0, state.reserve1 + paid1]
  if (!state.stable && (reserve0 > MAX_RESERVE || reserve1 > MAX_RESERVE))
    throw new PoolRefusal('TOO_LARGE', 'more than a reserve can be')
  if (state.stable && (reserve0 * state.multiplier0 > MAX_SCALED || reserve1 * state.multiplier1 > MAX_SCALED))
    throw new PoolRefusal('TOO_LARGE', 'more than the pool lets itself hold')
  return { amountOut, state: { ...state, reserve0, reserve1 } }
}

/** About the largest input. */
export function limitOf(state: SyncswapState, zeroForOne: boolean): bigint {
  const [reserve, multiplier] = zeroForOne ? [state.reserve0, state.multiplier0] : [state.reserve1, state.multiplier1]
  return (state.stable ? MAX_SCALED / multiplier : MAX_RESERVE) - reserve
}

/** @param kept - what is left of the input, in parts of the fee's unit */
function classicOut({ reserve0, reserve1 }: SyncswapState, zeroForOne: boolean, kept: bigint): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  // A pool whose reserve of the token sold is zero gives all of the other one. A fee of 100 % leaves it nothing to divide by.
  if (kept === 0n) return 0n
  return (kept * reserveOut) / (reserveIn * FEE_UNIT + kept)
}

function stableOut(state: SyncswapState, zeroForOne: boolean, kept: bigint): bigint {
  const [x, y] = [state.reserve0 * state.multiplier0, state.reserve1 * state.multiplier1]
  if (x === 0n || y === 0n) throw new PoolRefusal('EMPTY', 'the pool lacks a token')
  const d = invariant(x, y)
  const [held, sold, unitIn, unitOut] = zeroForOne
    ? [y, x, state.multiplier0, state.multiplier1]
    : [x, y, state.multiplier1, state.multiplier0]
  return (held - balance(sold + kept * unitIn, d) - 1n) / unitOut
}
