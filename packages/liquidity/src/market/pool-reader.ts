import type { Chain, DexRow } from '@sluice/chains'
import type { BlockHeader, BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import type { DexFamily, Pool, Reads } from '../family.ts'
import type { Pair } from './pairs.ts'
import { runReads } from './reads.ts'

export type Families = ReadonlyMap<string, DexFamily>

/** Curve's factories and registries are one family in the chains' files, told apart by the kinds of pools they list. */
const CURVE_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'stable-factory': ['curve-stable'],
  'stableswap-ng': ['curve-stable'],
  'crypto-factory': ['curve-crypto'],
  'twocrypto-ng': ['curve-crypto'],
  'tricrypto-ng': ['curve-crypto'],
  'address-provider': ['curve-stable', 'curve-crypto'],
}

/** The rows of a chain that a family serves, each under its family's own name. */
export function servedRows(chain: Chain, families: Families): readonly DexRow[] {
  const rows = chain.dexes.flatMap((row) =>
    row.family === 'curve' ? (CURVE_FAMILIES[row.version ?? ''] ?? []).map((family) => ({ ...row, family })) : [row],
  )
  return [...withNative(rows, chain), ...wrapperRow(rows, chain)].filter((row) => families.has(row.family))
}

/** Families whose pools may hold the native token itself. */
const NATIVE_FAMILIES = ['uniswap-v4']

/** They are told of the wrapper: a pair with it is one with the native token too. */
const withNative = (rows: readonly DexRow[], { wrappedNative }: Chain): readonly DexRow[] =>
  rows.map((row) =>
    wrappedNative && NATIVE_FAMILIES.includes(row.family)
      ? { ...row, contracts: { ...row.contracts, wrappedNative: wrappedNative.address } }
      : row,
  )

/** Where there are such pools, the wrapper joins them to all others. */
const wrapperRow = (rows: readonly DexRow[], { wrappedNative }: Chain): readonly DexRow[] =>
  wrappedNative && rows.some(({ family }) => NATIVE_FAMILIES.includes(family))
    ? [{ family: 'wrapped-native', brand: wrappedNative.symbol, role: 'wrapper', address: wrappedNative.address }]
    : []

export type FoundPool = { readonly row: DexRow; readonly pool: Pool<null> }
/** With its state. */
export type KnownPool = { readonly row: DexRow; readonly pool: Pool }

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
  const found = await runReads(
    rpc,
    block,
    rows.map((row) => families.get(row.family)!.findPools(row, pairs)),
    options,
  )
  return found.flatMap((pools, i) => pools.map((pool) => ({ row: rows[i]!, pool })))
}

/** What families want to know before a pool is used; those of which it cannot be told yet are left out. @throws RpcError */
export async function settlePools(
  rpc: Rpc,
  block: BlockHeader,
  found: readonly FoundPool[],
  families: Families,
  options: RequestOptions,
): Promise<readonly FoundPool[]> {
  const byRow = Map.groupBy(found, ({ row }) => row)
  const run = function* (row: DexRow, group: readonly FoundPool[]): Reads<readonly FoundPool[]> {
    const pools = group.map(({ pool }) => pool)
    const { settle } = families.get(row.family)!
    const settled = settle ? yield* settle(row, pools, block.number) : pools
    return settled.flatMap((pool) => (pool ? [{ row, pool }] : []))
  }
  const generators = [...byRow].map(([row, group]) => run(row, group))
  return (await runReads(rpc, { blockHash: block.hash }, generators, options)).flat()
}

/** The pools with their state at a block; those that cannot be read are left out. @throws RpcError */
export function readPools(
  rpc: Rpc,
  block: BlockRef,
  found: readonly FoundPool[],
  families: Families,
  options: RequestOptions,
): Promise<readonly Pool[]> {
  return withStates(rpc, block, found, (row, pools) => families.get(row.family)!.readStates(row, pools), options)
}

/** Pools whose state is of a block before it or of its logs, at its end; those that can no longer be read are left out. @throws RpcError */
export function refreshPools(
  rpc: Rpc,
  block: BlockHeader,
  known: readonly KnownPool[],
  families: Families,
  options: RequestOptions,
): Promise<readonly Pool[]> {
  const refresh: StateReader<Pool> = (row, pools) => families.get(row.family)!.refreshStates!(row, pools, block)
  return withStates(rpc, { blockHash: block.hash }, known, refresh, options)
}

/** Pools whose answers are read in a row: their calls travel together however they are grouped. */
const DECODED_AT_ONCE = 50

type StateReader<P> = (row: DexRow, pools: readonly P[]) => Reads<readonly unknown[]>

async function withStates<P extends Pool>(
  rpc: Rpc,
  block: BlockRef,
  pools: readonly { readonly row: DexRow; readonly pool: P }[],
  reader: StateReader<P>,
  options: RequestOptions,
): Promise<readonly Pool[]> {
  const read = function* (row: DexRow, group: readonly P[]): Reads<readonly Pool[]> {
    const states = yield* reader(row, group)
    return group.flatMap((pool, i) => (states[i] === null ? [] : [{ ...pool, state: states[i] }]))
  }
  const byRow = Map.groupBy(pools, ({ row }) => row)
  const generators = [...byRow].flatMap(([row, group]) =>
    chunks(group, DECODED_AT_ONCE).map((some) =>
      read(
        row,
        some.map(({ pool }) => pool),
      ),
    ),
  )
  return (await runReads(rpc, block, generators, options)).flat()
}
