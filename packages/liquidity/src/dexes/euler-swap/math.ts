/** Checked against answers of genuine pools; QuoteLib and SwapLib of euler-xyz/euler-swap at 08e498a. */
import { PoolRefusal } from '../../family.ts'
import { min } from '../../math/integers.ts'
import { type Half, MOST, reserveX, reserveY } from './curve.ts'
import type { EulerSwapLimits, EulerSwapState } from './types.ts'

const ONE = 10n ** 18n

/**
 * The output of an exact input: what the curve leaves of the reserve, within the limits of the vaults.
 *
 * @throws PoolRefusal `PAUSED`, `UNSUPPORTED`, `TOO_LARGE`, `TOO_SMALL`
 */
export function quote(
  state: EulerSwapState,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: EulerSwapState } {
  const limits = limitsOf(state, i)
  if (amountIn > MOST) throw new PoolRefusal('TOO_LARGE', 'more than 112 bits')
  const j = i === 0 ? 1 : 0
  const kept = amountIn - (amountIn * state.fees[i]) / ONE
  const reserveIn = state.reserves[i] + kept
  const left = leftOf(state, i, reserveIn)
  const amountOut = left !== null && state.reserves[j] > left ? state.reserves[j] - left : 0n
  if (kept > limits.in || amountOut > limits.out || reserveIn > MOST)
    throw new PoolRefusal('TOO_LARGE', `it takes ${limits.in} and pays ${limits.out} at most`)
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: after(state, i, { in: kept, out: amountOut }) }
}

/** Limits behind those that a pool tells: it holds back one unit of what it pays at most, and tells zeros while it pays nothing. */
export const toldLimits = (most: bigint, out: bigint): EulerSwapLimits => ({
  in: most,
  out: most > 0n ? out + 1n : out,
})

function limitsOf({ open, hooked, fees, limits }: EulerSwapState, i: 0 | 1): EulerSwapLimits {
  if (!open) throw new PoolRefusal('PAUSED', 'the pool is locked, not installed, or past its time')
  if (hooked) throw new PoolRefusal('UNSUPPORTED', 'a hook takes part in its swaps')
  if (fees[i] >= ONE) throw new PoolRefusal('PAUSED', 'its fee is all of the input')
  if (limits[i] === null) throw new PoolRefusal('UNSUPPORTED', 'the pool cannot tell its own limits')
  return limits[i]
}

/** The reserve of the other token that the curve asks for; null for more than there can be. */
function leftOf(state: EulerSwapState, i: 0 | 1, reserveIn: bigint): bigint | null {
  return reserveIn <= state.equilibrium[i]
    ? reserveY(reserveIn, halfOf(state, i))
    : reserveX(reserveIn, halfOf(state, i === 0 ? 1 : 0))
}

/** About the largest input: limited by what the vaults take, by what they pay, and by what a reserve can be. */
export function limitOf(state: EulerSwapState, i: 0 | 1): bigint {
  const { reserves, fees, limits } = state
  const j = i === 0 ? 1 : 0
  if (limits[i] === null || fees[i] >= ONE) return 0n
  const { in: most, out } = limits[i]
  // The curve asks for as much of the token sold beside what a purchase of all that may go out leaves.
  const held = out < reserves[j] ? leftOf(state, j, reserves[j] - out) : null
  const room = (held ?? MOST) - reserves[i]
  return (min(room, most) * ONE) / (ONE - fees[i])
}

function halfOf({ prices, equilibrium, concentrations }: EulerSwapState, x: 0 | 1): Half {
  const y = x === 0 ? 1 : 0
  return {
    priceX: prices[x],
    priceY: prices[y],
    x0: equilibrium[x],
    y0: equilibrium[y],
    concentration: concentrations[x],
  }
}

/** Limits of the same way shrink by what was traded; those of the way back, which only grow, are left. */
function after(state: EulerSwapState, i: 0 | 1, traded: EulerSwapLimits): EulerSwapState {
  const { reserves, limits } = state
  const shrunk = { in: limits[i]!.in - traded.in, out: limits[i]!.out - traded.out }
  return i === 0
    ? { ...state, reserves: [reserves[0] + traded.in, reserves[1] - traded.out], limits: [shrunk, limits[1]] }
    : { ...state, reserves: [reserves[0] - traded.out, reserves[1] + traded.in], limits: [limits[0], shrunk] }
}

/** Base units of an input that would take all of the other token at the price of the equilibrium, or all that may go in. */
export function scaleOf({ prices, reserves, limits }: EulerSwapState, i: 0 | 1): bigint {
  const j = i === 0 ? 1 : 0
  const worth = (reserves[j] * prices[j]) / prices[i] + 1n
  const most = limits[i]?.in ?? 0n
  return worth < most ? worth : most
}
