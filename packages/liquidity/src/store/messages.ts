/** Messages to and from the worker thread that reads and writes files: market databases and quote logs. */
import type { Pool } from '../family.ts'
import type { SavedFacts, SavedPool, StoredPool } from './database.ts'
import type { BlockOfRecords, RecordLimits } from './record-database.ts'

/** Pools per message: copying them takes the sender and the receiver about a millisecond each. */
export const POOLS_PER_MESSAGE = 100

/** Requests to the thread. */
export type StoreCommand =
  /** Opens a market's file. Replies with the facts of the last save. */
  | { readonly do: 'open'; readonly path: string }
  /** Opens a quote log. */
  | { readonly do: 'open-records'; readonly path: string; readonly limits: RecordLimits }
  /** Replies with the next batch of the saved state; null after the last. */
  | { readonly do: 'next' }
  | { readonly do: 'begin' }
  | {
      readonly do: 'write'
      readonly newPools: readonly SavedPool[]
      readonly changedPools: readonly Pool[]
      readonly goneIds: readonly string[]
    }
  /** Pools to keep at `commit`; all others are deleted. */
  | { readonly do: 'keep'; readonly ids: readonly string[] }
  /** Part of a list in the facts, which is too large for one message. */
  | { readonly do: 'list'; readonly name: string; readonly items: readonly unknown[] }
  | { readonly do: 'commit'; readonly facts: SavedFacts }
  /** Ends a block of a quote log, instead of `commit`. */
  | { readonly do: 'commit-records'; readonly records: BlockOfRecords }
  | { readonly do: 'rollback' }
  | { readonly do: 'close' }

/** Message to the thread. `fileId` identifies the file, and `jobId` the reply. */
export type StoreRequest = { readonly fileId: number; readonly jobId: number; readonly command: StoreCommand }

export type ListChunk = { readonly name: string; readonly items: readonly unknown[] }
/** Part of a saved state: pools, or part of a list. */
export type SavedBatch = { readonly pools: readonly StoredPool[]; readonly list: ListChunk | null }

/** `isBadFormat`: the file has another format. */
export type StoreReply = { readonly jobId: number } & (
  | { readonly result: unknown }
  | { readonly error: string; readonly isBadFormat: boolean }
)
