/** Interface of a store for the pools, tokens, and pairs of a market: a local file, or a store that machines share. */
import type { SavedFacts } from './database.ts'
import type { SavedBatch, StoreCommand } from './messages.ts'

/** A part of a save. */
export type SaveCommand = Extract<StoreCommand, { do: 'write' | 'list' | 'keep' }>

/** A store that a `Saver` writes to and restores from. */
export interface Store {
  /** Facts of the last save; null in an empty store. */
  readonly facts: SavedFacts | null
  /** Yields the saved state once; its tokens come before its pools. @throws MarketError `BAD_SNAPSHOT` */
  batches(): AsyncIterable<SavedBatch>
  /** Executes all commands. The facts take effect once all commands are executed. */
  save(facts: SavedFacts, commands: AsyncIterable<SaveCommand>): Promise<void>
  /** False if saved state was lost, which can happen in a shared store: everything must be saved again. */
  isIntact?(): Promise<boolean>
  /** True if the store has failed for good: it must be opened again, and its content is unknown. */
  readonly isLost?: boolean
  close(): Promise<void>
}
