/** Reads PancakeSwap stable pools. */
import { CurveLens__factory, IPancakeStableState__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { id } from 'ethers'
import type { Pool, PoolReads } from '../../family.ts'
import { CURVE_LENS } from '../../lenses.ts'
import { decodeStateRead, toState } from '../curve-stable/state.ts'
import type { CurveStableState } from '../curve-stable/types.ts'

const lensInterface = CurveLens__factory.createInterface()
const poolInterface = IPancakeStableState__factory.createInterface()
const [IS_KILLED_CALL, AMPLIFICATION_CALL] = [
  poolInterface.encodeFunctionData('is_killed'),
  poolInterface.encodeFunctionData('A'),
] as [Hex, Hex]

/** Estimated gas to read one pool, with two quotes. */
const READ_GAS = 400_000

/** Reads states. Returns null for a killed pool, which allows only withdrawals. */
export function* readStates(_row: DexRow, pools: readonly Pool<null>[]): PoolReads<CurveStableState> {
  const answers = yield pools.flatMap(({ address }) => [
    { ...CURVE_LENS, data: lensInterface.encodeFunctionData('read', [address]) as Hex, gas: READ_GAS },
    { to: address, data: IS_KILLED_CALL },
  ])
  return pools.map((_, i) => {
    const [stateAnswer, killedAnswer] = [answers[2 * i], answers[2 * i + 1]]
    if (!stateAnswer || !killedAnswer || BigInt(killedAnswer) !== 0n) return null
    return toState(decodeStateRead(stateAnswer), 'each')
  })
}

/** Reads the amplification again. During a ramp, it changes with time, without a log. */
export function* refreshStates(_row: DexRow, pools: readonly Pool<CurveStableState>[]): PoolReads<CurveStableState> {
  const answers = yield pools.map(({ address }) => ({ to: address, data: AMPLIFICATION_CALL }))
  return pools.map(({ state }, i) => {
    const answer = answers[i]
    if (!answer || answer === '0x') return null
    const newA = BigInt(answer)
    return newA === state.amplification.a ? state : { ...state, amplification: { ...state.amplification, a: newA } }
  })
}

/** ABI types of amount lists in logs, for pools of two and of three coins. */
const AMOUNTS_TYPES = ['uint256[2]', 'uint256[3]']

/**
 * Topics of logs after which the pool is read again. The new state cannot be computed from a log, because logs omit the
 * admin fees. The events are not in the bindings, because several events share one name.
 */
export const topics: readonly Hex[] = [
  'TokenExchange(address,uint256,uint256,uint256,uint256)',
  ...AMOUNTS_TYPES.map((amounts) => `AddLiquidity(address,${amounts},${amounts},uint256,uint256)`),
  ...AMOUNTS_TYPES.map((amounts) => `RemoveLiquidity(address,${amounts},${amounts},uint256)`),
  ...AMOUNTS_TYPES.map((amounts) => `RemoveLiquidityImbalance(address,${amounts},${amounts},uint256,uint256)`),
  'RemoveLiquidityOne(address,uint256,uint256,uint256)',
  'NewFee(uint256,uint256)',
  'RampA(uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256)',
  'DonateAdminFees()',
  'Kill()',
  'Unkill()',
].map((signature) => id(signature) as Hex)

export const applyLog = () => 'reread' as const
