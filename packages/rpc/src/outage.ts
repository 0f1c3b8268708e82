/**
 * Circuit breaker of a chain. While every endpoint is unreachable or has used up its plan, requests fail at once.
 * Probes then check all endpoints, one probe at a time, at intervals that grow to 30 s.
 */
import { RpcError } from './errors.ts'
import { monotonicMs } from './monotonic-clock.ts'
import type { Upstream } from './upstream.ts'

/** Pause after a successful probe; each failed probe doubles the pause. The first probe is sent at once. */
const FIRST_PAUSE_MS = 250
/** Maximum pause between probes. */
const MAX_PAUSE_MS = 30_000

export class Outage {
  private readonly upstreams: readonly Upstream[]
  private readonly now: () => number
  private pendingProbe: Promise<boolean> | undefined
  private probeAt = 0
  private pauseMs = FIRST_PAUSE_MS

  constructor(upstreams: readonly Upstream[], now: () => number = monotonicMs) {
    this.upstreams = upstreams
    this.now = now
  }

  /** True if no endpoint is usable, so that requests fail at once (the circuit is open). */
  get isOpen(): boolean {
    return this.upstreams.length > 0 && this.upstreams.every(({ isUnusable }) => isUnusable)
  }

  /** Waits for the probe that is due or in flight. @throws RpcError of an endpoint if none responds */
  async waitForRecovery(): Promise<void> {
    if (!this.pendingProbe && this.now() < this.probeAt) throw this.error
    this.pendingProbe ??= this.probe()
    if (!(await this.pendingProbe)) throw this.error
  }

  private get error(): RpcError {
    const knownFailure = this.upstreams.find(({ lastFailure }) => lastFailure)?.lastFailure
    return knownFailure ?? new RpcError('UNREACHABLE', 'no RPC endpoint of the chain answers')
  }

  private async probe(): Promise<boolean> {
    const answers = await Promise.all(this.upstreams.map((upstream) => upstream.isReachable()))
    const isBack = answers.includes(true)
    this.pauseMs = isBack ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, this.pauseMs * 2)
    this.probeAt = this.now() + this.pauseMs
    this.pendingProbe = undefined
    return isBack
  }
}
