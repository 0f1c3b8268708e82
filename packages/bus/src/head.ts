/** Reads the head of a chain in Redis: the description of the state that the owner published last. */
import { fromText, type PoolMap, toText } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { type Connection, fieldsOf, type RedisReply } from './connection.ts'
import type { ChainKeys } from './keys.ts'

/** Maximum canonical blocks listed in an entry, including its own: the blocks at which workers may still be quoting. */
export const MAX_CANONICAL = 8

/** The state that the owner published last. */
export type Head = {
  /** Id of the generation: part of the key of the hash with all pools. */
  readonly generation: string
  /** Random id of the write that published the state. */
  readonly tag: string
  /** Id of the state's entry in the stream. */
  readonly id: string
  readonly block: BlockHeader
  /** Hashes of the last published blocks that are canonical. */
  readonly canonical: readonly string[]
  /** Number of hash fields of all pools. */
  readonly fieldCount: number
}

/** A complete state that a follower has read. */
export type FollowedState = Omit<Head, 'generation'> & { readonly pools: PoolMap; readonly pairs: ReadonlySet<string> }

type Fields = Readonly<Record<string, string>>

/** Reads the head; null if nothing was published. */
export async function readHead(connection: Connection, keys: ChainKeys): Promise<Head | null> {
  const fields = fieldsOf(await connection.call<RedisReply[]>('HGETALL', keys.head))
  const { gen: generation, tag, id } = fields
  return generation && tag && id ? { generation, tag, id, ...decodeBlockFields(fields) } : null
}

/**
 * Decodes the block fields of a head or an entry. The field `stands` in Redis lists the canonical blocks, and `size` is
 * the number of hash fields.
 */
export function decodeBlockFields({ block, stands, size }: Fields): Pick<Head, 'block' | 'canonical' | 'fieldCount'> {
  return { block: fromText<BlockHeader>(block!), canonical: stands!.split(','), fieldCount: Number(size) }
}

/** Encodes a block without its logs bloom, which only the owner needs. */
export function encodeBlock({ logsBloom: _, ...block }: BlockHeader): string {
  return toText(block)
}

/** Returns true if a stream id is at least `other`. Stream ids consist of milliseconds and a sequence number. */
export function isAtOrAfter(id: string, other: string): boolean {
  const [ms, sequence] = id.split('-').map(Number) as [number, number]
  const [otherMs, otherSequence] = other.split('-').map(Number) as [number, number]
  return ms === otherMs ? sequence >= otherSequence : ms > otherMs
}
