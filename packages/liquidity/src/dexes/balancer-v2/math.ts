import { PoolRefusal } from '../../family.ts'
import {
  AMP_PRECISION,
  divDown,
  mulDown,
  mulUp,
  roundedUpInvariant,
  stableBalanceUp,
  weightedOut,
} from '../../math/balancer.ts'
import { stableInvariant } from '../../math/stable-swap.ts'
import type { BalancerV2State } from './types.ts'

/**
 * What an exact input buys, rounded as the pool does.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_LARGE` above 30 % of a weighted balance, `TOO_SMALL` where nothing would come out
 * @see BaseGeneralPool and BaseMinimalSwapInfoPool, balancer/balancer-v2-monorepo
 */
export function quote(
  state: BalancerV2State,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: BalancerV2State } {
  const { balances, scaling, swapFee } = state
  if (balances.includes(0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its tokens')
  const scaled = balances.map((balance, k) => mulDown(balance, scaling[k]!))
  const kept = mulDown(amountIn - mulUp(amountIn, swapFee), scaling[i]!)
  const amountOut = divDown(scaledOut(state, scaled, i, j, kept), scaling[j]!)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const after = balances.with(i, balances[i]! + amountIn).with(j, balances[j]! - amountOut)
  return { amountOut, state: { ...state, balances: after } }
}

function scaledOut(state: BalancerV2State, scaled: readonly bigint[], i: number, j: number, kept: bigint): bigint {
  if (state.kind === 'weighted') {
    const { weights, exactPowers } = state
    return weightedOut(scaled[i]!, weights[i]!, scaled[j]!, weights[j]!, kept, exactPowers)
  }
  const { amp } = state
  const d = state.roundsUp
    ? roundedUpInvariant(scaled, amp)
    : stableInvariant(scaled, { a: amp, precision: AMP_PRECISION }, 'each')
  return scaled[j]! - stableBalanceUp(scaled.with(i, scaled[i]! + kept), amp, d, j, 2) - 1n
}
