/** Test vectors of Balancer V3 weighted and stable pools. */
import type { BalancerV3State } from '../../src/dexes/balancer-v3/types.ts'
import { ONE } from '../../src/math/balancer.ts'
import { divUp } from '../../src/math/integers.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

/** Converts the sources' scaled balances to base units. */
function commonOf(live: readonly string[], scaling: readonly string[], rates: readonly string[]) {
  const factors = { scaling: scaling.map(BigInt), rates: rates.map(BigInt) }
  const balances = live.map((balance, k) => divUp(BigInt(balance) * ONE, factors.scaling[k]! * factors.rates[k]!))
  return { ...factors, balances, bounded: false }
}

/** Converts a pool of an indexer; `decs` are powers of ten. */
function fromEntity({ extra }: VectorPool): BalancerV3State | string {
  if (extra.buffs) return 'uses ERC-4626 buffers, which are separate hops here'
  const fees = { swapFee: BigInt(extra.fee), aggregateFee: BigInt(extra.aggrFee) }
  const common = { ...commonOf(extra.balsE18, extra.decs, extra.rates), ...fees }
  return extra.normalizedWeights
    ? { ...common, kind: 'weighted', weights: extra.normalizedWeights.map(BigInt) }
    : { ...common, kind: 'stable', amp: BigInt(extra.ampParam) }
}

/** Converts a pool that was queried on chain. */
function fromQuery(pool: VectorPool): BalancerV3State | string {
  if (pool.poolType !== 'WEIGHTED' && pool.poolType !== 'STABLE') return `a pool of another kind: ${pool.poolType}`
  if (pool.hook) return 'a hook takes part in its swaps'
  const fees = { swapFee: BigInt(pool.swapFee), aggregateFee: BigInt(pool.aggregateSwapFee) }
  const common = { ...commonOf(pool.balancesLiveScaled18, pool.scalingFactors, pool.tokenRates), ...fees }
  return pool.poolType === 'WEIGHTED'
    ? { ...common, kind: 'weighted', weights: pool.weights.map(BigInt) }
    : { ...common, kind: 'stable', amp: BigInt(pool.amp) }
}

/** Converts a pool of another program. */
export const balancerV3: Adapter = ({ source, pool }) => {
  const state = source === 'entity' ? fromEntity(pool) : fromQuery(pool)
  if (typeof state === 'string') return state
  const tokens = pool.tokens.map((token: VectorPool) => namedAddress(token.address ?? token))
  return pairOf<BalancerV3State>('balancer-v3', tokens, state)
}
