/** A chain's habit: how often it makes blocks, and how its clock stands to ours. */
import type { BlockHeader, ChainClock } from './types.ts'

const SAMPLES = 32
/** Timestamps are whole seconds, and a new block takes a while to get here. */
const OFF_SECONDS = 60
/** As many usual times between blocks without one, and at least so long, are a rest. */
const REST_INTERVALS = 8
const REST_MS = 15_000
const MIN_INTERVAL_MS = 50
const MAX_INTERVAL_MS = 86_400_000
/** A moment in which a node that lags may catch up: a share of the time between blocks, within these bounds. */
const MOMENT_SHARE = 1 / 40
const MIN_MOMENT_MS = 15
const MAX_MOMENT_MS = 200

type Seen = { readonly number: number; readonly timestamp: number; readonly at: number }

export class BlockHabit {
  private readonly now: () => number
  private newest: Seen | undefined
  private readonly intervals: number[] = []
  /** Seconds by which blocks that were awaited were older than our clock. */
  private readonly behind: number[] = []

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** A head that the chain was seen to have. */
  see({ number, timestamp }: Pick<BlockHeader, 'number' | 'timestamp'>): void {
    const at = this.now()
    const last = this.newest
    if (last && number <= last.number) {
      // A chain that went back starts anew from there.
      if (number < last.number) this.newest = { number, timestamp, at }
      return
    }
    if (last) {
      const ms = (1_000 * (timestamp - last.timestamp)) / (number - last.number)
      add(this.intervals, Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, ms)))
      add(this.behind, at / 1_000 - timestamp)
    }
    this.newest = { number, timestamp, at }
  }

  get momentMs(): number {
    const { intervalMs } = this.clock
    return Math.min(MAX_MOMENT_MS, Math.max(MIN_MOMENT_MS, (intervalMs ?? 0) * MOMENT_SHARE))
  }

  get clock(): ChainClock {
    const intervalMs = median(this.intervals)
    const longestMs = this.intervals.length > 0 ? Math.max(...this.intervals) : null
    // The least: a block that was asked for late is older than one that was awaited.
    const least = this.behind.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a), Number.POSITIVE_INFINITY)
    const behindSeconds = this.behind.length > 0 ? least : null
    return { intervalMs, longestMs, behindSeconds, state: this.state(intervalMs, behindSeconds) }
  }

  private state(intervalMs: number | null, behindSeconds: number | null): ChainClock['state'] {
    if (!this.newest) return 'unknown'
    if (behindSeconds !== null && Math.abs(behindSeconds) > OFF_SECONDS) return 'off'
    const rest = Math.max(REST_MS, REST_INTERVALS * (intervalMs ?? 0))
    // By the block's own time too: the first head that is seen of a chain that rests is old.
    const age = Math.max(this.now() - this.newest.at, this.now() - 1_000 * this.newest.timestamp)
    if (age > rest) return 'resting'
    return intervalMs === null ? 'unknown' : 'moving'
  }
}

function add(samples: number[], sample: number): void {
  samples.push(sample)
  if (samples.length > SAMPLES) samples.shift()
}

function median(samples: readonly number[]): number | null {
  if (samples.length === 0) return null
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}
