/** Finds pools of the Uniswap V4 PoolManager (the manager), which holds all pools. */
import { IUniswapV4PoolManagerState__factory, UniswapV4Lens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { keccak256 } from '@sluice/bindings/keccak'
import { type Address, type DexRow, type Hex, isAddress, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { ListedPool, Pool, PoolReads, Reads, TokenPair } from '../../family.ts'
import { UNISWAP_V4_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { sortPair } from '../common/direction.ts'
import { isIntegerIn, proveByKey, validPairOf } from '../common/listed.ts'
import { singletonPool } from '../common/make-pool.ts'
import { withNative } from '../common/native-pairs.ts'
import { touchesSwaps } from './hooks.ts'
import type { UniswapV4Key } from './types.ts'

const slotsCodec = callCodec<[manager: string, ids: string[]], [bigint[]]>(
  UniswapV4Lens__factory.createInterface(),
  'slots',
)
const managerInterface = IUniswapV4PoolManagerState__factory.createInterface()

/**
 * Usual fees in ppm, with the tick spacing. The manager has no getter for the pools of a pair. But the ids of pools
 * without a hook can be computed from these values. Other pools are found by their creation logs.
 */
const USUAL_KEYS: readonly (readonly [fee: number, tickSpacing: number])[] = [
  [8, 1],
  [10, 1],
  [45, 1],
  [50, 1],
  [100, 1],
  [100, 2],
  [200, 4],
  [250, 5],
  [300, 6],
  [400, 8],
  [500, 10],
  [1000, 20],
  [2000, 40],
  [2500, 50],
  [3000, 60],
  [5000, 100],
  [10_000, 200],
  [20_000, 400],
]
/** Maximum `fee` of a key, a uint24. */
const MAX_FEE = 0xffffff
/** Maximum `tickSpacing` of a key that the manager accepts. */
const MAX_TICK_SPACING = 32_767
/** Maximum pool ids per read. They take about 2.6 million gas. */
const IDS_PER_READ = 800

/**
 * Returns the pool id: the hash of the five words of the key, which includes the tokens. Thousands of ids are computed.
 * So the words are joined directly, without an ABI coder, which would take ten times as long.
 */
function poolId([currency0, currency1]: readonly [Address, Address], key: UniswapV4Key): Hex {
  const { fee, tickSpacing, hooks } = key
  const words = [currency0, currency1, fee, tickSpacing, hooks].map((value) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0'),
  )
  return keccak256(`0x${words.join('')}`)
}

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const candidates = withNative(pairs, row.contracts?.wrappedNative).flatMap((pair) =>
    USUAL_KEYS.map(([fee, tickSpacing]) => makePool(row, pair, { fee, tickSpacing, hooks: ZERO_ADDRESS })),
  )
  return yield* initializedPools(row, candidates)
}

/** Returns the candidates that are initialized. An initialized pool always has a price. */
function* initializedPools(row: DexRow, candidates: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(candidates, IDS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...UNISWAP_V4_LENS,
    data: slotsCodec.encode(
      row.address,
      batch.map(({ id }) => id),
    ),
    gas: 3_200 * batch.length,
  }))
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const [words] = slotsCodec.decode(answer)
    return batch.filter((_, i) => words[i] !== 0n)
  })
}

function makePool(row: DexRow, pair: readonly [Address, Address], key: UniswapV4Key): Pool<null> {
  const tokens = sortPair(pair)
  return singletonPool(row, poolId(tokens, key), tokens, key)
}

/**
 * Verifies pools of a pool list whose hook takes no part in swaps. The id is the hash of the key, so a pool exists if
 * the manager has a price for its id.
 */
export const provePools = createProver(false)
/** Like `provePools`, but accepts only pools whose hook takes part in swaps. */
export const proveHookPools = createProver(true)

/** Returns a `provePools`. @param isHooked - whether the hook must take part in swaps */
function createProver(isHooked: boolean) {
  return (row: DexRow, listedPools: readonly ListedPool[]): PoolReads<Pool<null>> =>
    proveByKey(
      listedPools,
      (pool) => listedPool(row, pool),
      (candidates) => initializedPools(row, candidates),
    )

  function listedPool(row: DexRow, { tokens, fixed }: ListedPool): Pool<null> | null {
    const { fee, tickSpacing, hooks } = (fixed ?? {}) as Readonly<Record<string, unknown>>
    const pair = validPairOf(tokens)
    if (!pair || !isIntegerIn(fee, 0, MAX_FEE) || !isIntegerIn(tickSpacing, 1, MAX_TICK_SPACING) || !isAddress(hooks))
      return null
    const key = { fee, tickSpacing, hooks: toAddress(hooks) }
    return touchesSwaps(key.hooks) === isHooked ? makePool(row, pair, key) : null
  }
}

const INITIALIZE_TOPIC = managerInterface.getEvent('Initialize').topicHash as Hex
export const creationTopics: readonly Hex[] = [INITIALIZE_TOPIC]

/** Returns the pool of a creation log. Null if its hook takes part in swaps, because our quotes would be wrong. */
export const createdPool = createdPoolOf(false)

/** Returns the pool of a creation log. Null unless its hook takes part in swaps. */
export const createdHookPool = createdPoolOf(true)

/** Returns a `createdPool`. @param isHooked - whether the hook must take part in swaps */
function createdPoolOf(isHooked: boolean) {
  return (row: DexRow, log: Log): Pool<null> | null => {
    const event = managerInterface.decodeEventLog('Initialize', log.data, log.topics)
    const key = { fee: Number(event.fee), tickSpacing: Number(event.tickSpacing), hooks: toAddress(event.hooks) }
    if (touchesSwaps(key.hooks) !== isHooked) return null
    return makePool(row, [toAddress(event.currency0), toAddress(event.currency1)], key)
  }
}
