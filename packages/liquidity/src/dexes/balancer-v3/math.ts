/**
 * Exact math of Balancer V3 pools. Scaled amounts have 18 decimals, and the same unit for all tokens of a pool. Scaled
 * balances are called live balances, as in the contracts. `i` and `j` are the indices of the input and the output
 * token.
 */
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import {
  AMP_PRECISION,
  MAX_IN_RATIO,
  mulDown,
  mulUp,
  ONE,
  stableBalanceUp,
  stableTradingFunction,
  weightedAmountOut,
  weightedTradingFunction,
} from '../../math/balancer.ts'
import { min } from '../../math/integers.ts'
import { stableInvariant } from '../../math/stable-swap.ts'
import type { TradingFunction } from '../../math/trading-function.ts'
import { gyro2ClpLimit, gyro2ClpOut } from './gyro-2clp.ts'
import { gyroEclpLimit, gyroEclpOut, gyroEclpPrices } from './gyro-eclp.ts'
import { reclammLimit, reclammOut } from './reclamm.ts'
import { eclpImbalance, stableImbalance, surgeFee } from './surge.ts'
import type { PooledState } from './types.ts'

/** Minimum input and output of the vault, scaled. */
const MIN_AMOUNT = 10n ** 6n

/** The vault stores balances as uint128, both raw and scaled. @see PackedTokenBalance, balancer/balancer-v3-monorepo */
const MAX_BALANCE = (1n << 128n) - 1n

/**
 * Quotes an exact input in base units, with the rounding of the vault and the pool.
 *
 * @throws PoolRefusal `EMPTY`; `TOO_SMALL` below the vault's minimum; `TOO_LARGE` above 30 % of a weighted balance, or
 * if the balances of a stable pool would become too imbalanced
 * @see Vault._swap, WeightedPool.onSwap and StablePool.onSwap, balancer/balancer-v3-monorepo
 */
export function quote(
  state: PooledState,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: PooledState } {
  const { balances, scaling, rates, aggregateFee } = state
  const scaledIn = mulDown(amountIn * scaling[i]!, rates[i]!)
  const liveBalances = liveBalancesOf(state)
  const fee = mulUp(scaledIn, swapFeeOf(state, liveBalances, i, j, scaledIn))
  if (scaledIn - fee < MIN_AMOUNT) throw new PoolRefusal('TOO_SMALL', `${amountIn} is below the vault's minimum input`)
  const scaledAmountOut = computeScaledOut(state, liveBalances, i, j, scaledIn - fee)
  if (scaledAmountOut < MIN_AMOUNT)
    throw new PoolRefusal('TOO_SMALL', `${amountIn} buys less than the vault's minimum output`)
  const amountOut = (scaledAmountOut * ONE) / (scaling[j]! * roundRateUp(rates[j]!))
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const protocolFee = mulDown((fee * ONE) / (scaling[i]! * rates[i]!), aggregateFee)
  const balancesAfter = balances.with(i, balances[i]! + amountIn - protocolFee).with(j, balances[j]! - amountOut)
  if (balancesAfter[i]! > MAX_BALANCE || mulDown(balancesAfter[i]! * scaling[i]!, rates[i]!) > MAX_BALANCE)
    throw new PoolRefusal('TOO_LARGE', 'more than the vault can store')
  return { amountOut, state: { ...state, balances: balancesAfter } }
}

/**
 * Returns the fee as a fraction of the input, 18 decimals. A surge hook computes its fee from the trade without fees.
 */
function swapFeeOf(
  state: PooledState,
  liveBalances: readonly bigint[],
  i: number,
  j: number,
  scaledIn: bigint,
): bigint {
  if ((state.kind !== 'stable' && state.kind !== 'gyro-eclp') || !state.surge) return state.swapFee
  const balancesAfter = () =>
    liveBalances
      .with(i, liveBalances[i]! + scaledIn)
      .with(j, liveBalances[j]! - computeScaledOut(state, liveBalances, i, j, scaledIn))
  if (state.kind === 'stable')
    return surgeFee(state.surge, state.swapFee, () => [stableImbalance(liveBalances), stableImbalance(balancesAfter())])
  const { slopes } = state.surge
  return surgeFee(state.surge, state.swapFee, () => {
    const [priceBefore, priceAfter] = gyroEclpPrices(state, liveBalances, balancesAfter())
    return [eclpImbalance(priceBefore!, state.params, slopes), eclpImbalance(priceAfter!, state.params, slopes)]
  })
}

/** Returns the scaled balances. */
export const liveBalancesOf = ({ balances, scaling, rates }: PooledState): bigint[] =>
  balances.map((balance, k) => mulDown(balance * scaling[k]!, rates[k]!))

/** Adds one unit to a rate that is not a whole number, because the rate provider may have rounded it down. */
const roundRateUp = (rate: bigint) => (rate % ONE === 0n ? rate : rate + 1n)

/** Returns the scaled output for a scaled input without fees. */
export function computeScaledOut(
  state: PooledState,
  liveBalances: readonly bigint[],
  i: number,
  j: number,
  amountIn: bigint,
): bigint {
  // Only pools with a price range can trade while one balance is empty.
  if (state.kind === 'gyro-2clp') return gyro2ClpOut(state, liveBalances, i, amountIn)
  if (state.kind === 'gyro-eclp') return gyroEclpOut(state, liveBalances, i, amountIn)
  if (state.kind === 'reclamm') return reclammOut(state, liveBalances, i, amountIn)
  if (liveBalances.includes(0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its tokens')
  return state.kind === 'weighted'
    ? weightedOutput(state, liveBalances, i, j, amountIn)
    : stableOutput(state, liveBalances, i, j, amountIn)
}

type StateOfKind<K extends PooledState['kind']> = Extract<PooledState, { kind: K }>

/** Returns the scaled output of a weighted pool. @param amountIn - scaled, without the fee */
function weightedOutput(
  state: StateOfKind<'weighted'>,
  liveBalances: readonly bigint[],
  i: number,
  j: number,
  amountIn: bigint,
) {
  const { bounded, weights, scaling } = state
  const balanceIn = bounded ? liveBalances[i]! + 1n : liveBalances[i]!
  const amountOut = weightedAmountOut(balanceIn, weights[i]!, liveBalances[j]!, weights[j]!, amountIn, true)
  const minBalance = (k: number) => (scaling[k]! > MIN_AMOUNT ? scaling[k]! : MIN_AMOUNT)
  if (bounded && (balanceIn < minBalance(i) || liveBalances[j]! - amountOut < minBalance(j)))
    throw new PoolRefusal('EMPTY', 'a balance would be below the minimum of the pool')
  return amountOut
}

/** Returns the scaled output of a stable pool. @param scaledIn - without the fee */
function stableOutput(
  { amp, bounded }: StateOfKind<'stable'>,
  liveBalances: readonly bigint[],
  i: number,
  j: number,
  scaledIn: bigint,
) {
  const balancesAfter = liveBalances.with(i, liveBalances[i]! + scaledIn)
  const d = invariant(liveBalances, amp)
  const amountOut = liveBalances[j]! - stableBalanceUp(balancesAfter, amp, d, j, 3) - 1n
  if (amountOut < 0n) throw new PoolRefusal('TOO_SMALL', `${scaledIn} buys nothing`)
  if (bounded && areTooFarApart([...liveBalances, balancesAfter[i]!, liveBalances[j]! - amountOut]))
    throw new PoolRefusal('TOO_LARGE', 'one balance would be 10,000 times another one')
  return amountOut
}

/** Ratio of the largest to the smallest balance at which a stable pool starts to revert. */
const MAX_IMBALANCE = 10_000n
/** Iterations of `stableLimit`. Each iteration reduces the error a hundredfold. */
const LIMIT_STEPS = 3

/**
 * True if a balance is zero, or if one balance is at least `MAX_IMBALANCE` times another one.
 *
 * @param balances - of all tokens before a swap, and of the swapped tokens after it
 * @see StableMath.ensureBalancesWithinMaxImbalanceRange
 */
const areTooFarApart = (balances: readonly bigint[]): boolean =>
  balances.some((low) => low === 0n || balances.some((high) => high / low >= MAX_IMBALANCE))

const invariant = (liveBalances: readonly bigint[], amp: bigint) =>
  stableInvariant(liveBalances, { a: amp, precision: AMP_PRECISION }, 'each')

/** Returns the approximate largest input, including the fee, in base units. */
export function approximateMaxInput(state: PooledState, i: number, j: number): bigint {
  const { scaling, rates } = state
  const liveBalances = liveBalancesOf(state)
  const maxAdded = MAX_BALANCE - liveBalances[i]!
  const maxScaledIn = scaledLimit(state, liveBalances, i, j)
  const scaledIn = min(maxScaledIn, maxAdded)
  // A larger trade never has a smaller surge fee, so take the fee of the largest trade.
  const fee = nullIfRefused(() => swapFeeOf(state, liveBalances, i, j, scaledIn)) ?? state.swapFee
  const withFee = fee < ONE ? (scaledIn * ONE) / (ONE - fee) : 0n
  return (min(withFee, maxAdded) * ONE) / (scaling[i]! * rates[i]!)
}

/** Returns the approximate largest input without the fee, scaled. */
function scaledLimit(state: PooledState, liveBalances: readonly bigint[], i: number, j: number): bigint {
  switch (state.kind) {
    case 'gyro-2clp':
      return gyro2ClpLimit(state, liveBalances, i)
    case 'gyro-eclp':
      return gyroEclpLimit(state, liveBalances, i)
    case 'reclamm':
      return reclammLimit(state, liveBalances, i)
    case 'weighted':
      return mulDown(liveBalances[i]!, MAX_IN_RATIO)
    case 'stable':
      return state.bounded ? stableLimit(state, liveBalances, i, j) : MAX_BALANCE
  }
}

/** Returns the approximate input that brings the ratio of the largest to the smallest balance to `MAX_IMBALANCE`. */
function stableLimit({ amp }: StateOfKind<'stable'>, liveBalances: readonly bigint[], i: number, j: number): bigint {
  const d = invariant(liveBalances, amp)
  const otherBalances = liveBalances.filter((_, k) => k !== i && k !== j)
  const minOther = otherBalances.reduce(min, d)
  let balanceIn = d
  for (let step = 0; step < LIMIT_STEPS; step++)
    balanceIn = stableBalanceUp(liveBalances.with(j, balanceIn / MAX_IMBALANCE + 1n), amp, d, i, 3)
  const maxBalance = minOther * MAX_IMBALANCE
  return min(balanceIn, maxBalance) - liveBalances[i]!
}

/** Returns the pool as one function of its balances; null if it has an empty balance, a surge fee, or a price range. */
export function tradingFunction(state: PooledState): TradingFunction | null {
  if (state.kind !== 'weighted' && (state.kind !== 'stable' || state.surge)) return null
  const liveBalances = liveBalancesOf(state)
  if (liveBalances.includes(0n)) return null
  const units = Float64Array.from(state.scaling, (factor, k) => (Number(factor) * Number(state.rates[k]!)) / 1e18)
  const pool = { liveBalances, units, swapFee: state.swapFee }
  return state.kind === 'weighted'
    ? weightedTradingFunction(pool, state.weights)
    : stableTradingFunction(pool, state.amp, invariant(liveBalances, state.amp))
}
