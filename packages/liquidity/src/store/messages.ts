/** Messages to and from the thread that reads and writes files: those of markets, and logs of records. */
import type { Pool } from '../family.ts'
import type { SavedFacts, SavedPool, StoredPool } from './database.ts'
import type { BlockOfRecords, RecordLimits } from './record-database.ts'

/** A hundred pools: copying as many takes the sender and the receiver about a millisecond. */
export const BATCH = 100

export type ToStore =
  /** Answers with the facts of what was saved last. */
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'open-records'; readonly path: string; readonly limits: RecordLimits }
  /** Answers with the next pools that were saved, none after the last. */
  | { readonly do: 'next' }
  | { readonly do: 'begin' }
  | {
      readonly do: 'write'
      readonly known: readonly SavedPool[]
      readonly changed: readonly Pool[]
      readonly gone: readonly string[]
    }
  /** Some of the pools that the file is to hold from `commit` on, and no others. */
  | { readonly do: 'keep'; readonly ids: readonly string[] }
  /** A part of what the facts list, which would be too much at once. */
  | { readonly do: 'list'; readonly name: string; readonly items: readonly unknown[] }
  | { readonly do: 'commit'; readonly facts: SavedFacts }
  /** The end of a block of a log of records, in the place of `commit`. */
  | { readonly do: 'commit-records'; readonly of: BlockOfRecords }
  | { readonly do: 'rollback' }
  | { readonly do: 'close' }

export type Request = { readonly file: number; readonly job: number; readonly ask: ToStore }

export type ListPart = { readonly name: string; readonly items: readonly unknown[] }
export type Batch = { readonly pools: readonly StoredPool[]; readonly list: ListPart | null }

/** `bad` is why a file is none of ours. */
export type Reply = { readonly job: number } & (
  | { readonly result: unknown }
  | { readonly error: string; readonly isBad: boolean }
)
