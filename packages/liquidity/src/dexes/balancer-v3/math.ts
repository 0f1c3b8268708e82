import { PoolRefusal } from '../../family.ts'
import {
  AMP_PRECISION,
  mulDown,
  mulUp,
  ONE,
  stableBalanceUp,
  stableTradingFunction,
  weightedOut,
  weightedTradingFunction,
} from '../../math/balancer.ts'
import { stableInvariant } from '../../math/stable-swap.ts'
import type { TradingFunction } from '../../math/trading-function.ts'
import { gyro2ClpOut } from './gyro-2clp.ts'
import { gyroEclpOut, gyroEclpPrices } from './gyro-eclp.ts'
import { reclammOut } from './reclamm.ts'
import { eclpImbalance, stableImbalance, surgeFee } from './surge.ts'
import type { PooledState } from './types.ts'

/** The vault refuses swaps of less, in 18 decimals of the common unit. */
const LEAST_AMOUNT = 10n ** 6n

/**
 * The output of an exact input, rounded as vault and pool do.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` below the vault's least amount, `TOO_LARGE` above 30 % of a weighted balance or
 * where balances would be too far apart
 * @see Vault._swap, WeightedPool.onSwap and StablePool.onSwap, balancer/balancer-v3-monorepo
 */
export function quote(
  state: PooledState,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: PooledState } {
  const { balances, scaling, rates, aggregateFee } = state
  const given = mulDown(amountIn * scaling[i]!, rates[i]!)
  const live = liveBalances(state)
  const fee = mulUp(given, swapFeeOf(state, live, i, j, given))
  if (given - fee < LEAST_AMOUNT) throw new PoolRefusal('TOO_SMALL', `${amountIn} is less than the vault takes`)
  const out = scaledOut(state, live, i, j, given - fee)
  if (out < LEAST_AMOUNT) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys less than the vault pays`)
  const amountOut = (out * ONE) / (scaling[j]! * roundedUp(rates[j]!))
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const leaving = mulDown((fee * ONE) / (scaling[i]! * rates[i]!), aggregateFee)
  const after = balances.with(i, balances[i]! + amountIn - leaving).with(j, balances[j]! - amountOut)
  return { amountOut, state: { ...state, balances: after } }
}

/** Part of the input, 18 decimals; a hook is shown the trade as if it paid none. */
function swapFeeOf(state: PooledState, live: readonly bigint[], i: number, j: number, given: bigint): bigint {
  if ((state.kind !== 'stable' && state.kind !== 'gyro-eclp') || !state.surge) return state.swapFee
  const after = () => live.with(i, live[i]! + given).with(j, live[j]! - scaledOut(state, live, i, j, given))
  if (state.kind === 'stable')
    return surgeFee(state.surge, state.swapFee, () => [stableImbalance(live), stableImbalance(after())])
  const { slopes } = state.surge
  return surgeFee(state.surge, state.swapFee, () => {
    const [before, then] = gyroEclpPrices(state, live, after())
    return [eclpImbalance(before!, state.params, slopes), eclpImbalance(then!, state.params, slopes)]
  })
}

/** Balances in 18 decimals of the common unit. */
export const liveBalances = ({ balances, scaling, rates }: PooledState): bigint[] =>
  balances.map((balance, k) => mulDown(balance * scaling[k]!, rates[k]!))

/** A rate that is not a whole number may have been rounded down itself. */
const roundedUp = (rate: bigint) => (rate % ONE === 0n ? rate : rate + 1n)

/** The pool's own answer for an input without fee: 18 decimals of the common unit. */
export function scaledOut(state: PooledState, live: readonly bigint[], i: number, j: number, amountIn: bigint): bigint {
  // Pools within a range of prices may hold one token alone.
  if (state.kind === 'gyro-2clp') return gyro2ClpOut(state, live, i, amountIn)
  if (state.kind === 'gyro-eclp') return gyroEclpOut(state, live, i, amountIn)
  if (state.kind === 'reclamm') return reclammOut(state, live, i, amountIn)
  if (live.includes(0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its tokens')
  return state.kind === 'weighted'
    ? weightedAnswer(state, live, i, j, amountIn)
    : stableAnswer(state, live, i, j, amountIn)
}

type Kind<K extends PooledState['kind']> = Extract<PooledState, { kind: K }>

function weightedAnswer(state: Kind<'weighted'>, live: readonly bigint[], i: number, j: number, amountIn: bigint) {
  const { bounded, weights, scaling } = state
  const balanceIn = bounded ? live[i]! + 1n : live[i]!
  const out = weightedOut(balanceIn, weights[i]!, live[j]!, weights[j]!, amountIn, true)
  const least = (k: number) => (scaling[k]! > LEAST_AMOUNT ? scaling[k]! : LEAST_AMOUNT)
  if (bounded && (balanceIn < least(i) || live[j]! - out < least(j)))
    throw new PoolRefusal('EMPTY', 'the pool keeps a base unit of every token')
  return out
}

function stableAnswer({ amp, bounded }: Kind<'stable'>, live: readonly bigint[], i: number, j: number, given: bigint) {
  const after = live.with(i, live[i]! + given)
  const d = invariant(live, amp)
  const out = live[j]! - stableBalanceUp(after, amp, d, j, 3) - 1n
  if (out < 0n) throw new PoolRefusal('TOO_SMALL', `${given} buys nothing`)
  if (bounded && tooFarApart([...live, after[i]!, live[j]! - out]))
    throw new PoolRefusal('TOO_LARGE', 'it would leave balances 10,000 times apart')
  return out
}

const MAX_IMBALANCE = 10_000n

/** Balances before and after a swap. @see StableMath.ensureBalancesWithinMaxImbalanceRange */
const tooFarApart = (balances: readonly bigint[]): boolean =>
  balances.some((least) => least === 0n || balances.some((most) => most / least >= MAX_IMBALANCE))

const invariant = (live: readonly bigint[], amp: bigint) =>
  stableInvariant(live, { a: amp, precision: AMP_PRECISION }, 'each')

/** The pool as one function over its tokens; null where it lacks one, where its fee moves, or for pairs within a range of prices. */
export function tradingFunction(state: PooledState): TradingFunction | null {
  if (state.kind !== 'weighted' && (state.kind !== 'stable' || state.surge)) return null
  const live = liveBalances(state)
  if (live.includes(0n)) return null
  const units = Float64Array.from(state.scaling, (factor, k) => (Number(factor) * Number(state.rates[k]!)) / 1e18)
  const all = { live, units, swapFee: state.swapFee }
  return state.kind === 'weighted'
    ? weightedTradingFunction(all, state.weights)
    : stableTradingFunction(all, state.amp, invariant(live, state.amp))
}
