/** Estimates the block interval of a chain, and the offset between its timestamps and the local clock. */
import type { BlockHeader, ChainClock } from './types.ts'

/** Maximum number of recent intervals, and of recent arrival ages, that are kept. */
const MAX_SAMPLES = 32
/**
 * Maximum offset with correct clocks: timestamps are whole seconds, and new blocks take a while to arrive. A larger
 * offset means that a clock is wrong.
 */
const MAX_CLOCK_OFFSET_SECONDS = 60
/** A chain rests if it has no block for this many median intervals, and for at least `REST_MS`. */
const REST_INTERVALS = 8
/** Minimum milliseconds without a block for a chain to rest. */
const REST_MS = 15_000
/** Bounds to which measured intervals are clamped. */
const MIN_INTERVAL_MS = 50
const MAX_INTERVAL_MS = 86_400_000
/** Time that a lagging node gets to catch up, as a share of the block interval. */
const CATCH_UP_SHARE = 1 / 40
/** Bounds of the time that a lagging node gets. */
const MIN_CATCH_UP_MS = 15
const MAX_CATCH_UP_MS = 200

/** A block, and when it was first seen (Unix time in milliseconds). */
type SeenBlock = { readonly number: number; readonly timestamp: number; readonly seenAt: number }

/** Recent block intervals and clock offsets of a chain. */
export class BlockCadence {
  private readonly now: () => number
  private newest: SeenBlock | undefined
  private readonly intervals: number[] = []
  /** Recent ages of new blocks on arrival, in seconds. */
  private readonly arrivalAges: number[] = []

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  recordHead({ number, timestamp }: Pick<BlockHeader, 'number' | 'timestamp'>): void {
    const now = this.now()
    const previousHead = this.newest
    if (previousHead && number <= previousHead.number) {
      // After a reorg to a lower block, intervals are measured from that block.
      if (number < previousHead.number) this.newest = { number, timestamp, seenAt: now }
      return
    }
    if (previousHead) {
      const ms = (1_000 * (timestamp - previousHead.timestamp)) / (number - previousHead.number)
      addSample(this.intervals, Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ms)))
      addSample(this.arrivalAges, now / 1_000 - timestamp)
    }
    this.newest = { number, timestamp, seenAt: now }
  }

  /** Milliseconds after which a lagging node may have the newest block. */
  get catchUpMs(): number {
    const { intervalMs } = this.clock
    return Math.min(MAX_CATCH_UP_MS, Math.max(MIN_CATCH_UP_MS, (intervalMs ?? 0) * CATCH_UP_SHARE))
  }

  get clock(): ChainClock {
    const intervalMs = median(this.intervals)
    const longestMs = this.intervals.length > 0 ? Math.max(...this.intervals) : null
    // The smallest age is the best estimate of the offset, because a poll may see a block long after its arrival at the
    // node.
    const smallestAgeSeconds = this.arrivalAges.reduce(
      (a, b) => (Math.abs(b) < Math.abs(a) ? b : a),
      Number.POSITIVE_INFINITY,
    )
    const behindSeconds = this.arrivalAges.length > 0 ? smallestAgeSeconds : null
    return { intervalMs, longestMs, behindSeconds, state: this.state(intervalMs, behindSeconds) }
  }

  private state(intervalMs: number | null, behindSeconds: number | null): ChainClock['state'] {
    if (!this.newest) return 'unknown'
    if (behindSeconds !== null && Math.abs(behindSeconds) > MAX_CLOCK_OFFSET_SECONDS) return 'off'
    const restMs = Math.max(REST_MS, REST_INTERVALS * (intervalMs ?? 0))
    // The timestamp counts too, because the first observed head of a resting chain is old.
    const ageMs = Math.max(this.now() - this.newest.seenAt, this.now() - 1_000 * this.newest.timestamp)
    if (ageMs > restMs) return 'resting'
    return intervalMs === null ? 'unknown' : 'moving'
  }
}

function addSample(samples: number[], sample: number): void {
  samples.push(sample)
  if (samples.length > MAX_SAMPLES) samples.shift()
}

function median(samples: readonly number[]): number | null {
  if (samples.length === 0) return null
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}
