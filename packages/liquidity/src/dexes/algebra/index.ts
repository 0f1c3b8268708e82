/**
 * Implements `DexFamily` for Algebra deployments whose version is not in the chain's file. Reads and quotes each pool
 * with the family of the pool's version: `algebra-v1` or `algebra-integral`.
 */
import type { DexRow } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { createdPool, creationTopics, findPools } from '../algebra-integral/discover.ts'
import { algebraIntegral } from '../algebra-integral/index.ts'
import { algebraV1 } from '../algebra-v1/index.ts'
import { TIMEPOINT_SEARCH_GAS } from '../common/later-gas.ts'
import { type AlgebraFixed, readFixed } from './version.ts'

type Version = NonNullable<AlgebraFixed['version']>
/** Family of one version. It receives only pools of this version. */
type VersionFamily = DexFamily<ConcentratedState>
const familyByVersion: Readonly<Record<Version, VersionFamily>> = {
  v1: algebraV1 as VersionFamily,
  integral: algebraIntegral as VersionFamily,
}

const versionOf = ({ fixed }: Pool) => (fixed as AlgebraFixed | undefined)?.version
/** Returns the family of a pool's version. Every pool with a state has a known version. */
const familyOfPool = (pool: Pool<ConcentratedState>): VersionFamily => familyByVersion[versionOf(pool)!]

/**
 * Groups pools by version, and reads each group with the family of the version. Returns the results in the order of the
 * pools. A result is null if the version is unknown, or if `read` returns undefined for the family.
 */
function* byVersion<P extends Pool<unknown>, T>(
  pools: readonly P[],
  read: (family: VersionFamily, versionPools: readonly P[]) => PoolReads<T> | undefined,
): PoolReads<T> {
  const resultById = new Map<string, T | null>()
  for (const version of Object.keys(familyByVersion) as Version[]) {
    const versionPools = pools.filter((pool) => versionOf(pool) === version)
    const reads = versionPools.length > 0 && read(familyByVersion[version], versionPools)
    if (!reads) continue
    const results = yield* reads
    for (const [i, pool] of versionPools.entries()) resultById.set(pool.id, results[i]!)
  }
  return pools.map(({ id }) => resultById.get(id) ?? null)
}

/** Algebra pools of any version. */
export const algebra: DexFamily<ConcentratedState> = {
  id: 'algebra',
  findPools,
  readFixed,
  statesNeedFixedFacts: true,
  readStates: (row: DexRow, pools) => byVersion(pools, (family, versionPools) => family.readStates(row, versionPools)),
  refreshStates: (row, pools, block) =>
    byVersion(pools, (family, versionPools) => family.refreshStates?.(row, versionPools, block)),
  movesSilently: (pool) => versionOf(pool) !== undefined,
  creationTopics,
  createdPool,
  topics: [...new Set([...algebraV1.topics, ...algebraIntegral.topics])],
  applyLog: (pool, log) => familyOfPool(pool).applyLog(pool, log),
  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) =>
    familyOfPool(pool).quoteExactInput(pool, tokenIn, tokenOut, amountIn),
  maxInput: (pool, tokenIn, tokenOut) => familyOfPool(pool).maxInput(pool, tokenIn, tokenOut),
  priceCurve: (pool, tokenIn, tokenOut) => familyOfPool(pool).priceCurve(pool, tokenIn, tokenOut),
  reserves: (pool) => familyOfPool(pool).reserves(pool),
  keepsTokens: true,
  // Estimated gas to write two storage slots.
  oracleGas: 10_000,
  laterGas: TIMEPOINT_SEARCH_GAS,
  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => familyOfPool(pool).step(pool, tokenIn, tokenOut, input, output),
}
