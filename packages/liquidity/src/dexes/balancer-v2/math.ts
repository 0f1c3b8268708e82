/**
 * Exact math of Balancer V2 pools. Scaled amounts have 18 decimals, and the same unit for all tokens of a pool. `i` and
 * `j` are the indices of the input and the output token.
 */
import { PoolRefusal } from '../../family.ts'
import {
  AMP_PRECISION,
  divDown,
  divUpFixed,
  MAX_IN_RATIO,
  mulDown,
  mulUp,
  ONE,
  roundedUpInvariant,
  stableBalanceUp,
  stableTradingFunction,
  weightedAmountIn,
  weightedAmountOut,
  weightedTradingFunction,
} from '../../math/balancer.ts'
import { min } from '../../math/integers.ts'
import { stableInvariant } from '../../math/stable-swap.ts'
import type { TradingFunction } from '../../math/trading-function.ts'
import type { BalancerV2State } from './types.ts'

/** The vault stores balances as uint112. @see BalanceAllocation.toBalance, balancer/balancer-v2-monorepo */
const MAX_BALANCE = (1n << 112n) - 1n

/**
 * Quotes an exact input with the pool's rounding.
 *
 * @throws PoolRefusal `PAUSED`; `EMPTY`; `TOO_LARGE` above 30 % of a weighted balance, or above uint112; `TOO_SMALL`
 * for no output
 * @see BaseGeneralPool and BaseMinimalSwapInfoPool, balancer/balancer-v2-monorepo
 */
export function quote(
  state: BalancerV2State,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: BalancerV2State } {
  const { balances, scaling, swapFee } = state
  if (isSuspended(state)) throw new PoolRefusal('PAUSED', 'its owner has suspended swaps')
  if (balances.includes(0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its tokens')
  const scaledBalances = scaledBalancesOf(state)
  const netIn = mulDown(amountIn - mulUp(amountIn, swapFee), scaling[i]!)
  const amountOut = divDown(computeScaledOut(state, scaledBalances, i, j, netIn), scaling[j]!)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (balances[i]! + amountIn > MAX_BALANCE) throw new PoolRefusal('TOO_LARGE', 'more than the vault can store')
  const balancesAfter = balances.with(i, balances[i]! + amountIn).with(j, balances[j]! - amountOut)
  return { amountOut, state: { ...state, balances: balancesAfter } }
}

/**
 * Returns the input that the pool takes for an exact output; null if it refuses the output. In a swap with an exact
 * input, a smaller input may buy this output, because the two kinds of swaps round differently.
 *
 * @see BaseGeneralPool and BaseMinimalSwapInfoPool, `SwapKind.GIVEN_OUT`, balancer/balancer-v2-monorepo
 */
export function balancerV2InputFor(state: BalancerV2State, i: number, j: number, amountOut: bigint): bigint | null {
  const { balances, scaling, swapFee } = state
  if (isSuspended(state) || balances.includes(0n) || amountOut >= balances[j]!) return null
  const netIn = computeScaledIn(state, scaledBalancesOf(state), i, j, mulDown(amountOut, scaling[j]!))
  return netIn === null ? null : divUpFixed(divUpFixed(netIn, scaling[i]!), ONE - swapFee)
}

/** Returns the scaled input without the fee for a scaled output; null if a weighted pool refuses the output. */
function computeScaledIn(
  state: BalancerV2State,
  scaledBalances: readonly bigint[],
  i: number,
  j: number,
  amountOut: bigint,
): bigint | null {
  if (state.kind === 'weighted') {
    const { weights, exactPowers } = state
    return weightedAmountIn(scaledBalances[i]!, weights[i]!, scaledBalances[j]!, weights[j]!, amountOut, exactPowers)
  }
  const d = invariant(state, scaledBalances)
  return (
    stableBalanceUp(scaledBalances.with(j, scaledBalances[j]! - amountOut), state.amp, d, i, 2) -
    scaledBalances[i]! +
    1n
  )
}

/** Returns the approximate largest input of token `i` in base units. */
export function approximateMaxInput({ kind, balances, scaling, swapFee }: BalancerV2State, i: number): bigint {
  const maxAdded = MAX_BALANCE - balances[i]!
  if (kind !== 'weighted') return maxAdded
  const netIn = divDown(mulDown(mulDown(balances[i]!, scaling[i]!), MAX_IN_RATIO), scaling[i]!)
  const limit = swapFee < ONE ? divDown(netIn, ONE - swapFee) : 0n
  return min(limit, maxAdded)
}

/** Returns the scaled output for a scaled input without the fee. */
function computeScaledOut(
  state: BalancerV2State,
  scaledBalances: readonly bigint[],
  i: number,
  j: number,
  netIn: bigint,
): bigint {
  if (state.kind === 'weighted') {
    const { weights, exactPowers } = state
    return weightedAmountOut(scaledBalances[i]!, weights[i]!, scaledBalances[j]!, weights[j]!, netIn, exactPowers)
  }
  const d = invariant(state, scaledBalances)
  return (
    scaledBalances[j]! - stableBalanceUp(scaledBalances.with(i, scaledBalances[i]! + netIn), state.amp, d, j, 2) - 1n
  )
}

/** True while the owner of a liquidity bootstrapping pool has suspended swaps. */
const isSuspended = (state: BalancerV2State) => state.kind === 'weighted' && state.suspended === true

/** Returns the balances, scaled and rounded down. */
const scaledBalancesOf = ({ balances, scaling }: BalancerV2State) =>
  balances.map((balance, k) => mulDown(balance, scaling[k]!))

const invariant = (
  { amp, roundsUp }: Extract<BalancerV2State, { kind: 'stable' }>,
  scaledBalances: readonly bigint[],
): bigint =>
  roundsUp
    ? roundedUpInvariant(scaledBalances, amp)
    : stableInvariant(scaledBalances, { a: amp, precision: AMP_PRECISION }, 'each')

/** Returns the pool as one function of its balances; null if it has an empty balance or swaps are suspended. */
export function tradingFunction(state: BalancerV2State): TradingFunction | null {
  const { balances, scaling, swapFee } = state
  if (isSuspended(state) || balances.includes(0n)) return null
  const liveBalances = scaledBalancesOf(state)
  const pool = { liveBalances, units: Float64Array.from(scaling, (factor) => Number(factor) / 1e18), swapFee }
  return state.kind === 'weighted'
    ? weightedTradingFunction(pool, state.weights)
    : stableTradingFunction(pool, state.amp, invariant(state, liveBalances))
}
