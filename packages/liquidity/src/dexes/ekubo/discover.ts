/** Finds pools of the Ekubo core, the contract that holds all pools. */
import { IEkuboCore__factory } from '@sluice/bindings'
import { eventReader } from '@sluice/bindings/codec'
import { type DexRow, type Hex, PPM, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { ListedPool, Pool, PoolReads, Reads, TokenPair } from '../../family.ts'
import { chunks } from '../common/chunks.ts'
import { sortPair } from '../common/direction.ts'
import { proveByKey, validPairOf } from '../common/listed.ts'
import { singletonPool } from '../common/make-pool.ts'
import { withNative } from '../common/native-pairs.ts'
import { concentratedType, configOf, decodeConfig, type EkuboVersion, poolId, V2_ID, versionOf } from './config.ts'
import { sloadRead, slotsPerRead, stateSlotOf, wordsOf } from './storage.ts'

const coreInterface = IEkuboCore__factory.createInterface()
type PoolCreatedEvent = [
  poolId: string,
  key: { readonly token0: string; readonly token1: string; readonly config: Hex },
]
const decodePoolInitialized = eventReader<PoolCreatedEvent>(coreInterface, 'PoolInitialized')

/** Converts ppm to units of 2⁻⁶⁴. */
const feeFromPpm = (ppm: bigint): bigint => (ppm << 64n) / PPM
/**
 * Fees in ppm and tick spacings of most pools. The core has no getter for the pools of a pair, but the ids of pools
 * with these values can be computed. Pools with other values are found by their creation logs.
 */
const USUAL_FEES_AND_SPACINGS = [
  [0n, 1_000],
  [10n, 20],
  [50n, 100],
  [100n, 200],
  [500n, 1_000],
  [3_000n, 5_982],
  [10_000n, 19_802],
  [50_000n, 95_310],
] as const
/** Pool type of one range that contains all ticks. */
const FULL_RANGE = 0
/** Returns the configs of pools with usual fees: one with the tick spacing, and one with the full range. */
const usualConfigs = (version: EkuboVersion): readonly Hex[] =>
  USUAL_FEES_AND_SPACINGS.flatMap(([ppm, spacing]) => [
    configOf(feeFromPpm(ppm), concentratedType(spacing, version)),
    configOf(feeFromPpm(ppm), FULL_RANGE),
  ])
const USUAL_CONFIGS: Readonly<Record<EkuboVersion, readonly Hex[]>> = { 2: usualConfigs(2), 3: usualConfigs(3) }
/** Pool ids per read. A read takes about 2.6 million gas. */
const IDS_PER_READ = 1_000

/** Returns the row if it is of version 3. */
export const rowsOf = (row: DexRow): readonly DexRow[] =>
  row.family === 'ekubo' && row.version?.startsWith('3') ? [row] : []

/** Returns the row, for the family of version 2, if it is of version 2. */
export const rowsOfV2 = (row: DexRow): readonly DexRow[] =>
  row.family === 'ekubo' && row.version?.startsWith('2') ? [{ ...row, family: V2_ID }] : []

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const candidates = withNative(pairs, row.contracts?.wrappedNative).flatMap((pair) =>
    USUAL_CONFIGS[versionOf(row.family)].map((config) => makePool(row, pair, config)),
  )
  return yield* initializedPools(row, candidates)
}

/** Returns the candidates that are initialized. The state word of an initialized pool is never zero. */
function* initializedPools(row: DexRow, candidates: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(candidates, slotsPerRead(versionOf(row.family), IDS_PER_READ))
  const answers = yield batches.map((batch) =>
    sloadRead(
      row.address,
      batch.map(({ id }) => stateSlotOf(id, versionOf(row.family))),
    ),
  )
  return batches.flatMap((batch, batchIndex) => {
    const words = wordsOf(answers[batchIndex] ?? '0x')
    return batch.filter((_, i) => (words[i] ?? 0n) !== 0n)
  })
}

function makePool(row: DexRow, pair: TokenPair, config: Hex): Pool<null> {
  const tokens = sortPair(pair)
  return singletonPool(row, poolId(tokens, { config }), tokens, { config })
}

/**
 * Verifies pools of a pool list. The id is the hash of the key, so a pool exists if the core stores state for its id.
 */
export function provePools(row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>> {
  return proveByKey(listedPools, listedPool, (candidates) => initializedPools(row, candidates))

  function listedPool({ tokens, fixed }: ListedPool): Pool<null> | null {
    const { config } = (fixed ?? {}) as Readonly<Record<string, unknown>>
    const pair = validPairOf(tokens)
    if (!pair || typeof config !== 'string' || !/^0x[0-9a-f]{64}$/.test(config)) return null
    return decodeConfig(config as Hex, versionOf(row.family)) ? makePool(row, pair, config as Hex) : null
  }
}

export const creationTopics: readonly Hex[] = [coreInterface.getEvent('PoolInitialized').topicHash as Hex]

/** Returns the pool of a creation log; null if its pool type is invalid. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const [, { token0, token1, config }] = decodePoolInitialized(log.data)
  return decodeConfig(config, versionOf(row.family)) && makePool(row, [toAddress(token0), toAddress(token1)], config)
}
