import type { Chain, DexRow } from '@sluice/chains'
import type { BlockHeader, BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import type { DexFamily, Pool, Reads } from '../family.ts'
import type { Pair } from './pairs.ts'
import { both, runReads } from './reads.ts'

export type Families = ReadonlyMap<string, DexFamily>

/** The rows of a chain that a family serves, each under its family's own name. */
export function servedRows(chain: Chain, families: Families): readonly DexRow[] {
  const all = [...families.values()]
  const rows = chain.dexes.flatMap((row) => all.flatMap((family) => rowsOf(family, row)))
  const holdsNative = ({ family }: DexRow) => families.get(family)!.holdsNative === true
  const { wrappedNative } = chain
  if (!wrappedNative || !rows.some(holdsNative)) return rows
  const { address, symbol } = wrappedNative
  return [
    ...rows.map((row) =>
      holdsNative(row) ? { ...row, contracts: { ...row.contracts, wrappedNative: address } } : row,
    ),
    // The wrapper joins pools of the native token to all others.
    ...all.flatMap(({ id, wrapsNative }) =>
      wrapsNative ? [{ family: id, brand: symbol, role: 'wrapper' as const, address }] : [],
    ),
  ]
}

/** The rows that a family makes of one of a chain's file; none where it does not serve it. */
export const rowsOf = (family: DexFamily, row: DexRow): readonly DexRow[] =>
  (family.rowsOf?.(row) ?? (family.id === row.family ? [row] : [])).map((made) => ({ ...made, family: family.id }))

export type FoundPool = { readonly row: DexRow; readonly pool: Pool<null> }
/** With its state. */
export type KnownPool = { readonly row: DexRow; readonly pool: Pool }

/** Pairs that a family is asked for in a row: for each, Uniswap V4 hashes some twenty ids. Their calls travel together. */
const PAIRS_AT_ONCE = 25

/** Asks every DEX for the pairs. @throws RpcError */
export async function findPools(
  rpc: Rpc,
  block: BlockRef,
  rows: readonly DexRow[],
  families: Families,
  pairs: readonly Pair[],
  options: RequestOptions,
): Promise<readonly FoundPool[]> {
  if (pairs.length === 0) return []
  const find = function* (row: DexRow, some: readonly Pair[]): Reads<readonly FoundPool[]> {
    const pools = yield* families.get(row.family)!.findPools(row, some)
    return pools.map((pool) => ({ row, pool }))
  }
  const generators = rows.flatMap((row) => chunks(pairs, PAIRS_AT_ONCE).map((some) => find(row, some)))
  const found = (await runReads(rpc, block, generators, options)).flat()
  return [...new Map(found.map((entry) => [entry.pool.id, entry])).values()]
}

/** Pools that were read, and those of which more than their address was found out on the way. */
export type PoolsRead = { readonly pools: readonly Pool[]; readonly completed: readonly FoundPool[] }

/**
 * The pools with their state at a block; those that cannot be read are left out. Of incomplete ones the rest is found out
 * first, in the same calls that the state of the others is read in.
 *
 * @throws RpcError
 */
export async function readPools(
  rpc: Rpc,
  block: BlockHeader,
  { complete, incomplete }: { readonly complete: readonly FoundPool[]; readonly incomplete: readonly FoundPool[] },
  families: Families,
  options: RequestOptions,
): Promise<PoolsRead> {
  const read = function* (row: DexRow, some: readonly FoundPool[], isComplete: boolean): Reads<PoolsRead> {
    const { readFixed, stateNeedsFixed, readStates } = families.get(row.family)!
    const found = some.map(({ pool }) => pool)
    if (isComplete || !readFixed) return { pools: withStates(found, yield* readStates(row, found)), completed: [] }
    const fixed = readFixed(row, found, block.number)
    const [known, early] = stateNeedsFixed ? [yield* fixed] : yield* both(fixed, readStates(row, found))
    const pools = known.filter((pool) => pool !== null)
    const states = early ? early.filter((_, i) => known[i] !== null) : yield* readStates(row, pools)
    return { pools: withStates(pools, states), completed: pools.map((pool) => ({ row, pool })) }
  }
  const generators = [complete, incomplete].flatMap((found) =>
    byRow(found).flatMap(([row, group]) => group.map((some) => read(row, some, found === complete))),
  )
  const all = await runReads(rpc, { blockHash: block.hash }, generators, options)
  return { pools: all.flatMap(({ pools }) => pools), completed: all.flatMap(({ completed }) => completed) }
}

/**
 * Pools whose state is of a block before it or of its logs, at its end; those that can no longer be read are left out.
 * @throws RpcError
 */
export async function refreshPools(
  rpc: Rpc,
  block: BlockHeader,
  known: readonly KnownPool[],
  families: Families,
  options: RequestOptions,
): Promise<readonly Pool[]> {
  const refresh = function* (row: DexRow, some: readonly KnownPool[]): Reads<readonly Pool[]> {
    const pools = some.map(({ pool }) => pool)
    return withStates(pools, yield* families.get(row.family)!.refreshStates!(row, pools, block))
  }
  const generators = byRow(known).flatMap(([row, group]) => group.map((some) => refresh(row, some)))
  return (await runReads(rpc, { blockHash: block.hash }, generators, options)).flat()
}

function withStates(pools: readonly Pool<unknown>[], states: readonly unknown[]): readonly Pool[] {
  return pools.flatMap((pool, i) => (states[i] === null ? [] : [{ ...pool, state: states[i] }]))
}

/** Pools whose answers are read in a row: their calls travel together however they are grouped. */
const DECODED_AT_ONCE = 20

/** Pools of one row each, some at a time. */
type Group<P> = readonly [row: DexRow, parts: readonly (readonly P[])[]]

function byRow<P extends { readonly row: DexRow }>(pools: readonly P[]): readonly Group<P>[] {
  return [...Map.groupBy(pools, ({ row }) => row)].map(([row, group]) => [row, chunks(group, DECODED_AT_ONCE)])
}
