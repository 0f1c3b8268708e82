/** Test vectors of Balancer V2. */
import type { BalancerV2State } from '../../src/dexes/balancer-v2/types.ts'
import { ONE } from '../../src/math/balancer.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

const addresses = (pool: VectorPool) =>
  pool.Pool
    ? pool.Pool.Info.Tokens.map(namedAddress)
    : pool.tokens.map((token: VectorPool) => namedAddress(token.address))
const balances = (pool: VectorPool) => (pool.Pool ? pool.Pool.Info.Reserves : pool.reserves).map(BigInt)
/** Early pools store scaling factors without decimals. */
const scaling = (factors: string[]) =>
  factors.map((factor) => (BigInt(factor) < 10n ** 13n ? BigInt(factor) * ONE : BigInt(factor)))

export const balancerV2Weighted: Adapter = ({ pool }) => {
  const fixedFields = pool.staticExtra ?? pool
  const state: BalancerV2State = {
    kind: 'weighted',
    balances: balances(pool),
    scaling: scaling(fixedFields.scalingFactors),
    weights: fixedFields.normalizedWeights.map(BigInt),
    swapFee: BigInt((pool.extra ?? pool).swapFeePercentage),
    exactPowers: fixedFields.poolTypeVer > 1,
  }
  return pairOf('balancer-v2', addresses(pool), state)
}

export const balancerV2Stable: Adapter = ({ pool }) => {
  const { amp, swapFeePercentage, scalingFactors } = pool.extra
  return pairOf<BalancerV2State>('balancer-v2', addresses(pool), {
    kind: 'stable',
    balances: balances(pool),
    scaling: scalingFactors.map(BigInt),
    amp: BigInt(amp),
    swapFee: BigInt(swapFeePercentage),
    roundsUp: true,
  })
}

export const balancerV2ComposableStable: Adapter = ({ pool }, vector) => {
  const { bptSimulator, regularSimulator } = pool
  if (bptSimulator) return 'joins or leaves the pool through its own share, which is not quoted'
  const { scalingFactors, bptIndex, amp, swapFeePercentage } = regularSimulator
  if (vector.tokenIn === vector.tokenOut) return 'names one token twice'
  const without = <T>(list: T[]) => list.toSpliced(bptIndex, 1)
  return pairOf<BalancerV2State>('balancer-v2', without(addresses(pool)), {
    kind: 'stable',
    balances: without(balances(pool)),
    scaling: without(scalingFactors.map(BigInt)),
    amp: BigInt(amp),
    swapFee: BigInt(swapFeePercentage),
    roundsUp: false,
  })
}
