/**
 * Lets the requests of a chain in. What can be begun in time waits for its turn, fairly between callers; what would wait longer
 * is refused at once, since a quick 503 serves its caller better than an answer nobody waits for any more.
 */
import { onAbort } from '@sluice/rpc'
import { overloaded } from '../errors.ts'
import { FairQueue, type Ticket } from './fair-queue.ts'
import type { Places } from './places.ts'
import { LearnedCosts, SharedClock } from './work-cost.ts'

/** Who asks, and what kind of work it is, as far as can be told before it is done. */
export type Asked = {
  readonly caller: string
  readonly kind: string
  /** Called where it has to wait for its turn. */
  readonly onWait?: () => void
}

type Waiting = { readonly start: (ticket: Ticket<Waiting>) => void; readonly refuse: () => void }

export type AdmissionOptions = {
  /** Shared by all chains: they share a process. */
  readonly places: Places
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

/** Part of the time to wait that may be filled by what is known to come before; the rest is for what the estimate misses. */
const FILLED = 0.6
/** Part of it after which a request that still waits is refused, so that it has its answer in time all the same. */
const EXPIRES = 0.9
/** Callers with nothing under way who may start beside a full house, as a part of its places. */
const SPARE = 0.5
/** Seconds. */
const MAX_RETRY_AFTER = 10

export class Admission {
  private readonly options: AdmissionOptions
  private readonly queue = new FairQueue<Waiting>()
  private readonly clock = new SharedClock()
  private readonly costs = new LearnedCosts()
  private runningWorks = 0
  private runningCosts = 0

  constructor(options: AdmissionOptions) {
    this.options = options
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.runningWorks, waiting: this.queue.size }
  }

  /** Callers kept in mind. */
  get callers(): number {
    return this.queue.callers
  }

  /** Seconds after which a request that comes now and is refused should come again; undefined where there is room for it. */
  refusesFor({ caller }: Asked): number | undefined {
    const { maxWaiting, maxWaitMs } = this.options
    if (this.mayStart(caller)) return undefined
    // What runs is half done, on average.
    const waitMs = this.runningCosts / 2 + this.queue.costBefore(caller)
    const isFull = this.queue.size >= maxWaiting && (maxWaiting === 0 || !this.queue.excess(caller))
    if (!isFull && waitMs <= maxWaitMs * FILLED) return undefined
    return Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(waitMs / 1000)))
  }

  /**
   * @throws ApiError `OVERLOADED` when there is no room, or room was promised and did not come in time
   * @throws the signal's reason when it aborts before the work's turn
   */
  async run<T>(signal: AbortSignal, asked: Asked, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const retryAfter = this.refusesFor(asked)
    if (retryAfter !== undefined) throw overloaded(retryAfter)
    const ticket = await this.turn(signal, asked)
    const startedAt = performance.now()
    const { current } = this.options.places
    const startedFull = this.runningWorks >= current
    const before = this.clock.read(startedAt, current)
    this.clock.change(1)
    try {
      return await work()
    } finally {
      const now = performance.now()
      const places = this.options.places.current
      const chargedMs = this.clock.read(now, places) - before
      this.clock.change(-1)
      this.costs.learn(asked.kind, {
        chargedMs,
        tookMs: now - startedAt,
        wasFull: startedFull && this.runningWorks >= places,
      })
      this.runningWorks--
      this.runningCosts = this.runningWorks === 0 ? 0 : this.runningCosts - ticket.cost
      this.queue.done(ticket, chargedMs)
      this.startNext()
    }
  }

  private mayStart(caller: string): boolean {
    const { current } = this.options.places
    if (this.queue.size === 0 && this.runningWorks < current) return true
    return this.queue.running(caller) === 0 && this.runningWorks < current * (1 + SPARE)
  }

  private startNext(): void {
    const { current } = this.options.places
    for (;;) {
      const ticket =
        this.runningWorks < current
          ? this.queue.take()
          : this.runningWorks < current * (1 + SPARE)
            ? this.queue.take((running) => running === 0)
            : undefined
      if (!ticket) return
      this.runningWorks++
      this.runningCosts += ticket.cost
      ticket.item.start(ticket)
    }
  }

  /** Resolves when the work may start. */
  private turn(signal: AbortSignal, { caller, kind, onWait }: Asked): Promise<Ticket<Waiting>> {
    const { maxWaiting, maxWaitMs } = this.options
    const { promise, resolve, reject } = Promise.withResolvers<Ticket<Waiting>>()
    let timer: NodeJS.Timeout | undefined
    let detach = () => {}
    const end = () => {
      clearTimeout(timer)
      detach()
    }
    const leave = (reason: unknown) => {
      end()
      this.queue.remove(ticket)
      reject(reason)
    }
    const refuse = () => leave(overloaded())
    const start = (ticket: Ticket<Waiting>) => {
      end()
      resolve(ticket)
    }
    if (this.queue.size >= maxWaiting && !this.mayStart(caller)) this.queue.excess(caller)?.item.refuse()
    const ticket = this.queue.add(caller, this.costs.of(kind), { start, refuse })
    this.startNext()
    if (!this.queue.waits(ticket)) return promise
    onWait?.()
    timer = setTimeout(refuse, maxWaitMs * EXPIRES)
    detach = onAbort(signal, () => leave(signal.reason))
    return promise
  }
}
