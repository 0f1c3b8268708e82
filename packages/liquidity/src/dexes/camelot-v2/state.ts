/** Finds and reads Camelot V2 pairs, and applies their logs. */
import { ICamelotPairState__factory, IUniswapV2Factory__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { pairFactory } from '../common/pair-discover.ts'
import type { CamelotV2State } from './math.ts'

const pairInterface = ICamelotPairState__factory.createInterface()

export const { findPools, creationTopics, createdPool } = pairFactory(
  IUniswapV2Factory__factory.createInterface(),
  'getPair',
  'PairCreated',
)

const GETTERS = ['getReserves', 'stableSwap', 'precisionMultiplier0', 'precisionMultiplier1'] as const
const GETTER_CALLS = GETTERS.map((name) => pairInterface.encodeFunctionData(name as 'stableSwap') as Hex)
/** Estimated gas of one getter call. */
const READ_GAS = 10_000
/** Parts per million in one fee unit of the contracts, which is 1/100,000. */
const PPM_PER_FEE_UNIT = 10

/** Reads each pair with one call of each getter. */
export function* readStates(_row: DexRow, pools: readonly Pool[]): PoolReads<CamelotV2State> {
  const answers = yield pools.flatMap(({ address: to }) => GETTER_CALLS.map((data) => ({ to, data, gas: READ_GAS })))
  return pools.map((_, i) => decodeState(answers.slice(GETTER_CALLS.length * i, GETTER_CALLS.length * (i + 1))))
}

function decodeState([reserves, stable, unit0, unit1]: readonly (Hex | null)[]): CamelotV2State | null {
  if (!reserves || !stable || !unit0 || !unit1) return null
  const [reserve0, reserve1, fee0, fee1] = pairInterface.decodeFunctionResult('getReserves', reserves)
  return {
    reserve0,
    reserve1,
    unit0: pairInterface.decodeFunctionResult('precisionMultiplier0', unit0)[0],
    unit1: pairInterface.decodeFunctionResult('precisionMultiplier1', unit1)[0],
    stable: pairInterface.decodeFunctionResult('stableSwap', stable)[0],
    fee0Ppm: Number(fee0) * PPM_PER_FEE_UNIT,
    fee1Ppm: Number(fee1) * PPM_PER_FEE_UNIT,
  }
}

const SYNC_TOPIC = pairInterface.getEvent('Sync').topicHash as Hex
const FEES_TOPIC = pairInterface.getEvent('FeePercentUpdated').topicHash as Hex
const STABLE_TOPIC = pairInterface.getEvent('SetStableSwap').topicHash as Hex
export const topics: readonly Hex[] = [SYNC_TOPIC, FEES_TOPIC, STABLE_TOPIC]

export function applyLog({ state }: Pool<CamelotV2State>, log: Log): CamelotV2State | 'reread' {
  switch (log.topics[0]) {
    case SYNC_TOPIC: {
      const { reserve0, reserve1 } = pairInterface.decodeEventLog('Sync', log.data, log.topics)
      return { ...state, reserve0, reserve1 }
    }
    case FEES_TOPIC: {
      const { token0FeePercent, token1FeePercent } = pairInterface.decodeEventLog(
        'FeePercentUpdated',
        log.data,
        log.topics,
      )
      return {
        ...state,
        fee0Ppm: Number(token0FeePercent) * PPM_PER_FEE_UNIT,
        fee1Ppm: Number(token1FeePercent) * PPM_PER_FEE_UNIT,
      }
    }
    default:
      return 'reread'
  }
}
