/**
 * When the node is asked for its head again. While somebody waits for blocks, as often as that is worth it. Otherwise around the time
 * at which the next block is due, and ever less often while none comes or nobody asks for quotes: a quote notices by itself that the
 * chain has moved on, since the node names its head in the same request that simulates.
 */

/** Share of the usual time between blocks by which one may come early. */
const EARLY = 0.05
/** A block that is overdue is looked for at intervals of this share of the delay. */
const OVERDUE_SHARE = 1 / 2
/** Longest time between two looks, in milliseconds: the age of what `/ready` shows. */
const MAX_REST_MS = 45_000
/** Milliseconds without a request after which blocks are followed several at a time. */
const UNUSED_MS = 60_000
const MAX_UNUSED_MS = 30_000
/** Blocks that are followed at a time then; more than 64 would mean reading all pools again. */
const UNUSED_BLOCKS = 16

export type PollState = {
  /** Shortest time between two looks. */
  readonly pollMs: number
  /** Usual time between two blocks. */
  readonly blockMs: number
  /** Since the newest block was first seen. */
  readonly sinceBlockMs: number
  /** Since somebody last asked for something. */
  readonly sinceRequestMs: number
  /** Somebody waits for blocks: a stream, or a measurement. */
  readonly isWatched: boolean
}

/** @returns milliseconds until the next look */
export function nextPollMs({ pollMs, blockMs, sinceBlockMs, sinceRequestMs, isWatched }: PollState): number {
  if (isWatched) return pollMs
  const dueMs = blockMs * (1 - EARLY) - sinceBlockMs
  const restMs = dueMs > 0 ? dueMs : Math.min(MAX_REST_MS, OVERDUE_SHARE * (sinceBlockMs - blockMs))
  const unusedMs = sinceRequestMs > UNUSED_MS ? Math.min(MAX_UNUSED_MS, UNUSED_BLOCKS * blockMs) : 0
  return Math.max(pollMs, restMs, unusedMs)
}
