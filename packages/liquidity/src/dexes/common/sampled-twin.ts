/**
 * Builds sampled twins of families. An exact family computes quotes with local math, so it cannot quote pools with
 * unknown code or an unknown hook. Its sampled twin is a second family for such pools, and quotes them from swaps that
 * are simulated by eth_call. The Executor trades with these pools by the same step as with pools of the exact family.
 */
import type { Address, DexRow } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads } from '../../family.ts'
import { balanceView, findPoolHoldings, type PoolHoldings, programSamples } from './program-samples.ts'
import type { SampledState } from './sampled-state.ts'
import { twinIdOf } from './twin-id.ts'

/** Immutable facts (`Pool.fixed`) of a twin's pool. Stored in pool files. */
type TwinFixed = {
  /** Immutable facts of the same pool in the exact family. */
  readonly exact: unknown
  /** Storage overrides that give the lens the pool's tokens. Absent until they have been found. */
  readonly holdings?: PoolHoldings
}

const fixedOf = (pool: Pool<unknown>): TwinFixed => pool.fixed as TwinFixed

/** Maximum tokens of a sampled pool. Each pair of its tokens needs a read, so four tokens need six reads. */
const MAX_TOKENS = 4

/**
 * Converts a pool of an exact family to a pool of its twin; null if it has too many tokens.
 *
 * @param row - the twin's row of the chain's file, for the same deployment of the DEX
 */
export function toTwin(row: DexRow, pool: Pool<null>): Pool<null> | null {
  if (pool.tokens.length > MAX_TOKENS) return null
  return { ...pool, family: row.family, dex: row.brand, fixed: { exact: pool.fixed } satisfies TwinFixed }
}

/**
 * Converts a pool of a twin to a pool of the exact family.
 *
 * @param row - the exact family's row of the chain's file
 */
export const toExact = (row: DexRow, pool: Pool<null>): Pool<null> => ({
  ...pool,
  family: row.family,
  dex: row.brand,
  fixed: fixedOf(pool).exact,
})

/**
 * Returns the sampled twin of a family.
 *
 * @param exactDependsOn - `DexFamily.dependsOn` of the twin, but receives the pool in the form of the exact family.
 *   Default: returns the pool's address
 */
export function sampledTwin(
  // biome-ignore lint/suspicious/noExplicitAny: only functions that ignore the state are called.
  exactFamily: DexFamily<any>,
  exactDependsOn: (pool: Pool) => readonly Address[] = ({ address }) => [address],
): DexFamily<SampledState> {
  const id = twinIdOf(exactFamily.id)
  const asExactPool = (pool: Pool): Pool => ({ ...pool, family: exactFamily.id, fixed: fixedOf(pool).exact })
  const step: DexFamily['step'] = (pool, ...trade) => exactFamily.step(asExactPool(pool), ...trade)
  return {
    id,
    ...(exactFamily.holdsNative && { holdsNative: true }),
    ...(exactFamily.payment && { payment: exactFamily.payment }),
    // The twin's pools have a brand of their own. So a caller who selects a DEX by brand does not also accept pools
    // with unknown code.
    rowsOf: (row) =>
      (exactFamily.rowsOf?.(row) ?? (row.family === exactFamily.id ? [row] : [])).map((exactRow) => ({
        ...exactRow,
        brand: `${row.brand} sampled`,
      })),
    readFixed,
    statesNeedFixedFacts: true,
    dependsOn: (pool) => exactDependsOn(asExactPool(pool)),
    ...programSamples({
      id,
      step,
      // If the family has a vault, the vault holds the tokens of its pools.
      viewOf: (pool, pair) =>
        balanceView(pair, (fixedOf(pool).exact as { readonly vault?: Address } | null)?.vault ?? pool.address),
      // A pool from a file may have no holdings yet. The lens then has no tokens to sell, so the simulated swaps fail.
      holdingsOf: (pool) => fixedOf(pool).holdings ?? pool.tokens.map(() => ({})),
    }),
    step,
  }
}

function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): PoolReads<Pool<null>> {
  const holdings = yield* findPoolHoldings(pools)
  return pools.map((pool, k) => {
    const poolHoldings = holdings[k]
    return poolHoldings ? { ...pool, fixed: { ...fixedOf(pool), holdings: poolHoldings } satisfies TwinFixed } : null
  })
}
