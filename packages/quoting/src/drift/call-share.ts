/** Calls saved up that may be spent at once: a few quotes with their simulations. */
const MOST = 50

/** A share of the calls that a node is asked for: each earns a part of one more. */
export class CallShare {
  private readonly share: number
  private credit = 0

  /** @param share - from 0, for none, to 1 */
  constructor(share: number) {
    this.share = share
  }

  get isOff(): boolean {
    return this.share === 0
  }

  /** Calls were sent, for whatever reason. */
  earn(calls: number): void {
    this.credit = Math.min(MOST, this.credit + calls * this.share)
  }

  /** Spends as many where they were earned. */
  take(calls: number): boolean {
    if (this.credit < calls) return false
    this.credit -= calls
    return true
  }

  /** Calls that turned out to be needed: what comes next waits until they are earned. */
  owe(calls: number): void {
    this.credit -= calls
  }
}
