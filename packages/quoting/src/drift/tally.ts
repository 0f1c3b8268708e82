/** Statistics over a window of the most recent samples. */
import { FLOAT_BPS, FLOAT_PPM } from '@sluice/chains'

/** Result of simulating a quote again in a later block. */
export type DriftOutcome = {
  /** Difference from the quote in ppm when the same transaction runs again; null if it paid nothing. */
  readonly ppm: number | null
  /** True if the transaction would have reverted. */
  readonly reverted: boolean
}

/** Statistics of a window. Drift is the change of the output since the quote. */
export type Figures = {
  /** Number of samples in the window. */
  readonly samples: number
  /** Share of samples that would revert, from 0 to 1. */
  readonly wouldRevert: number
  /** Mean drift in basis points; negative is a loss of the taker; null if no sample paid. */
  readonly meanBps: number | null
  /** Median drift, like `meanBps`. */
  readonly medianBps: number | null
  /** The 5th percentile of the drift, like `meanBps`. */
  readonly worst5Bps: number | null
}

const PPM_PER_BPS = FLOAT_PPM / FLOAT_BPS

export class Tally {
  private readonly window: DriftOutcome[] = []
  private readonly size: number
  private nextIndex = 0

  constructor(size: number) {
    this.size = size
  }

  add(outcome: DriftOutcome): void {
    this.window[this.nextIndex] = outcome
    this.nextIndex = (this.nextIndex + 1) % this.size
  }

  get samples(): number {
    return this.window.length
  }

  /** The worst sample in ppm, at most 0; a sample that paid nothing counts as a total loss. */
  get worstPpm(): number {
    return this.window.reduce((worst, { ppm }) => Math.min(worst, ppm ?? -FLOAT_PPM), 0)
  }

  get figures(): Figures {
    const samples = this.window.length
    const paidPpms = this.window.flatMap(({ ppm }) => (ppm === null ? [] : [ppm])).sort((a, b) => a - b)
    const quantileAt = (fraction: number) =>
      paidPpms.length === 0 ? null : paidPpms[Math.floor((paidPpms.length - 1) * fraction)]! / PPM_PER_BPS
    return {
      samples,
      wouldRevert: samples === 0 ? 0 : this.window.filter(({ reverted }) => reverted).length / samples,
      meanBps:
        paidPpms.length === 0 ? null : paidPpms.reduce((sum, ppm) => sum + ppm, 0) / paidPpms.length / PPM_PER_BPS,
      medianBps: quantileAt(1 / 2),
      worst5Bps: quantileAt(1 / 20),
    }
  }
}
