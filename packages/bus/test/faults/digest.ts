/** Pools as a number a group: whoever has one of them otherwise has another number. */
import { createHash } from 'node:crypto'
import { type Pool, toText } from '@sluice/liquidity'
import { groupOf, numberOfPool } from './made-chain.ts'

/** Count, and the digests of the pools taken together. */
export type Groups = Record<number, [count: number, sum: number]>

const digests = new WeakMap<Pool, number>()

/** From its content alone. */
export function digestOf(pool: Pool): number {
  const known = digests.get(pool)
  if (known !== undefined) return known
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
