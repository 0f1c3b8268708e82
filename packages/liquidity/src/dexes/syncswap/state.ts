/** Finds and reads SyncSwap pools. */
import { ISyncswapFactory__factory, ISyncswapState__factory, SyncswapLens__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { readEach, stateReader } from '../common/read-each.ts'
import type { SyncswapState } from './types.ts'

const LENS = lensOf('SyncswapLens')
const lensInterface = SyncswapLens__factory.createInterface()
const eventsInterface = ISyncswapState__factory.createInterface()

/** Functions that find pools by the factory's getter. A factory creates one pool per token pair. */
export const { findPools, creationTopics, createdPool } = pairFactory(
  ISyncswapFactory__factory.createInterface(),
  'getPool',
  'PoolCreated',
)

/** Estimated gas to read one pool. For each of the two fees, the pool calls its pool master and its fee manager. */
const READ_GAS = 150_000
/** Estimated gas to read both fees. */
const FEES_GAS = 80_000

export const readStates = stateReader(
  ({ address }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [address]), READ_GAS),
  (answer) => {
    const [readResult] = lensInterface.decodeFunctionResult('read', answer)
    return {
      vault: toAddress(readResult.vault),
      stable: readResult.stable,
      reserve0: readResult.reserve0,
      reserve1: readResult.reserve1,
      multiplier0: readResult.multiplier0,
      multiplier1: readResult.multiplier1,
      fee0: readResult.fee0,
      fee1: readResult.fee1,
    }
  },
)

/** Reads the fees again, because the fee manager can change them without a log. */
export function refreshStates(_row: DexRow, pools: readonly Pool<SyncswapState>[]): PoolReads<SyncswapState> {
  return readEach(
    pools,
    ({ address }) => lensRead(LENS, lensInterface.encodeFunctionData('fees', [address]), FEES_GAS),
    (answer, { state }) => {
      const [fee0, fee1] = lensInterface.decodeFunctionResult('fees', answer)
      return fee0 === state.fee0 && fee1 === state.fee1 ? state : { ...state, fee0, fee1 }
    },
  )
}

const SYNC_TOPIC = eventsInterface.getEvent('Sync').topicHash as Hex
export const topics: readonly Hex[] = [SYNC_TOPIC]

export function applyLog({ state }: Pool<SyncswapState>, log: Log): SyncswapState {
  const { reserve0, reserve1 } = eventsInterface.decodeEventLog('Sync', log.data, log.topics)
  return { ...state, reserve0, reserve1 }
}
