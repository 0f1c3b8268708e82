/**
 * Cost of works: milliseconds of all that a chain can do. While n works run together, each of them is charged the n-th part of
 * the time, so that costs add up to the time that passed, whatever is short: the process, its threads or the node. Pure but
 * for the clock that it is given.
 */

/** Cost of a kind of work that was never done. */
const FIRST_GUESS_MS = 5
/** Weight of the newest measurement. */
const NEWEST = 0.1

/** Time shared out among the works that run. */
export class SharedClock {
  private shared = 0
  private last = 0
  private running = 0

  /** Milliseconds that each of the works running all the while was charged. @param places - how many could run */
  read(now: number, places: number): number {
    this.shared += Math.max(0, now - this.last) / Math.max(this.running, places)
    this.last = now
    return this.shared
  }

  /** To be called right after `read`. */
  change(by: 1 | -1): void {
    this.running += by
  }
}

export type Measurement = {
  /** Milliseconds that the work was charged. */
  readonly chargedMs: number
  /** Milliseconds from its start to its end. */
  readonly tookMs: number
  /** Every place was taken all the while: only then the time tells what the chain can do. */
  readonly wasFull: boolean
}

type Learned = { costMs: number; measuredFull: boolean }

/** Costs by kind of work, such as an endpoint and the size of what is asked; the number of kinds is bounded by its user. */
export class LearnedCosts {
  private readonly kinds = new Map<string, Learned>()

  of(kind: string): number {
    return this.kinds.get(kind)?.costMs ?? FIRST_GUESS_MS
  }

  learn(kind: string, { chargedMs, tookMs, wasFull }: Measurement): void {
    const known = this.kinds.get(kind)
    if (!known) {
      this.kinds.set(kind, { costMs: chargedMs, measuredFull: wasFull })
      return
    }
    // With places left the share is a guess, but nothing costs more than all the time it took.
    const sample = wasFull || !known.measuredFull ? chargedMs : Math.min(known.costMs, tookMs)
    const weight = wasFull && !known.measuredFull ? 1 : NEWEST
    known.costMs += weight * (sample - known.costMs)
    known.measuredFull ||= wasFull
  }
}
