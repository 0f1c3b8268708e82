/**
 * Algebra deployments whose version the chain's file does not record: each pool is read and quoted by the family of its
 * own version.
 */
import type { DexRow } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { createdPool, creationTopics, findPools } from '../algebra-integral/discover.ts'
import { algebraIntegral } from '../algebra-integral/index.ts'
import { algebraV1 } from '../algebra-v1/index.ts'
import { TIMEPOINT_SEARCH_GAS } from '../common/later-gas.ts'
import { type AlgebraFixed, readFixed } from './version.ts'

type Version = NonNullable<AlgebraFixed['version']>
/** Family of a version; it only receives pools of that version. */
type Member = DexFamily<ConcentratedState>
const members: Readonly<Record<Version, Member>> = { v1: algebraV1 as Member, integral: algebraIntegral as Member }

const versionOf = ({ fixed }: Pool) => (fixed as AlgebraFixed | undefined)?.version
/** A pool has a state only if its version is known. */
const memberOf = (pool: Pool<ConcentratedState>): Member => members[versionOf(pool)!]

/** Runs reads by version. Returns results in the order of the pools; null for pools without a read. */
function* byVersion<P extends Pool<unknown>, T>(
  pools: readonly P[],
  read: (member: Member, versionPools: readonly P[]) => Reads<readonly (T | null)[]> | undefined,
): Reads<readonly (T | null)[]> {
  const answers = new Map<string, T | null>()
  for (const version of Object.keys(members) as Version[]) {
    const versionPools = pools.filter((pool) => versionOf(pool) === version)
    const reads = versionPools.length > 0 && read(members[version], versionPools)
    if (!reads) continue
    const states = yield* reads
    for (const [i, pool] of versionPools.entries()) answers.set(pool.id, states[i]!)
  }
  return pools.map(({ id }) => answers.get(id) ?? null)
}

/** Algebra pools of any version. */
export const algebra: DexFamily<ConcentratedState> = {
  id: 'algebra',
  findPools,
  readFixed,
  stateNeedsFixed: true,
  readStates: (row: DexRow, pools) => byVersion(pools, (member, versionPools) => member.readStates(row, versionPools)),
  refreshStates: (row, pools, block) =>
    byVersion(pools, (member, versionPools) => member.refreshStates?.(row, versionPools, block)),
  movesSilently: (pool) => versionOf(pool) !== undefined,
  creationTopics,
  createdPool,
  topics: [...new Set([...algebraV1.topics, ...algebraIntegral.topics])],
  applyLog: (pool, log) => memberOf(pool).applyLog(pool, log),
  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) =>
    memberOf(pool).quoteExactInput(pool, tokenIn, tokenOut, amountIn),
  maxInput: (pool, tokenIn, tokenOut) => memberOf(pool).maxInput(pool, tokenIn, tokenOut),
  priceCurve: (pool, tokenIn, tokenOut) => memberOf(pool).priceCurve(pool, tokenIn, tokenOut),
  reserves: (pool) => memberOf(pool).reserves(pool),
  // Two storage slots; not measured.
  keepsTokens: true,
  oracleGas: 10_000,
  laterGas: TIMEPOINT_SEARCH_GAS,
  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => memberOf(pool).step(pool, tokenIn, tokenOut, input, output),
}
