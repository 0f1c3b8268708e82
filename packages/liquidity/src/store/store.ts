/** Store of a market's memory between two runs: a file of this machine, or a place that several machines share. */
import type { SavedFacts } from './database.ts'
import type { Batch, ToStore } from './messages.ts'

export type Part = Extract<ToStore, { do: 'write' | 'list' | 'keep' }>

export interface Store {
  /** The last save, pools apart; null in an empty one. */
  readonly facts: SavedFacts | null
  /** All that was saved, once: lists and then pools. @throws MarketError `BAD_SNAPSHOT` */
  batches(): AsyncIterable<Batch>
  /** Writes all parts; what is told by the facts holds once all of them are written. */
  save(facts: SavedFacts, parts: AsyncIterable<Part>): Promise<void>
  /** False where what was saved is lost meanwhile, as it may be elsewhere than in a file: all is to be saved anew. */
  isWhole?(): Promise<boolean>
  close(): Promise<void>
}
