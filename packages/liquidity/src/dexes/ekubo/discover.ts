import { IEkuboCore__factory } from '@sluice/bindings'
import { eventReader } from '@sluice/bindings/codec'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { ListedPool, Pool, Reads } from '../../family.ts'
import { chunks } from '../common/chunks.ts'
import { sortTokens } from '../common/direction.ts'
import { pairOf, provenBy } from '../common/listed.ts'
import { type Pair, withNative } from '../common/native-pairs.ts'
import { concentratedType, configOf, decodeConfig, isExtended, poolId } from './config.ts'
import { sload, wordsOf } from './storage.ts'

const core = IEkuboCore__factory.createInterface()
type Created = [poolId: string, key: { readonly token0: string; readonly token1: string; readonly config: Hex }]
const readCreated = eventReader<Created>(core, 'PoolInitialized')

/** Parts of 2⁶⁴ in a share of a million. */
const feeOf = (ppm: bigint): bigint => (ppm << 64n) / 1_000_000n
/** Fee in parts per million and tick spacing of pools worth asking for: there is no getter, but an id can be computed. Others are found when made. */
const USUAL = [
  [0n, 1_000],
  [10n, 20],
  [50n, 100],
  [100n, 200],
  [500n, 1_000],
  [3_000n, 5_982],
  [10_000n, 19_802],
  [50_000n, 95_310],
] as const
/** The whole range has a type of zeros. */
const WHOLE = 0
const USUAL_CONFIGS: readonly Hex[] = USUAL.flatMap(([ppm, spacing]) => [
  configOf(feeOf(ppm), concentratedType(spacing)),
  configOf(feeOf(ppm), WHOLE),
])
/** About 2.5 million gas. */
const IDS_PER_READ = 1_000

/** Rows of the third version, whose core swaps as the Executor's step does; the second has another interface. */
export const rowsOf = (row: DexRow): readonly DexRow[] =>
  row.family === 'ekubo' && row.version?.startsWith('3') ? [row] : []

export function* findPools(row: DexRow, pairs: readonly Pair[]): Reads<readonly Pool<null>[]> {
  const candidates = withNative(pairs, row.contracts?.wrappedNative).flatMap((pair) =>
    USUAL_CONFIGS.map((config) => makePool(row, pair, config)),
  )
  return yield* initialized(row, candidates)
}

/** Those of the pools that the core has: each has a price from the moment that it is made. */
function* initialized(row: DexRow, candidates: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(candidates, IDS_PER_READ)
  const answers = yield batches.map((batch) =>
    sload(
      row.address,
      batch.map(({ id }) => id),
    ),
  )
  return batches.flatMap((batch, b) => {
    const words = wordsOf(answers[b] ?? '0x')
    return batch.filter((_, i) => (words[i] ?? 0n) !== 0n)
  })
}

function makePool(row: DexRow, pair: Pair, config: Hex): Pool<null> {
  const tokens = sortTokens(pair)
  const { family, brand: dex, address } = row
  return { id: poolId(tokens, { config }), family, dex, address, tokens, fixed: { config }, state: null }
}

/** The id is the hash of the key: a key that the core knows is a pool of it, whoever lists it. */
export function provePools(row: DexRow, listed: readonly ListedPool[]): Reads<readonly (Pool<null> | null)[]> {
  return provenBy(listed, listedPool, (candidates) => initialized(row, candidates))

  function listedPool({ tokens, fixed }: ListedPool): Pool<null> | null {
    const { config } = (fixed ?? {}) as Readonly<Record<string, unknown>>
    const pair = pairOf(tokens)
    if (!pair || typeof config !== 'string' || !/^0x[0-9a-f]{64}$/.test(config)) return null
    const known = decodeConfig(config as Hex)
    return known && !isExtended(known) ? makePool(row, pair, config as Hex) : null
  }
}

export const creationTopics: readonly Hex[] = [core.getEvent('PoolInitialized').topicHash as Hex]

/** The pool that was just made; null where an extension may take part in its swaps: what it does then is its own. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const [, { token0, token1, config }] = readCreated(log.data)
  const known = decodeConfig(config)
  if (!known || isExtended(known)) return null
  return makePool(row, [toAddress(token0), toAddress(token1)], config)
}
