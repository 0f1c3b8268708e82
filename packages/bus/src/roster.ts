/** Which chains workers ask for: who asks decides what is indexed. */
import type { Connection } from './connection.ts'
import { ASKED, type ChainKeys, SCHEMA, SCHEMAS } from './keys.ts'

/** Milliseconds for which a version counts as in use after a process last said so. */
const IN_USE_MS = 60_000

/** Notes that chains are asked for now, and that this version is in use. */
export async function ask(connection: Connection, chainIds: readonly number[], now = Date.now()): Promise<void> {
  await connection.call('ZADD', SCHEMAS, now, SCHEMA)
  if (chainIds.length > 0) await connection.call('ZADD', ASKED, ...chainIds.flatMap((chainId) => [now, chainId]))
}

/** The chains that were asked for within so many milliseconds. */
export async function askedWithin(connection: Connection, ms: number, now = Date.now()): Promise<readonly number[]> {
  const chainIds = await connection.call<string[]>('ZRANGEBYSCORE', ASKED, now - ms, '+inf')
  return chainIds.map(Number)
}

/** Why nobody publishes a chain; null where somebody owns it, so that its first state is on its way. */
export async function whyUnowned(
  connection: Connection,
  chainId: number,
  { lease }: ChainKeys,
): Promise<string | null> {
  if ((await connection.call('EXISTS', lease)) === 1) return null
  const others = await otherSchemas(connection)
  const told = others.length > 0 ? `; ${others.join(', ')} in use on this bus, and this version reads ${SCHEMA}` : ''
  return `no indexer follows chain ${chainId}${told}`
}

/** Other versions that are in use: their states are neither read nor written by this one. */
async function otherSchemas(connection: Connection, now = Date.now()): Promise<readonly string[]> {
  const schemas = await connection.call<string[]>('ZRANGEBYSCORE', SCHEMAS, now - IN_USE_MS, '+inf')
  return schemas.filter((schema) => schema !== SCHEMA)
}
