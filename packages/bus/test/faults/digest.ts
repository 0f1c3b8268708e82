/** Digests of pools by group, which differ if any pool of the group differs. */
import { createHash } from 'node:crypto'
import { type Pool, toText } from '@sluice/liquidity'
import { groupOf, numberOfPool } from './synthetic-chain.ts'

/** Number of pools, and the XOR of their digests, by group. */
export type Groups = Record<number, [count: number, sum: number]>

const digests = new WeakMap<Pool, number>()

/** Digest of a pool's content; cached per object. */
export function digestOf(pool: Pool): number {
  const cached = digests.get(pool)
  if (cached !== undefined) return cached
  const { id, family, dex, address, tokens, fixed, state } = pool
  const fields = Object.entries(state as object).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = toText([id, family, dex, address, tokens, fixed ?? null, fields])
  const digest = createHash('sha1').update(text).digest().readUInt32BE()
  digests.set(pool, digest)
  return digest
}

export function addTo(groups: Groups, n: number, digest: number): void {
  const [count, sum] = groups[groupOf(n)] ?? [0, 0]
  groups[groupOf(n)] = [count + 1, (sum ^ digest) >>> 0]
}

export function sumOf(pools: Iterable<Pool>): Groups {
  const groups: Groups = {}
  for (const pool of pools) addTo(groups, numberOfPool.get(pool.id)!, digestOf(pool))
  return groups
}
