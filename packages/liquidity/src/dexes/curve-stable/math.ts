/**
 * Exact math of Curve StableSwap pools, with the contract's names. `i` and `j` are the indices of the input and the
 * output coin. Scaled amounts have 18 decimals, and the same unit for all coins. `xp` are the scaled balances, and `d`
 * is their invariant. `x` and `y` are the scaled balances of the input and the output coin after a swap. `dy` is the
 * scaled output before the fee.
 */
import { PoolRefusal } from '../../family.ts'
import { divUp } from '../../math/integers.ts'
import { dynamicFee, FEE_UNIT, type ProductRounding, stableBalance, stableInvariant } from '../../math/stable-swap.ts'
import { equalWeightTradingFunction, stableSwapInvariant, type TradingFunction } from '../../math/trading-function.ts'
import type { CurveStableState } from './types.ts'

const ONE = 10n ** 18n

/**
 * Quotes an exact input with the rounding of `exchange`.
 *
 * @throws PoolRefusal `EMPTY`; `TOO_SMALL` for no output; `TOO_LARGE` above `MAX_BALANCE_FACTOR`; `UNSUPPORTED` if the
 * unknown rounding of the pool affects the result
 * @see StableSwap.exchange, curvefi/curve-contract, curve-factory and stableswap-ng
 */
export function quote(state: CurveStableState, i: number, j: number, amountIn: bigint): QuoteResult {
  if (state.rounding !== 'unknown') return quoteRounding(state, state.rounding, i, j, amountIn)
  const [quotedAtEnd, quotedEach] = (['end', 'each'] as const).map((rounding) =>
    quoteRounding(state, rounding, i, j, amountIn),
  )
  const isSameQuote = (a: QuoteResult, b: QuoteResult) =>
    a.state.balances.every((balance, k) => balance === b.state.balances[k])
  if (quotedAtEnd!.amountOut !== quotedEach!.amountOut || !isSameQuote(quotedAtEnd!, quotedEach!))
    throw new PoolRefusal('UNSUPPORTED', "the pool's unknown rounding affects the result")
  return quotedAtEnd!
}

/**
 * Maximum scaled balance of the input coin after a swap, divided by the sum of the invariant and the scaled balance
 * before the swap. Larger inputs are refused, because pools with a price average compute the invariant after the swap,
 * and this computation overflows. At the maximum, less than a millionth of the output coin is left.
 */
const MAX_BALANCE_FACTOR = 5_000n

/** Returns the approximate largest input in base units. */
export function approximateMaxInput(state: CurveStableState, i: number): bigint {
  const { xp, d } = scaledBalances(state, state.rounding === 'unknown' ? 'end' : state.rounding)
  return ((MAX_BALANCE_FACTOR * (xp[i]! + d) - xp[i]!) * ONE) / state.rates[i]!
}

/** True if the pool computes the fee in base units of the output coin; false if it computes it in scaled units. */
const takesFeeInBase = ({ feeOrder, balances }: CurveStableState, j: number): boolean =>
  feeOrder === 'base' || (feeOrder === 'share' && j === balances.length - 1)

/** Output in base units, and the state after the swap. */
type QuoteResult = { readonly amountOut: bigint; readonly state: CurveStableState }

/** Quotes with one of the two possible roundings of the pool. */
function quoteRounding(
  state: CurveStableState,
  rounding: ProductRounding,
  i: number,
  j: number,
  amountIn: bigint,
): QuoteResult {
  const { balances, rates, amplification, feeE10, adminFeeE10, offpegMultiplierE10 } = state
  const { xp, d } = scaledBalances(state, rounding)
  if (d === 0n) throw new PoolRefusal('EMPTY', 'the pool is empty')
  const x = xp[i]! + (amountIn * rates[i]!) / ONE
  if (x > MAX_BALANCE_FACTOR * (xp[i]! + d))
    throw new PoolRefusal('TOO_LARGE', `more than ${MAX_BALANCE_FACTOR} times the value of the pool`, {
      isModelLimit: true,
    })
  const y = stableBalance(j, xp.with(i, x), amplification, d)
  const dy = xp[j]! - y - state.margin
  if (dy <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const fee = dynamicFee((xp[i]! + x) / 2n, (xp[j]! + y) / 2n, feeE10, offpegMultiplierE10)
  const toBase = (scaledAmount: bigint) => (scaledAmount * ONE) / rates[j]!
  const isBaseFee = takesFeeInBase(state, j)
  const grossOutput = isBaseFee ? toBase(dy) : dy
  const feeAmount = (grossOutput * fee) / FEE_UNIT
  const adminFeeAmount = (feeAmount * adminFeeE10) / FEE_UNIT
  const amountOut = isBaseFee ? grossOutput - feeAmount : toBase(grossOutput - feeAmount)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const adminFee = isBaseFee ? adminFeeAmount : toBase(adminFeeAmount)
  const balancesAfter = balances.with(i, balances[i]! + amountIn).with(j, balances[j]! - amountOut - adminFee)
  return { amountOut, state: { ...state, balances: balancesAfter } }
}

/**
 * Returns the approximate minimum input that buys an output. Returns null if the fee depends on the balances, if the
 * rounding of the pool is unknown, or if the pool has too little of the output coin.
 */
export function inputFor(state: CurveStableState, i: number, j: number, amountOut: bigint): bigint | null {
  const { rates, amplification, feeE10, offpegMultiplierE10, rounding, margin } = state
  if (offpegMultiplierE10 > FEE_UNIT || rounding === 'unknown') return null
  const { xp, d } = scaledBalances(state, rounding)
  const toScaled = (base: bigint) => divUp(base * rates[j]!, ONE)
  const dy = !takesFeeInBase(state, j)
    ? grossOfFee(toScaled(amountOut), feeE10)
    : toScaled(grossOfFee(amountOut, feeE10))
  const y = xp[j]! - dy - margin
  if (y <= 0n) return null
  const x = stableBalance(i, xp.with(j, y), amplification, d)
  return divUp((x - xp[i]!) * ONE, rates[i]!)
}

/** Returns the minimum amount from which `netAmount` remains after the fee. The fee is rounded down. */
function grossOfFee(netAmount: bigint, feeE10: bigint): bigint {
  const grossAmount = (netAmount * FEE_UNIT) / (FEE_UNIT - feeE10)
  return grossAmount - (grossAmount * feeE10) / FEE_UNIT < netAmount ? grossAmount + 1n : grossAmount
}

type ScaledBalances = { readonly rounding: ProductRounding; readonly xp: readonly bigint[]; readonly d: bigint }
const scaledByState = new WeakMap<CurveStableState, ScaledBalances>()

/**
 * Returns the scaled balances and their invariant. Caches them by state, because computing them takes most of the time
 * of a quote.
 */
function scaledBalances(state: CurveStableState, rounding: ProductRounding): ScaledBalances {
  const cachedBalances = scaledByState.get(state)
  if (cachedBalances?.rounding === rounding) return cachedBalances
  const xp = state.balances.map((balance, k) => (balance * state.rates[k]!) / ONE)
  const newBalances = { rounding, xp, d: stableInvariant(xp, state.amplification, rounding) }
  scaledByState.set(state, newBalances)
  return newBalances
}

/**
 * Returns the pool as one function of its balances; null if it has an empty balance. The fee is the fee at equal
 * balances.
 */
export function tradingFunction(state: CurveStableState): TradingFunction | null {
  const { balances, rates, amplification, feeE10, offpegMultiplierE10, rounding } = state
  if (balances.includes(0n)) return null
  const { xp, d } = scaledBalances(state, rounding === 'unknown' ? 'end' : rounding)
  const coins = balances.length
  const ann = (Number(amplification.a) * coins) / Number(amplification.precision)
  return equalWeightTradingFunction(stableSwapInvariant(ann, Number(d), coins), {
    balances: Float64Array.from(xp, Number),
    units: Float64Array.from(rates, (rate) => Number(rate) / 1e18),
    keepIn: 1,
    keepOut: 1 - Number(feeE10) / Number(FEE_UNIT),
    hasFixedFee: offpegMultiplierE10 <= FEE_UNIT,
  })
}
