/**
 * Exact math of EulerSwap pools. Follows QuoteLib and SwapLib of euler-xyz/euler-swap at 08e498a. Checked against real
 * pools.
 */
import { PoolRefusal } from '../../family.ts'
import { min } from '../../math/integers.ts'
import { type CurveHalf, MAX_RESERVE, reserveX, reserveY } from './curve.ts'
import type { EulerSwapLimits, EulerSwapState } from './types.ts'

const ONE = 10n ** 18n

/**
 * Quotes an exact input on the curve, within the limits of the vaults.
 *
 * @param i - index of the input token
 * @throws PoolRefusal `PAUSED`, `UNSUPPORTED`, `TOO_LARGE`, `TOO_SMALL`
 */
export function quote(
  state: EulerSwapState,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: EulerSwapState } {
  const limits = limitsOf(state, i)
  if (amountIn > MAX_RESERVE) throw new PoolRefusal('TOO_LARGE', 'more than 112 bits')
  const j = i === 0 ? 1 : 0
  const netIn = amountIn - (amountIn * state.fees[i]) / ONE
  const reserveIn = state.reserves[i] + netIn
  const reserveOut = reserveAfter(state, i, reserveIn)
  const amountOut = reserveOut !== null && state.reserves[j] > reserveOut ? state.reserves[j] - reserveOut : 0n
  if (netIn > limits.in || amountOut > limits.out || reserveIn > MAX_RESERVE)
    throw new PoolRefusal('TOO_LARGE', `the pool accepts at most ${limits.in} and pays at most ${limits.out}`)
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: stateAfter(state, i, { in: netIn, out: amountOut }) }
}

/**
 * Converts the limits that the getter of a pool reports. The reported maximum output is one unit less than the output
 * that the pool pays. While the pool pays nothing, both limits are zero.
 */
export const limitsFromContract = (maxIn: bigint, maxOut: bigint): EulerSwapLimits => ({
  in: maxIn,
  out: maxIn > 0n ? maxOut + 1n : maxOut,
})

/** Returns the limits of a direction. @throws PoolRefusal `PAUSED` or `UNSUPPORTED` if the pool does not trade in it */
function limitsOf({ open, fees, limits }: EulerSwapState, i: 0 | 1): EulerSwapLimits {
  if (!open) throw new PoolRefusal('PAUSED', 'the pool is locked, not installed, or expired')
  if (fees[i] >= ONE) throw new PoolRefusal('PAUSED', 'the fee is the whole input')
  if (limits[i] === null) throw new PoolRefusal('UNSUPPORTED', 'the getter of the limits reverts')
  return limits[i]
}

/** Returns the reserve of the output token on the curve for a reserve of the input token; null above `MAX_RESERVE`. */
function reserveAfter(state: EulerSwapState, i: 0 | 1, reserveIn: bigint): bigint | null {
  return reserveIn <= state.equilibrium[i]
    ? reserveY(reserveIn, halfOf(state, i))
    : reserveX(reserveIn, halfOf(state, i === 0 ? 1 : 0))
}

/**
 * Returns the approximate largest input in base units. The limits of the vaults and `MAX_RESERVE` bound it.
 */
export function approximateMaxInput(state: EulerSwapState, i: 0 | 1): bigint {
  const { reserves, fees, limits } = state
  const j = i === 0 ? 1 : 0
  if (limits[i] === null || fees[i] >= ONE) return 0n
  const { in: maxIn, out } = limits[i]
  // Reserve of the input token after a trade that buys the maximum output of the vaults.
  const reserveIn = out < reserves[j] ? reserveAfter(state, j, reserves[j] - out) : null
  const maxAdded = (reserveIn ?? MAX_RESERVE) - reserves[i]
  return (min(maxAdded, maxIn) * ONE) / (ONE - fees[i])
}

/** Returns the half of the curve on which the token with index `x` is token X of `CurveHalf`. */
function halfOf({ prices, equilibrium, concentrations }: EulerSwapState, x: 0 | 1): CurveHalf {
  const y = x === 0 ? 1 : 0
  return {
    priceX: prices[x],
    priceY: prices[y],
    x0: equilibrium[x],
    y0: equilibrium[y],
    concentration: concentrations[x],
  }
}

/**
 * Returns the state after a trade. Its limits are reduced in the direction of the trade. In the other direction, the
 * real limits grow, but the state keeps the old ones: the growth is unknown.
 */
function stateAfter(state: EulerSwapState, i: 0 | 1, tradedAmounts: EulerSwapLimits): EulerSwapState {
  const { reserves, limits } = state
  const shrunkLimits = { in: limits[i]!.in - tradedAmounts.in, out: limits[i]!.out - tradedAmounts.out }
  return i === 0
    ? {
        ...state,
        reserves: [reserves[0] + tradedAmounts.in, reserves[1] - tradedAmounts.out],
        limits: [shrunkLimits, limits[1]],
      }
    : {
        ...state,
        reserves: [reserves[0] - tradedAmounts.out, reserves[1] + tradedAmounts.in],
        limits: [limits[0], shrunkLimits],
      }
}

/**
 * Returns a typical input of the pool, in base units, from which the sampling of its curve starts. It would buy the
 * whole reserve at the equilibrium price, but is not above the input limit.
 */
export function samplingScaleOf({ prices, reserves, limits }: EulerSwapState, i: 0 | 1): bigint {
  const j = i === 0 ? 1 : 0
  const inputForReserve = (reserves[j] * prices[j]) / prices[i] + 1n
  const maxIn = limits[i]?.in ?? 0n
  return inputForReserve < maxIn ? inputForReserve : maxIn
}
