/**
 * Admits the requests of a chain. A request that can start in time waits in a queue that is fair between callers. A
 * request that would wait longer is refused at once, because a quick 503 is more useful to a client than a late answer.
 */
import { onAbort } from '@sluice/rpc'
import { overloadError } from '../errors.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { FairQueue, type Ticket } from './fair-queue.ts'
import { LearnedCosts, SharedClock } from './work-cost.ts'

/** Caller and kind of a request. Both are known before the request runs. */
export type AdmissionRequest = {
  readonly caller: string
  readonly kind: string
  /** Called if the request has to wait in the queue. */
  readonly onWait?: () => void
}

/** A request in the queue. */
type QueuedTask = { readonly start: (ticket: Ticket<QueuedTask>) => void; readonly refuse: () => void }

/** Limits of a chain's admission. */
export type AdmissionOptions = {
  /**
   * Limit of the chain's running requests. All chains share the object, because it measures the load of the process.
   */
  readonly concurrency: ConcurrencyLimit
  /** Maximum requests in the queue. */
  readonly maxWaiting: number
  /** Maximum milliseconds from the arrival of a request to its refusal. */
  readonly maxWaitMs: number
}

/**
 * Maximum estimated wait of an admitted request, as a share of `maxWaitMs`. Below 1, because estimates may be too low.
 */
const MAX_ESTIMATE_SHARE = 0.6
/** Share of `maxWaitMs` after which a queued request is refused, so its 503 still arrives within `maxWaitMs`. */
const EXPIRY_SHARE = 0.9
/** Additional slots for callers without a running request, as a share of the regular slots. */
const SPARE_SLOT_SHARE = 0.5
/**
 * Maximum wait of a queued request in milliseconds while the first task of the chain runs. The first task loads the
 * pools of the chain, which can take longer than `maxWaitMs`.
 */
const MAX_FIRST_WAIT_MS = 8_000
/** Maximum `Retry-After` in seconds. */
const MAX_RETRY_AFTER_S = 10

/** Admission control of one chain. */
export class ChainAdmission {
  private readonly options: AdmissionOptions
  private readonly queue = new FairQueue<QueuedTask>()
  private readonly chargeClock = new SharedClock()
  private readonly costs = new LearnedCosts()
  private runningTasks = 0
  /** Estimated cost of the running tasks together, in milliseconds. */
  private runningCost = 0
  /** True until the first task ends. */
  private isWarmingUp = true
  /** One callback per queued request, called when the first task ends. Each restarts the timeout of its request. */
  private readonly waitRestarts = new Set<() => void>()

  constructor(options: AdmissionOptions) {
    this.options = options
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.runningTasks, waiting: this.queue.size }
  }

  /** Number of callers that the queue remembers. */
  get callers(): number {
    return this.queue.callers
  }

  /** Returns the `Retry-After` in seconds of a request that would be refused now; undefined if it would be admitted. */
  retryAfterIfRefused({ caller }: AdmissionRequest): number | undefined {
    const { maxWaiting, maxWaitMs } = this.options
    if (this.mayStart(caller)) return undefined
    // On average, half of the work of the running requests is done.
    const waitMs = this.runningCost / 2 + this.queue.costBefore(caller)
    const isFull = this.queue.size >= maxWaiting && (maxWaiting === 0 || !this.queue.findDroppable(caller))
    if (!isFull && waitMs <= maxWaitMs * MAX_ESTIMATE_SHARE) return undefined
    return Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(waitMs / 1000)))
  }

  /**
   * Runs a task once it is admitted.
   *
   * @throws ApiError `OVERLOADED` if it is refused, or still waits after `EXPIRY_SHARE` of `maxWaitMs`
   * @throws the signal's reason if the signal aborts before the task starts
   */
  async run<T>(signal: AbortSignal, request: AdmissionRequest, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const retryAfter = this.retryAfterIfRefused(request)
    if (retryAfter !== undefined) throw overloadError(retryAfter)
    const ticket = await this.waitForTurn(signal, request)
    const startedAt = performance.now()
    const { current } = this.options.concurrency
    const wasFullAtStart = this.runningTasks >= current
    const wasWarmingUp = this.isWarmingUp
    const chargeAtStart = this.chargeClock.read(startedAt, current)
    this.chargeClock.changeRunning(1)
    try {
      return await task()
    } finally {
      const now = performance.now()
      const concurrency = this.options.concurrency.current
      const chargedMs = this.chargeClock.read(now, concurrency) - chargeAtStart
      this.chargeClock.changeRunning(-1)
      const wasFull = wasFullAtStart && this.runningTasks >= concurrency
      if (!wasWarmingUp) this.costs.learn(request.kind, { chargedMs, durationMs: now - startedAt, wasFull })
      if (this.isWarmingUp) this.endWarmUp()
      this.runningTasks--
      this.runningCost = this.runningTasks === 0 ? 0 : this.runningCost - ticket.cost
      this.queue.finish(ticket, chargedMs)
      this.startNext()
    }
  }

  private endWarmUp(): void {
    this.isWarmingUp = false
    for (const restart of this.waitRestarts) restart()
    this.waitRestarts.clear()
  }

  private mayStart(caller: string): boolean {
    const { current } = this.options.concurrency
    if (this.queue.size === 0 && this.runningTasks < current) return true
    return this.queue.runningOf(caller) === 0 && this.runningTasks < current * (1 + SPARE_SLOT_SHARE)
  }

  private startNext(): void {
    const { current } = this.options.concurrency
    for (;;) {
      const ticket =
        this.runningTasks < current
          ? this.queue.take()
          : this.runningTasks < current * (1 + SPARE_SLOT_SHARE)
            ? this.queue.take((running) => running === 0)
            : undefined
      if (!ticket) return
      this.runningTasks++
      this.runningCost += ticket.cost
      ticket.item.start(ticket)
    }
  }

  /** Enqueues a task. Resolves when it may start. */
  private waitForTurn(signal: AbortSignal, { caller, kind, onWait }: AdmissionRequest): Promise<Ticket<QueuedTask>> {
    const { maxWaiting, maxWaitMs } = this.options
    const { promise, resolve, reject } = Promise.withResolvers<Ticket<QueuedTask>>()
    let timer: NodeJS.Timeout | undefined
    let detach = () => {}
    const stopWaiting = () => {
      clearTimeout(timer)
      this.waitRestarts.delete(restartWait)
      detach()
    }
    const leave = (reason: unknown) => {
      stopWaiting()
      this.queue.remove(ticket)
      reject(reason)
    }
    const refuse = () => leave(overloadError())
    const refuseAfter = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(refuse, ms)
    }
    const restartWait = () => refuseAfter(maxWaitMs * EXPIRY_SHARE)
    const start = (ticket: Ticket<QueuedTask>) => {
      stopWaiting()
      resolve(ticket)
    }
    if (this.queue.size >= maxWaiting && !this.mayStart(caller)) this.queue.findDroppable(caller)?.item.refuse()
    const ticket = this.queue.add(caller, this.costs.costOf(kind), { start, refuse })
    this.startNext()
    if (!this.queue.isWaiting(ticket)) return promise
    onWait?.()
    if (this.isWarmingUp) {
      this.waitRestarts.add(restartWait)
      refuseAfter(Math.max(MAX_FIRST_WAIT_MS, maxWaitMs * EXPIRY_SHARE))
    } else restartWait()
    detach = onAbort(signal, () => leave(signal.reason))
    return promise
  }
}
