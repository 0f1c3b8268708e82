import type { BalancerV3State } from '../dexes/balancer-v3/types.ts'
import { ONE } from '../math/balancer.ts'
import { divUp } from '../math/integers.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

/** Scaled balances, by which the sources quote, and what makes base units of them. */
function commonOf(live: readonly string[], scaling: readonly string[], rates: readonly string[]) {
  const factors = { scaling: scaling.map(BigInt), rates: rates.map(BigInt) }
  const balances = live.map((balance, k) => divUp(BigInt(balance) * ONE, factors.scaling[k]! * factors.rates[k]!))
  return { ...factors, balances, bounded: false }
}

/** As an indexer keeps it: `decs` are powers of ten. */
function ofEntity({ extra }: VectorPool): BalancerV3State | string {
  if (extra.buffs) return 'goes through buffers of ERC-4626 shares, which are hops of their own here'
  const fees = { swapFee: BigInt(extra.fee), aggregateFee: BigInt(extra.aggrFee) }
  const common = { ...commonOf(extra.balsE18, extra.decs, extra.rates), ...fees }
  return extra.normalizedWeights
    ? { ...common, kind: 'weighted', weights: extra.normalizedWeights.map(BigInt) }
    : { ...common, kind: 'stable', amp: BigInt(extra.ampParam) }
}

/** As asked of a chain. */
function ofQuery(pool: VectorPool): BalancerV3State | string {
  if (pool.poolType !== 'WEIGHTED' && pool.poolType !== 'STABLE') return `a pool of another kind: ${pool.poolType}`
  if (pool.hook) return 'a hook has a say in its swaps'
  const fees = { swapFee: BigInt(pool.swapFee), aggregateFee: BigInt(pool.aggregateSwapFee) }
  const common = { ...commonOf(pool.balancesLiveScaled18, pool.scalingFactors, pool.tokenRates), ...fees }
  return pool.poolType === 'WEIGHTED'
    ? { ...common, kind: 'weighted', weights: pool.weights.map(BigInt) }
    : { ...common, kind: 'stable', amp: BigInt(pool.amp) }
}

export const balancerV3: Adapter = ({ source, pool }) => {
  const state = source === 'entity' ? ofEntity(pool) : ofQuery(pool)
  if (typeof state === 'string') return state
  const tokens = pool.tokens.map((token: VectorPool) => namedAddress(token.address ?? token))
  return pairOf<BalancerV3State>('balancer-v3', tokens, state)
}
