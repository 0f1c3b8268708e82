/** Implements `DexFamily` for Solidly V3 pools. */
import { ISolidlyV3Pool__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { DexFamily, Pool } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readSolidlyV3 } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

const poolInterface = ISolidlyV3Pool__factory.createInterface()
const SET_FEE_TOPIC = poolInterface.getEvent('SetFee').topicHash as Hex
const uniswapLogs = concentratedLogs()

/** Solidly V3 pools. */
export const solidlyV3: DexFamily<ConcentratedState> = {
  id: 'solidly-v3',
  findPools,
  readStates: readSolidlyV3,
  creationTopics,
  createdPool,
  topics: [...uniswapLogs.topics, SET_FEE_TOPIC],
  applyLog(pool: Pool<ConcentratedState>, log: Log) {
    if (log.topics[0] !== SET_FEE_TOPIC) return uniswapLogs.applyLog(pool, log)
    const { feeNew } = poolInterface.decodeEventLog('SetFee', log.data, log.topics)
    return { ...pool.state, feePpm: Number(feeNew) }
  },
  // A crossed tick takes one cold slot and some math. An empty bitmap word takes one cold slot, too.
  ...concentratedTrade('solidly-v3', { observesTicks: false, writesCrossedTicks: false, wordGasRatio: 0.55 }),
  keepsTokens: true,
}
