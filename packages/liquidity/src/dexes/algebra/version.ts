/** Determines the Algebra version of a pool from its getters, since no factory exposes it. */
import { IAlgebraVersion__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, PoolReads } from '../../family.ts'
import { readFixed as readIntegralFixed } from '../algebra-integral/discover.ts'

/** Immutable facts (`Pool.fixed`) of a pool. */
export type AlgebraFixed = {
  /** Null if the pool follows the swap rules of neither version. */
  readonly version: 'v1' | 'integral' | null
}

const gettersInterface = IAlgebraVersion__factory.createInterface()
/** Calls of getters. The version determines which getters exist, and the lengths of their results. */
const VERSION_CALLS = [
  gettersInterface.encodeFunctionData('globalState'),
  gettersInterface.encodeFunctionData('plugin'),
  gettersInterface.encodeFunctionData('tickSpacingLimitOrders'),
  gettersInterface.encodeFunctionData('communityFeeLastTimestamp'),
] as readonly Hex[]

/** Reads the versions of pools. Returns null for an Integral pool of a custom deployer that the row does not name. */
export function* readFixed(row: DexRow, pools: readonly Pool<null>[]): PoolReads<Pool<null>> {
  const answers = yield pools.flatMap(({ address: to }) => VERSION_CALLS.map((data) => ({ to, data })))
  const versionedPools = pools.map((pool, i) => {
    const wordCounts = answers.slice(i * VERSION_CALLS.length, (i + 1) * VERSION_CALLS.length).map(wordCountOf)
    return { ...pool, fixed: { version: versionOf(wordCounts) } satisfies AlgebraFixed }
  })
  const integralPools = versionedPools.filter(({ fixed }) => fixed.version === 'integral')
  if (integralPools.length === 0) return versionedPools
  const readPools = yield* readIntegralFixed(row, integralPools)
  const refusedIds = new Set(integralPools.flatMap(({ id }, i) => (readPools[i] ? [] : [id])))
  return versionedPools.map((pool) => (refusedIds.has(pool.id) ? null : pool))
}

/** Returns the number of 32-byte words in a result; 0 if the call failed. */
const wordCountOf = (answer: Hex | null): number => (answer ? Math.floor((answer.length - 2) / 64) : 0)

/**
 * Returns the version of a pool. Returns null for Algebra version 2, whose `globalState` also has 6 or 7 words, but
 * with other fields. Version 2 has two getters that the other versions lack.
 *
 * @param wordCounts - of the results of `VERSION_CALLS`
 */
function versionOf(wordCounts: readonly number[]): AlgebraFixed['version'] {
  const [globalState, plugin, limitOrders, feeTimestamp] = wordCounts
  if (limitOrders || feeTimestamp) return null
  if (plugin) return globalState === 6 ? 'integral' : null
  return globalState === 7 || globalState === 8 ? 'v1' : null
}
