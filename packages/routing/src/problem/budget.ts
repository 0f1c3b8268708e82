/**
 * Work budget of a request. Work is counted in units, not timed, so that all machines find the same route. All loops of
 * a search spend units of the budget. An edge is a pool in one direction.
 */

/**
 * Default work limit of a request. One unit takes about 20 ns: visiting an edge, or a few multiplications of a linear
 * system; an exact pool quote takes `QUOTE_WORK` units. The limit ends a request within about a second. The hardest
 * trade of the benchmark's scenarios, with a limit of 24 pools, takes 12.4 million units. With 20,000 pools and any
 * number of legs, the hardest trade takes 2.5 million.
 */
export const MAX_WORK = 40_000_000
/** Work units of one exact quote of a pool, in integers. */
export const QUOTE_WORK = 1_000

/** Thrown when the work limit is reached. Callers that catch it fall back to the best result so far. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent'
}

/** The only instance, because creating an error takes long (for its stack trace), and a search catches many. */
const WORK_SPENT = new WorkSpent()

/** Counts the work units that a search has left. */
export class WorkBudget {
  private unitsLeft: number
  private timesExhausted = 0

  constructor(units = MAX_WORK) {
    this.unitsLeft = units
  }

  /** True if some computation ran out of units, so that a larger budget may give another result. */
  get hasRunOut(): boolean {
    return this.timesExhausted > 0
  }

  /** Units left. */
  get remaining(): number {
    return Math.max(0, this.unitsLeft)
  }

  /**
   * Consumes units; called once per round of every loop.
   *
   * @throws WorkSpent
   */
  spend(units: number): void {
    this.unitsLeft -= units
    // NaN also counts as exceeded.
    if (this.unitsLeft >= 0) return
    this.timesExhausted++
    throw WORK_SPENT
  }

  /** Runs a function with a fraction of the remaining units. Unused units return to the budget. */
  within<T>(share: number, run: () => T): T {
    const reservedUnits = this.remaining * (1 - share)
    this.unitsLeft = this.remaining - reservedUnits
    try {
      return run()
    } finally {
      this.unitsLeft = this.remaining + reservedUnits
    }
  }

  /** Like `within`, but returns the fallback if the units run out. */
  attempt<T, U>(share: number, run: (budget: this) => T, fallback: () => U): T | U {
    try {
      return this.within(share, () => run(this))
    } catch (error) {
      if (!(error instanceof WorkSpent)) throw error
      return fallback()
    }
  }
}
