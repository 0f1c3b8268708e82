/**
 * Sampled twins: families of the pools that an exact family finds but cannot quote, because their code or hook is
 * unknown. The Executor trades with such a pool as with any other of the exact family.
 */
import type { Address, DexRow } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import { balanceView, findPoolHoldings, type PoolHoldings, programSamples } from './program-samples.ts'
import type { SampledState } from './sampled-state.ts'
import { twinIdOf } from './twin-id.ts'

/** `fixed` of a pool of a twin. */
type TwinFixed = {
  /** `fixed` of the same pool in the exact family. */
  readonly exact: unknown
  /** Absent until they have been found. */
  readonly holdings?: PoolHoldings
}

const fixedOf = (pool: Pool<unknown>): TwinFixed => pool.fixed as TwinFixed

/** Maximum tokens of a pool that is sampled. Each of its pairs takes a read: six reads for four tokens. */
const MAX_TOKENS = 4

/** Returns a pool of an exact family as a pool of its twin in `row`; null if it has too many tokens. */
export function toTwin(row: DexRow, pool: Pool<null>): Pool<null> | null {
  if (pool.tokens.length > MAX_TOKENS) return null
  return { ...pool, family: row.family, dex: row.brand, fixed: { exact: pool.fixed } satisfies TwinFixed }
}

/** Returns a pool of a twin as a pool of the exact family in `row`. */
export const toExact = (row: DexRow, pool: Pool<null>): Pool<null> => ({
  ...pool,
  family: row.family,
  dex: row.brand,
  fixed: fixedOf(pool).exact,
})

/**
 * Returns the sampled twin of a family.
 *
 * @param dependsOnExact - like `DexFamily.dependsOn`, for a pool of the exact family; default: the pool itself
 */
export function sampledTwin(
  // biome-ignore lint/suspicious/noExplicitAny: any state; only functions that ignore it are called.
  exact: DexFamily<any>,
  dependsOnExact: (pool: Pool) => readonly Address[] = ({ address }) => [address],
): DexFamily<SampledState> {
  const id = twinIdOf(exact.id)
  const exactPool = (pool: Pool): Pool => ({ ...pool, family: exact.id, fixed: fixedOf(pool).exact })
  const step: DexFamily['step'] = (pool, ...trade) => exact.step(exactPool(pool), ...trade)
  return {
    id,
    ...(exact.holdsNative && { holdsNative: true }),
    ...(exact.payment && { payment: exact.payment }),
    // A separate brand, so that a caller who selects the DEX by brand does not also accept unknown code.
    rowsOf: (row) =>
      (exact.rowsOf?.(row) ?? (row.family === exact.id ? [row] : [])).map((exactRow) => ({
        ...exactRow,
        brand: `${row.brand} sampled`,
      })),
    readFixed,
    stateNeedsFixed: true,
    dependsOn: (pool) => dependsOnExact(exactPool(pool)),
    ...programSamples({
      id,
      step,
      // The vault holds the tokens of a family that has one.
      viewOf: (pool, pair) =>
        balanceView(pair, (fixedOf(pool).exact as { readonly vault?: Address } | null)?.vault ?? pool.address),
      // A file can contain a pool whose holdings were not found yet. Its swaps fail.
      holdingsOf: (pool) => fixedOf(pool).holdings ?? pool.tokens.map(() => ({})),
    }),
    step,
  }
}

function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (Pool<null> | null)[]> {
  const holdings = yield* findPoolHoldings(pools)
  return pools.map((pool, k) => {
    const poolHoldings = holdings[k]
    return poolHoldings ? { ...pool, fixed: { ...fixedOf(pool), holdings: poolHoldings } satisfies TwinFixed } : null
  })
}
