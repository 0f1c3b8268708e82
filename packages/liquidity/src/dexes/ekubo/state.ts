/** Reads Ekubo pools, and applies their logs. */
import { EkuboLens__factory, IEkuboCore__factory, IEkuboV2Core__factory } from '@sluice/bindings'
import { callCodec, eventReader } from '@sluice/bindings/codec'
import type { DexRow, Hex } from '@sluice/chains'
import type { BlockHeader, Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import type { Tick } from '../../math/concentrated.ts'
import { changeLiquidity } from '../../math/positions.ts'
import { chunks } from '../common/chunks.ts'
import { decodeTicks, splitAnswers } from '../common/concentrated-state.ts'
import { configOfPool, isExtended, versionOf } from './config.ts'
import { MAX_TICK, MIN_TICK } from './ratio.ts'
import { decodeStateWord, sloadRead, slotsPerRead, stateSlotOf, wordsOf } from './storage.ts'
import { BITS_PER_WORD, bitPositionOf, tickAtBitPosition } from './tick-bitmap.ts'
import type { EkuboState } from './types.ts'

const LENS = lensOf('EkuboLens')
const ticksCodecOf = (name: 'ticks' | 'ticksV2') =>
  callCodec<[core: string, id: string, spacing: number, first: number, last: number], [bigint[]]>(
    EkuboLens__factory.createInterface(),
    name,
  )
/** Codecs of the lens functions that read the ticks of a pool, by version of the core. */
const TICKS_CODECS = { 2: ticksCodecOf('ticksV2'), 3: ticksCodecOf('ticks') } as const
const coreInterface = IEkuboCore__factory.createInterface()
const v2CoreInterface = IEkuboV2Core__factory.createInterface()

/** Maximum bitmap words per read. */
const WORDS_PER_READ = 1_500
/** Maximum bitmap words per pool. In a pool with more words, only the words around the price are read. */
const MAX_WORDS = 6_000
/** Estimated gas to read one bitmap word, by version of the core. Version 2 needs more, because the slot is a hash. */
const WORD_GAS = { 2: 3_400, 3: 2_900 } as const
/** Estimated gas to read a few dozen ticks. */
const TICKS_GAS = 400_000
/** Maximum state words per read in version 3. They take about 1.3 million gas. */
const STATE_WORDS_PER_READ = 500

/** State without its ticks: the content of a pool's state word. */
type TicklessState = Omit<EkuboState, 'ticks'>

/**
 * Reads the state words of the pools, and then the ticks around their prices. Returns null for a pool with an
 * extension, because the effect of an extension on swaps is unknown.
 */
export function* readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<EkuboState> {
  const allTicklessStates = yield* readStateWords(row, pools)
  const ticklessStates = allTicklessStates.map((ticklessState, i) =>
    isExtended(configOfPool(pools[i]!)) ? null : ticklessState,
  )
  return yield* readTicks(row, pools, ticklessStates)
}

/** Reads the state words of pools. Returns null for a pool that does not exist. */
function* readStateWords({ address, family }: DexRow, pools: readonly Pool<unknown>[]): PoolReads<TicklessState> {
  const batches = chunks(pools, slotsPerRead(versionOf(family), STATE_WORDS_PER_READ))
  const answers = yield batches.map((batch) =>
    sloadRead(
      address,
      batch.map(({ id }) => stateSlotOf(id, versionOf(family))),
    ),
  )
  return batches.flatMap((batch, batchIndex) => {
    const words = wordsOf(answers[batchIndex] ?? '0x')
    return batch.map((_, i) => decodeStateWord(words[i] ?? 0n, versionOf(family)))
  })
}

/** Adds ticks to states. Returns null for a pool without a state, or if some of its ticks could not be read. */
function* readTicks(
  { address, family }: DexRow,
  pools: readonly Pool<unknown>[],
  ticklessStates: readonly (TicklessState | null)[],
): PoolReads<EkuboState> {
  const ticksCodec = TICKS_CODECS[versionOf(family)]
  const spacings = pools.map(spacingOf)
  const rangesByPool = ticklessStates.map((ticklessState, i) =>
    ticklessState && spacings[i] ? wordsAround(ticklessState.tick, spacings[i]) : [],
  )
  const reads = rangesByPool.map((poolRanges, i) =>
    poolRanges.map(([first, last]) =>
      lensRead(
        LENS,
        ticksCodec.encode(address, pools[i]!.id, spacings[i]!, first, last),
        (last - first + 1) * WORD_GAS[versionOf(family)] + TICKS_GAS,
      ),
    ),
  )
  const answersByPool = splitAnswers(reads, yield reads.flat())
  return ticklessStates.map((ticklessState, i) => {
    const answers = answersByPool[i]!
    if (!ticklessState || answers.some((answer) => answer === null)) return null
    const ticks: readonly Tick[] = answers.flatMap((answer) => decodeTicks(ticksCodec.decode(answer!)[0]))
    return { ...ticklessState, ticks, ...(spacings[i] && knownBoundsOf(rangesByPool[i]!, spacings[i])) }
  })
}

/** Returns the tick spacing; undefined for a pool with one range. */
function spacingOf(pool: Pool<unknown>): number | undefined {
  const { kind } = configOfPool(pool)
  return kind.name === 'concentrated' ? kind.tickSpacing : undefined
}

/** Positions of the first and the last bitmap word of a range. */
type WordRange = readonly [first: number, last: number]

/** Returns the bitmap words to read, as one range per read: all words, or `MAX_WORDS` words around the price. */
function wordsAround(tick: number, spacing: number): readonly WordRange[] {
  const wordOf = (tick: number) => Math.floor(bitPositionOf(tick, spacing) / BITS_PER_WORD)
  const centeredFirst = wordOf(tick) - MAX_WORDS / 2
  const first = Math.max(wordOf(MIN_TICK), Math.min(centeredFirst, wordOf(MAX_TICK) + 1 - MAX_WORDS))
  const last = Math.min(wordOf(MAX_TICK), first + MAX_WORDS - 1)
  return Array.from({ length: Math.ceil((last + 1 - first) / WORDS_PER_READ) }, (_, i) => {
    const from = first + i * WORDS_PER_READ
    return [from, Math.min(last, from + WORDS_PER_READ - 1)] as const
  })
}

/** Returns the bounds of the ticks that were read; empty if all ticks were read. */
function knownBoundsOf(ranges: readonly WordRange[], spacing: number): Pick<EkuboState, 'known'> {
  const lowestTick = tickAtBitPosition(ranges[0]![0] * BITS_PER_WORD, spacing)
  const highestTick = tickAtBitPosition(ranges.at(-1)![1] * BITS_PER_WORD + BITS_PER_WORD - 1, spacing)
  return lowestTick <= MIN_TICK && highestTick >= MAX_TICK ? {} : { known: [lowestTick, highestTick] }
}

/**
 * Reads the state words at every block. Swap logs are not used, because they have no topics by which a node could
 * filter them. Reads the ticks of a pool again if its price is in the first or last quarter of the known ticks.
 */
export function* refreshStates(
  row: DexRow,
  pools: readonly Pool<EkuboState>[],
  _block: BlockHeader,
): PoolReads<EkuboState> {
  const ticklessStates = yield* readStateWords(row, pools)
  const states = ticklessStates.map((ticklessState, i) => ticklessState && { ...pools[i]!.state, ...ticklessState })
  const staleIndexes = states.flatMap((state, i) => (state && isNearEnd(state) ? [i] : []))
  if (staleIndexes.length === 0) return states
  const readResult = yield* readTicks(
    row,
    staleIndexes.map((i) => pools[i]!),
    staleIndexes.map((i) => ticklessStates[i]!),
  )
  return states.map((state, i) => (staleIndexes.includes(i) ? readResult[staleIndexes.indexOf(i)]! : state))
}

/** True if the price is in the first or last quarter of the known ticks, and unknown ticks may follow on this side. */
function isNearEnd({ tick, known }: EkuboState): boolean {
  if (!known) return false
  const [lowestTick, highestTick] = known
  const quarter = (highestTick - lowestTick) / 4
  return (
    (lowestTick > MIN_TICK && tick < lowestTick + quarter) || (highestTick < MAX_TICK && tick > highestTick - quarter)
  )
}

const POSITION_UPDATED_TOPIC = coreInterface.getEvent('PositionUpdated').topicHash as Hex
type PositionUpdatedEvent = [locker: string, poolId: string, positionId: Hex, delta: bigint, balances: Hex, after: Hex]
const decodePositionUpdated = eventReader<PositionUpdatedEvent>(coreInterface, 'PositionUpdated')

export const topics: readonly Hex[] = [POSITION_UPDATED_TOPIC]

/** Returns the pool id, which is the second data word, because the core's logs have no indexed arguments. */
export const poolIdOf = (log: Log): string => `0x${log.data.slice(66, 130)}`

export function applyLog(pool: Pool<EkuboState>, log: Log): EkuboState | 'reread' | 'ignore' {
  // Only the core's logs count: any contract can emit a log with the id of a pool.
  if (log.address !== pool.address) return 'ignore'
  const [, , positionId, delta, , stateAfter] = decodePositionUpdated(log.data)
  const ticklessState = decodeStateWord(BigInt(stateAfter), 3)
  if (!ticklessState) return 'reread'
  const [lower, upper] = [BigInt(positionId) >> 32n, BigInt(positionId)].map((bits) => Number(BigInt.asIntN(32, bits)))
  const changedState = spacingOf(pool) === undefined ? pool.state : changeTicks(pool.state, lower!, upper!, delta)
  return changedState ? { ...changedState, ...ticklessState } : 'reread'
}

const V2_POSITION_UPDATED_TOPIC = v2CoreInterface.getEvent('PositionUpdated').topicHash as Hex
type V2PositionUpdatedEvent = [
  locker: string,
  poolId: string,
  change: {
    readonly bounds: { readonly lower: bigint; readonly upper: bigint }
    readonly liquidityDelta: bigint
  },
]
const decodeV2PositionUpdated = eventReader<V2PositionUpdatedEvent>(v2CoreInterface, 'PositionUpdated')

export const v2Topics: readonly Hex[] = [V2_POSITION_UPDATED_TOPIC]

/** Applies a log of version 2, which does not contain the state after the change. */
export function applyV2Log(pool: Pool<EkuboState>, log: Log): EkuboState | 'reread' | 'ignore' {
  if (log.address !== pool.address) return 'ignore'
  const [, , { bounds, liquidityDelta: delta }] = decodeV2PositionUpdated(log.data)
  if (spacingOf(pool) === undefined) return { ...pool.state, liquidity: pool.state.liquidity + delta }
  return changeTicks(pool.state, Number(bounds.lower), Number(bounds.upper), delta) ?? 'reread'
}

/** Returns the state after a position change; null if a tick is unknown, so that the pool must be read again. */
function changeTicks(state: EkuboState, lower: number, upper: number, delta: bigint): EkuboState | null {
  if (state.known && (lower < state.known[0] || upper > state.known[1])) return null
  return changeLiquidity(state, lower, upper, delta)
}
