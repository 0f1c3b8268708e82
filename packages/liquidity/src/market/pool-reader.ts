/**
 * Finds pools and reads their states: runs the read generators of all DEX families and batches their reads. A row is
 * the entry of one DEX deployment in the chain's file.
 */
import type { Chain, DexRow } from '@sluice/chains'
import type { BlockHeader, BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import type { DexFamily, Pool, Reads, TokenPair } from '../family.ts'
import { bothReads, isolatedReads, runReads } from './reads.ts'

/** Families by id. */
export type Families = ReadonlyMap<string, DexFamily>

/**
 * Returns the rows that the families serve. The `family` of each row is the id of the family that serves the row; the
 * chain's file may name another family.
 */
export function servedRows(chain: Chain, families: Families): readonly DexRow[] {
  const allFamilies = [...families.values()]
  const rows = chain.dexes.flatMap((row) => allFamilies.flatMap((family) => rowsOf(family, row)))
  const holdsNative = ({ family }: DexRow) => families.get(family)!.holdsNative === true
  const { wrappedNative } = chain
  if (!wrappedNative || !rows.some(holdsNative)) return rows
  const { address, symbol } = wrappedNative
  return [
    ...rows.map((row) =>
      holdsNative(row) ? { ...row, contracts: { ...row.contracts, wrappedNative: address } } : row,
    ),
    // Add the wrapper, which connects pools of the native token to all others.
    ...allFamilies.flatMap(({ id, wrapsNative }) =>
      wrapsNative ? [{ family: id, brand: symbol, role: 'wrapper' as const, address }] : [],
    ),
  ]
}

/**
 * Derives from one row of the chain's file the rows that a family serves: none, the row itself, or those that
 * `family.rowsOf` returns.
 */
export const rowsOf = (family: DexFamily, row: DexRow): readonly DexRow[] =>
  (family.rowsOf?.(row) ?? (family.id === row.family ? [row] : [])).map((derivedRow) => ({
    ...derivedRow,
    family: family.id,
  }))

/** A pool without state, with the DEX row that it belongs to. */
export type PoolEntry = { readonly row: DexRow; readonly pool: Pool<null> }
/** A pool with its state and its DEX row. */
export type LoadedPoolEntry = { readonly row: DexRow; readonly pool: Pool }

/**
 * Token pairs per generator. Bounds the time for which a generator blocks the event loop before it yields its reads:
 * Uniswap V4 hashes about twenty pool ids per pair.
 */
const PAIRS_PER_GENERATOR = 25

/** Finds the pools of token pairs in every DEX row. @throws RpcError */
export async function findPools(
  rpc: Rpc,
  block: BlockRef,
  rows: readonly DexRow[],
  families: Families,
  pairs: readonly TokenPair[],
  options: RequestOptions,
): Promise<readonly PoolEntry[]> {
  if (pairs.length === 0) return []
  const findForRow = function* (
    findFamilyPools: NonNullable<DexFamily['findPools']>,
    row: DexRow,
    pairBatch: readonly TokenPair[],
  ): Reads<readonly PoolEntry[]> {
    const pools = yield* findFamilyPools(row, pairBatch)
    return pools.map((pool) => ({ row, pool }))
  }
  const generators = rows.flatMap((row) => {
    const { findPools: findFamilyPools } = families.get(row.family)!
    if (!findFamilyPools) return []
    return chunks(pairs, PAIRS_PER_GENERATOR).map((pairBatch) => findForRow(findFamilyPools, row, pairBatch))
  })
  const foundEntries = (await runReads(rpc, block, generators, options)).flat()
  return [...new Map(foundEntries.map((entry) => [entry.pool.id, entry])).values()]
}

/**
 * Result of `readPools`: the pools that were read, and the incomplete entries that became complete because their
 * immutable facts were read.
 */
export type PoolReadResult = { readonly pools: readonly Pool[]; readonly newlyCompleteEntries: readonly PoolEntry[] }

/**
 * Reads the states of pools at a block; pools that cannot be read are left out. For incomplete entries, also reads the
 * missing immutable facts. Both groups share RPC calls.
 *
 * @throws RpcError
 */
export async function readPools(
  rpc: Rpc,
  block: BlockHeader,
  {
    completeEntries,
    incompleteEntries,
  }: { readonly completeEntries: readonly PoolEntry[]; readonly incompleteEntries: readonly PoolEntry[] },
  families: Families,
  options: RequestOptions,
): Promise<PoolReadResult> {
  const readBatch = function* (row: DexRow, batch: readonly PoolEntry[], isComplete: boolean): Reads<PoolReadResult> {
    const { readFixed, statesNeedFixedFacts, readStates } = families.get(row.family)!
    const statelessPools = batch.map(({ pool }) => pool)
    if (isComplete || !readFixed)
      return { pools: withStates(statelessPools, yield* readStates(row, statelessPools)), newlyCompleteEntries: [] }
    const fixedReads = readFixed(row, statelessPools, block.number)
    const [poolsWithFixed, statesReadEarly] = statesNeedFixedFacts
      ? [yield* fixedReads]
      : yield* bothReads(fixedReads, readStates(row, statelessPools))
    const pools = poolsWithFixed.filter((pool) => pool !== null)
    const states = statesReadEarly
      ? statesReadEarly.filter((_, i) => poolsWithFixed[i] !== null)
      : yield* readStates(row, pools)
    return { pools: withStates(pools, states), newlyCompleteEntries: pools.map((pool) => ({ row, pool })) }
  }
  const generators = [completeEntries, incompleteEntries].flatMap((entries) =>
    batchesByRow(entries).flatMap(([row, batches]) =>
      batches.map((entryBatch) =>
        isolatedReads(entryBatch, (subBatch) => readBatch(row, subBatch, entries === completeEntries)),
      ),
    ),
  )
  const results = (await runReads(rpc, { blockHash: block.hash }, generators, options)).flat()
  return {
    pools: results.flatMap(({ pools }) => pools),
    newlyCompleteEntries: results.flatMap(({ newlyCompleteEntries }) => newlyCompleteEntries),
  }
}

/**
 * Reads, as of the end of a block, the states of pools that can change without a log. Leaves out pools that can no
 * longer be read.
 *
 * @throws RpcError
 */
export async function refreshPools(
  rpc: Rpc,
  block: BlockHeader,
  entries: readonly LoadedPoolEntry[],
  families: Families,
  options: RequestOptions,
): Promise<readonly Pool[]> {
  const refreshBatch = function* (row: DexRow, batch: readonly LoadedPoolEntry[]): Reads<readonly Pool[]> {
    const pools = batch.map(({ pool }) => pool)
    return withStates(pools, yield* families.get(row.family)!.refreshStates!(row, pools, block))
  }
  const generators = batchesByRow(entries).flatMap(([row, batches]) =>
    batches.map((entryBatch) => isolatedReads(entryBatch, (subBatch) => refreshBatch(row, subBatch))),
  )
  return (await runReads(rpc, { blockHash: block.hash }, generators, options)).flat(2)
}

function withStates(pools: readonly Pool<unknown>[], states: readonly unknown[]): readonly Pool[] {
  return pools.flatMap((pool, i) => (states[i] === null ? [] : [{ ...pool, state: states[i] }]))
}

/** Pools per generator; the reads of all generators still share RPC calls. */
const POOLS_PER_GENERATOR = 20

/** The entries of one DEX row, in batches. */
type RowBatches<E> = readonly [row: DexRow, batches: readonly (readonly E[])[]]

function batchesByRow<E extends { readonly row: DexRow }>(entries: readonly E[]): readonly RowBatches<E>[] {
  return [...Map.groupBy(entries, ({ row }) => row)].map(([row, entriesOfRow]) => [
    row,
    chunks(entriesOfRow, POOLS_PER_GENERATOR),
  ])
}
