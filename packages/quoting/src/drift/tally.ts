/** Outcome of the last samples of something: figures of a window, so that what was long ago counts no more. */
import { FLOAT_BPS, FLOAT_PPM } from '@sluice/chains'

export type Outcome = {
  /** Parts per million by which the same transaction paid more than quoted; null where it paid nothing. */
  readonly ppm: number | null
  /** It would have reverted. */
  readonly reverted: boolean
}

export type Figures = {
  /** In the window. */
  readonly samples: number
  /** 0 to 1. */
  readonly wouldRevert: number
  /** Basis points, below 0 against the taker; null where nothing was paid. */
  readonly meanBps: number | null
  readonly medianBps: number | null
  /** One in twenty is as bad as this, or worse. */
  readonly worst5Bps: number | null
}

const PPM_PER_BPS = FLOAT_PPM / FLOAT_BPS

export class Tally {
  private readonly window: Outcome[] = []
  private readonly size: number
  private at = 0

  constructor(size: number) {
    this.size = size
  }

  add(outcome: Outcome): void {
    this.window[this.at] = outcome
    this.at = (this.at + 1) % this.size
  }

  get samples(): number {
    return this.window.length
  }

  /** The least that was paid against what was quoted, parts per million; where nothing was, all of it was lost. */
  get worstPpm(): number {
    return this.window.reduce((least, { ppm }) => Math.min(least, ppm ?? -FLOAT_PPM), 0)
  }

  get figures(): Figures {
    const samples = this.window.length
    const paid = this.window.flatMap(({ ppm }) => (ppm === null ? [] : [ppm])).sort((a, b) => a - b)
    const at = (part: number) => (paid.length === 0 ? null : paid[Math.floor((paid.length - 1) * part)]! / PPM_PER_BPS)
    return {
      samples,
      wouldRevert: samples === 0 ? 0 : this.window.filter(({ reverted }) => reverted).length / samples,
      meanBps: paid.length === 0 ? null : paid.reduce((sum, ppm) => sum + ppm, 0) / paid.length / PPM_PER_BPS,
      medianBps: at(1 / 2),
      worst5Bps: at(1 / 20),
    }
  }
}
