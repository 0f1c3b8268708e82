/**
 * The work that one request may cost, counted and never timed, so that every machine gives the same route. All that
 * repeats in a search draws on it.
 */

/**
 * Units for a whole request. One stands for about ten nanoseconds here: an edge looked at, a few multiplications of a linear
 * system; asking a pool exactly is QUOTE_WORK of them. So the default ends a request within about a second. The hardest trade
 * of the benchmark's scenarios, cut down to 24 pools, takes 12.4 million; of 20,000 pools and any number of legs, 2.5 million.
 */
export const MOST_WORK = 40_000_000
/** A pool asked exactly, in the chain's integers. */
export const QUOTE_WORK = 1_000

/** The work allowed has been done. Who catches it answers with the best found until then. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent'
}

/** One for all: many are caught within a search, and a trace of each would take longer than what it ends. */
const SPENT = new WorkSpent()

export class WorkBudget {
  private left: number
  private failures = 0

  constructor(units = MOST_WORK) {
    this.left = units
  }

  /** True where something had to be given up: with more to spend, the answer might be another. */
  get ranOut(): boolean {
    return this.failures > 0
  }

  /** Units not yet spent. */
  get rest(): number {
    return Math.max(0, this.left)
  }

  /**
   * Before or after each round of anything that repeats.
   *
   * @throws WorkSpent
   */
  spend(units: number): void {
    this.left -= units
    // Not a number counts as too many.
    if (this.left >= 0) return
    this.failures++
    throw SPENT
  }

  /** Runs what may spend a part of the rest; what it leaves can be spent by others. */
  within<T>(part: number, run: () => T): T {
    const aside = this.rest * (1 - part)
    this.left = this.rest - aside
    try {
      return run()
    } finally {
      this.left = this.rest + aside
    }
  }

  /** The same for what has a worse answer at hand: that, where the work is spent. */
  attempt<T, U>(part: number, run: (own: this) => T, otherwise: () => U): T | U {
    try {
      return this.within(part, () => run(this))
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error
      return otherwise()
    }
  }
}
