/** Limits the node calls of the drift sampler to a share of all calls. */

/** Maximum saved calls: enough for a few quotes with their simulations. */
const MAX_CREDIT = 50

/** Grants the drift sampler a share of all calls to the node. Unused calls are saved as credit. */
export class CallShare {
  private readonly share: number
  private credit = 0

  /** @param share - from 0 (none) to 1 */
  constructor(share: number) {
    this.share = share
  }

  get isOff(): boolean {
    return this.share === 0
  }

  /** Adds the share of calls that were sent for any reason. */
  creditCalls(calls: number): void {
    this.credit = Math.min(MAX_CREDIT, this.credit + calls * this.share)
  }

  /** Spends calls. Returns false, and spends none, if too few are saved. */
  takeCalls(calls: number): boolean {
    if (this.credit < calls) return false
    this.credit -= calls
    return true
  }

  /** Deducts calls that a simulation needed beyond its budget. The credit may become negative. */
  recordExtra(calls: number): void {
    this.credit -= calls
  }
}
