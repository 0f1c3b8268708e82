/** Test vectors of Balancer V3 pools with hooks and special math, from the real vault. */
import type { EclpDerived, EclpParams } from '../../src/dexes/balancer-v3/gyro-eclp.ts'
import { liveBalancesOf } from '../../src/dexes/balancer-v3/math.ts'
import type { BalancePair, ReclammDynamics } from '../../src/dexes/balancer-v3/reclamm.ts'
import { virtualBalances } from '../../src/dexes/balancer-v3/reclamm.ts'
import type { BalancerV3State, PooledState } from '../../src/dexes/balancer-v3/types.ts'
import { mulDown, ONE } from '../../src/math/balancer.ts'
import { divUp } from '../../src/math/integers.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const bigints = (from: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, BigInt(value)]))
const numbers = (list: readonly string[]) => list.map(BigInt)

/** Returns base units without accrued yield fees: `balancesRaw` can include them, the live balances do not. */
const balancesOf = ({ balancesRaw, balancesLiveScaled18, scalingFactors, rates }: VectorPool): readonly bigint[] =>
  (balancesRaw ?? []).map((raw: string, k: number) => {
    const unit = BigInt(scalingFactors[k]) * BigInt(rates[k])
    const live = BigInt(balancesLiveScaled18[k])
    return mulDown(BigInt(raw), unit) === live ? BigInt(raw) : divUp(live * ONE, unit)
  })

/** Returns the state, or the reason for which its kind is not supported. */
function stateOf(from: VectorPool, timestamp: number): BalancerV3State | string {
  const common = {
    balances: balancesOf(from),
    scaling: numbers(from.scalingFactors ?? []),
    rates: numbers(from.rates ?? []),
    swapFee: BigInt(from.staticSwapFee ?? 0),
    aggregateFee: BigInt(from.aggregateSwapFee ?? 0),
    bounded: true,
  }
  switch (from.kind) {
    case 'gyro-2clp':
      return { ...common, kind: 'gyro-2clp', sqrtAlpha: BigInt(from.sqrtAlpha), sqrtBeta: BigInt(from.sqrtBeta) }
    case 'gyro-eclp':
    case 'gyro-eclp-surge': {
      const { tauAlpha, tauBeta, ...rest } = from.derived
      const derivedParameters = {
        ...bigints(rest),
        tauAlpha: bigints(tauAlpha),
        tauBeta: bigints(tauBeta),
      } as EclpDerived
      const state = {
        ...common,
        kind: 'gyro-eclp',
        params: bigints(from.params) as EclpParams,
        derived: derivedParameters,
      } as const
      if (from.kind === 'gyro-eclp') return state
      const [below, above] = numbers(from.imbalanceSlopes) as [bigint, bigint]
      const [threshold, maxFee] = [BigInt(from.surgeThreshold), BigInt(from.maxSurgeFee)]
      return { ...state, surge: { threshold, maxFee, slopes: { below, above } } }
    }
    case 'stable-surge':
      return {
        ...common,
        kind: 'stable',
        amp: BigInt(from.amplification),
        surge: { threshold: BigInt(from.surgeThreshold), maxFee: BigInt(from.maxSurgeFee) },
      }
    case 'reclamm': {
      const live = numbers(from.balancesLiveScaled18) as unknown as BalancePair
      return { ...common, kind: 'reclamm', virtual: virtualBalances(clockOf(from), live, BigInt(timestamp)) }
    }
    case 'erc4626-buffer': {
      const [totalAssets, totalSupply] = [BigInt(from.totalAssets), BigInt(from.totalSupply)]
      const vault = { totalAssets, totalSupply, virtualShares: 1n, maxDeposit: 1n << 255n, cash: totalAssets }
      return { kind: 'buffer', vault, underlying: BigInt(from.bufferUnderlying), wrapped: BigInt(from.bufferWrapped) }
    }
    default:
      return `pools of ${from.kind} are left out`
  }
}

const clockOf = (from: VectorPool): ReclammDynamics => ({
  lastTimestamp: BigInt(from.lastTimestamp),
  lastVirtual: numbers(from.lastVirtualBalances) as unknown as BalancePair,
  dailyPriceShiftBase: BigInt(from.dailyPriceShiftBase),
  centerednessMargin: BigInt(from.centerednessMargin),
  startFourthRoot: BigInt(from.startFourthRootPriceRatio),
  endFourthRoot: BigInt(from.endFourthRootPriceRatio),
  updateStart: BigInt(from.priceRatioUpdateStartTime),
  updateEnd: BigInt(from.priceRatioUpdateEndTime),
})

/** Converts quotes of the real vault, each from the state and at the time of the vector. */
export const balancerV3ExtraForm: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    const from = states[vector.state]
    if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
    const state = stateOf(from, vector.timestamp)
    if (typeof state === 'string') return { skip: state }
    const decimals: readonly number[] = state.kind === 'buffer' ? [from.decimals, from.decimals] : from.decimals
    const tokens = decimals.map((_, k) => namedAddress(`token${k}`))
    const { indexIn = vector.direction === 'wrap' ? 0 : 1, indexOut = 1 - indexIn } = vector
    return {
      label: `${vector.amountIn} of token ${indexIn} for ${indexOut}: ${vector.state}`,
      pool: pairOf('balancer-v3', tokens, state),
      tokenIn: tokens[indexIn]!,
      tokenOut: tokens[indexOut]!,
      amountIn: BigInt(vector.amountIn),
      amountOut: vector.fails ? null : BigInt(vector.amountOut),
      after: (after: unknown) => {
        if (!vector.after) return undefined
        if (state.kind === 'buffer') {
          const { underlying, wrapped } = after as Extract<BalancerV3State, { kind: 'buffer' }>
          return differences({ bufferUnderlying: underlying, bufferWrapped: wrapped }, vector.after)
        }
        const namedValues = (list: readonly unknown[]) =>
          Object.fromEntries(list.map((value, k) => [`live ${k}`, value]))
        const ours = namedValues(liveBalancesOf(after as PooledState)) as Record<string, bigint>
        return differences(ours, namedValues(vector.after.balancesLiveScaled18))
      },
    }
  })
