/** Records and reads which chains workers request; only requested chains are indexed. */
import type { Connection } from './connection.ts'
import { type ChainKeys, REQUESTED_CHAINS, SCHEMA, SCHEMAS } from './keys.ts'

/** Milliseconds after its last report in which a version of the bus format counts as in use. */
const IN_USE_MS = 60_000

/** Records that chains are requested now, and that this version is in use. */
export async function requestChains(connection: Connection, chainIds: readonly number[]): Promise<void> {
  const now = Date.now()
  await connection.call('ZADD', SCHEMAS, now, SCHEMA)
  if (chainIds.length > 0)
    await connection.call('ZADD', REQUESTED_CHAINS, ...chainIds.flatMap((chainId) => [now, chainId]))
}

/** Returns the chains that were requested within the given milliseconds. */
export async function chainsRequestedWithin(connection: Connection, ms: number): Promise<readonly number[]> {
  const chainIds = await connection.call<string[]>('ZRANGEBYSCORE', REQUESTED_CHAINS, Date.now() - ms, '+inf')
  return chainIds.map(Number)
}

/** Explains why no process publishes a chain; null if a process owns the chain and will publish its first state. */
export async function missingOwnerReason(
  connection: Connection,
  chainId: number,
  { lease }: ChainKeys,
): Promise<string | null> {
  if ((await connection.call('EXISTS', lease)) === 1) return null
  const foreignSchemas = await otherSchemas(connection)
  const versions =
    foreignSchemas.length > 0
      ? `; ${foreignSchemas.join(', ')} in use on this bus, and this version reads ${SCHEMA}`
      : ''
  return `no indexer follows chain ${chainId}${versions}`
}

/** Returns the other versions in use. This version neither reads nor writes their states. */
async function otherSchemas(connection: Connection): Promise<readonly string[]> {
  const schemas = await connection.call<string[]>('ZRANGEBYSCORE', SCHEMAS, Date.now() - IN_USE_MS, '+inf')
  return schemas.filter((schema) => schema !== SCHEMA)
}
