/**
 * A chain none of whose endpoints answers, or has credit left: requests fail at once instead of waiting for their time limit, and one probe at a time asks
 * all endpoints whether they are back, at pauses that grow to half a minute.
 */
import { RpcError } from './errors.ts'
import type { Upstream } from './upstream.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 30_000

export class Outage {
  private readonly upstreams: readonly Upstream[]
  private readonly now: () => number
  private probing: Promise<boolean> | undefined
  private probeAt = 0
  private pauseMs = FIRST_PAUSE_MS

  constructor(upstreams: readonly Upstream[], now: () => number = Date.now) {
    this.upstreams = upstreams
    this.now = now
  }

  get isOpen(): boolean {
    return this.upstreams.length > 0 && this.upstreams.every(({ isOut }) => isOut)
  }

  /**
   * Waits for the probe, where one is due or in flight.
   *
   * @throws RpcError of an endpoint while none is back
   */
  async end(): Promise<void> {
    if (!this.probing && this.now() < this.probeAt) throw this.error
    this.probing ??= this.probe()
    if (!(await this.probing)) throw this.error
  }

  private get error(): RpcError {
    const last = this.upstreams.find(({ lastFailure }) => lastFailure)?.lastFailure
    return last ?? new RpcError('UNREACHABLE', 'no RPC endpoint of the chain answers')
  }

  private async probe(): Promise<boolean> {
    const answers = await Promise.all(this.upstreams.map((upstream) => upstream.answers()))
    const isBack = answers.includes(true)
    this.pauseMs = isBack ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, this.pauseMs * 2)
    this.probeAt = this.now() + this.pauseMs
    this.probing = undefined
    return isBack
  }
}
