/**
 * Decides when to request the node's head again. While blocks have subscribers, polls follow at the shortest interval.
 * At other times, a poll follows when the next block is due. The interval grows while no block or no request arrives.
 * Quotes need no polls: their simulation returns the node's head in the same request.
 */

/** Fraction of the block time by which a block may arrive early. */
const EARLY_SHARE = 0.05
/** Interval between polls for an overdue block, as a fraction of its delay. */
const OVERDUE_SHARE = 1 / 2
/** Maximum milliseconds between two polls, which also bounds the age of the head in `/ready`. */
const MAX_REST_MS = 45_000
/** Milliseconds without a request after which a market counts as unused. Each of its polls follows several blocks. */
const UNUSED_MS = 60_000
/** Maximum milliseconds between two polls of an unused market. */
const MAX_UNUSED_MS = 30_000
/** Blocks per poll of an unused market. With more than 64, the market would have to read all pools again. */
const UNUSED_BLOCKS = 16

/** Input of `nextPollMs`. */
export type PollState = {
  /** Minimum milliseconds between two polls. */
  readonly pollMs: number
  /** Usual milliseconds between two blocks. */
  readonly blockMs: number
  /** Milliseconds since the newest block was first seen. */
  readonly sinceBlockMs: number
  /** Milliseconds since the last request. */
  readonly sinceRequestMs: number
  /** True if a stream or a measurement waits for blocks. */
  readonly isWatched: boolean
}

/** Returns the milliseconds until the next poll. */
export function nextPollMs({ pollMs, blockMs, sinceBlockMs, sinceRequestMs, isWatched }: PollState): number {
  if (isWatched) return pollMs
  const untilDueMs = blockMs * (1 - EARLY_SHARE) - sinceBlockMs
  const restMs = untilDueMs > 0 ? untilDueMs : Math.min(MAX_REST_MS, OVERDUE_SHARE * (sinceBlockMs - blockMs))
  const unusedMs = sinceRequestMs > UNUSED_MS ? Math.min(MAX_UNUSED_MS, UNUSED_BLOCKS * blockMs) : 0
  return Math.max(pollMs, restMs, unusedMs)
}
