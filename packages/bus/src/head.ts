/** Head that stands on Redis now. */
import { fromText, type PoolMap, toText } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { type Connection, fieldsOf, type Reply } from './connection.ts'
import type { ChainKeys } from './keys.ts'

/** Blocks that an entry says stand, itself among them: what a worker may still be quoting. */
export const STANDING = 8

/** The owner's word on what was published last. */
export type Head = {
  /** Generation of the pools. */
  readonly gen: string
  /** Random, of the write. */
  readonly tag: string
  /** Id of its entry. */
  readonly id: string
  readonly block: BlockHeader
  /** Hashes of the last published blocks that are the chain's. */
  readonly stands: readonly string[]
  /** Number of fields of all pools. */
  readonly size: number
}

/** A whole state, as a follower shows it. */
export type Shown = Omit<Head, 'gen'> & { readonly pools: PoolMap; readonly pairs: ReadonlySet<string> }

type Fields = Readonly<Record<string, string>>

/** Null where nothing was published. */
export async function readHead(connection: Connection, keys: ChainKeys): Promise<Head | null> {
  const fields = fieldsOf(await connection.call<Reply[]>('HGETALL', keys.head))
  const { gen, tag, id } = fields
  return gen && tag && id ? { gen, tag, id, ...blockOf(fields) } : null
}

export function blockOf({ block, stands, size }: Fields): Pick<Head, 'block' | 'stands' | 'size'> {
  return { block: fromText<BlockHeader>(block!), stands: stands!.split(','), size: Number(size) }
}

/** Without the filter of its logs, which nobody but the owner needs. */
export function blockText({ logsBloom: _, ...block }: BlockHeader): string {
  return toText(block)
}

/** Ids of a stream in their order: milliseconds, and a number within them. */
export function isAtOrAfter(id: string, other: string): boolean {
  const [ms, number] = id.split('-').map(Number) as [number, number]
  const [otherMs, otherNumber] = other.split('-').map(Number) as [number, number]
  return ms === otherMs ? number >= otherNumber : ms > otherMs
}
