/**
 * One request's way through the endpoints of a chain: tried until it is answered or its time is up, elsewhere at once and at the
 * same endpoint after a moment, with a second request beside one that takes longer than it usually does.
 */

import type { Send } from './calls.ts'
import { chooseSeat } from './choice.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { abortError } from './failure.ts'
import { type HedgeBudget, lateMs, lostMs, whenQuiet } from './hedges.ts'
import type { Priority } from './priority.ts'
import type { Seat } from './seat.ts'

/** What is asked of an endpoint, once it is known which one and by when. */
export type Task<T> = (seat: Seat, send: Send) => Promise<T>

export type Work = {
  /** Requests of a kind take about as long as each other: the method, mostly. */
  readonly kind: string
  readonly priority: Priority
  /** For one attempt, from when it is sent. */
  readonly attemptMs: number
  /** For all of them together. */
  readonly totalMs: number
  readonly signals: readonly (AbortSignal | undefined)[]
}

/** What all requests of a chain share. */
export type Course = {
  readonly seats: readonly Seat[]
  readonly hedges: HedgeBudget
  /** Milliseconds after which a node that lags behind may have caught up. */
  readonly momentMs: () => number
  readonly onFailure: (seat: Seat, error: RpcError) => void
  readonly onExtra: (kind: 'retry' | 'hedge', seat: Seat) => void
}

const MAX_ATTEMPTS: Readonly<Record<Priority, number>> = { quote: 10, lookup: 10, background: 4 }
/** Beside the first. */
const MAX_HEDGES = 4
const MAX_WATCH_MS = 500
const PRESSED_SHARE = 0.3
/** The first pause; each is twice the last. A node that lags is given time more evenly. */
const BACKOFF_MS = 25
const MAX_BACKOFF_MS = 1_000
/** When all endpoints are down, no request waits longer than that for one to come back. */
const OUTAGE_MS = 1_000
/** An endpoint that answers for another chain so often in one request is not asked again. */
const MAX_WRONG = 3

/** What the endpoint says of the call: asking it again changes nothing, but another one may do it. */
const refusals: ReadonlySet<RpcErrorCode> = new Set(['REJECTED', 'NO_OVERRIDES', 'GAS_CAP'])
const finals: ReadonlySet<RpcErrorCode> = new Set(['REVERTED', 'BLOCK_GONE', 'ABORTED'])

type Runner = {
  readonly seat: Seat
  readonly send: Send
  readonly controller: AbortController
  readonly startedAt: number
  timer: NodeJS.Timeout | undefined
}

/** @throws RpcError of the last attempt, or what an endpoint said of the call itself */
export function race<T>(course: Course, task: Task<T>, work: Work): Promise<T> {
  return new Promise((resolve, reject) => new Race(course, task, work, resolve, reject).begin())
}

class Race<T> {
  private readonly course: Course
  private readonly task: Task<T>
  private readonly work: Work
  private readonly resolve: (result: T) => void
  private readonly reject: (error: unknown) => void
  private readonly running = new Set<Runner>()
  /** Of this round, and for good. */
  private readonly tried = new Set<Seat>()
  private readonly refused = new Set<Seat>()
  private readonly startedAt = performance.now()
  private attempts = 0
  private hedged = 0
  private round = 0
  private wrong = 0
  private done = false
  private lastError: RpcError | undefined
  private refusal: RpcError | undefined
  private total: NodeJS.Timeout | undefined
  private timer: NodeJS.Timeout | undefined
  private endWatch: (() => void) | undefined

  constructor(
    course: Course,
    task: Task<T>,
    work: Work,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.course = course
    this.task = task
    this.work = work
    this.resolve = resolve
    this.reject = reject
  }

  begin(): void {
    const { signals, totalMs } = this.work
    const aborted = signals.find((signal) => signal?.aborted)
    if (aborted) return void this.reject(abortError(aborted, this.work.kind))
    for (const signal of signals) signal?.addEventListener('abort', this.onAbort, { once: true })
    this.total = setTimeout(this.onTotal, totalMs)
    this.course.hedges.earn()
    this.next()
  }

  private readonly onAbort = () => {
    const signal = this.work.signals.find((signal) => signal?.aborted)!
    this.end(() => this.reject(abortError(signal, this.work.kind)))
  }

  private readonly onTotal = () => {
    const late = new RpcError('TIMEOUT', `${this.work.kind}: no answer in time`)
    for (const { seat } of this.running) this.fail(seat, late)
    this.end(() => this.reject(this.refusal ?? late))
  }

  /** Starts an attempt at the best endpoint not tried yet, or begins a new round after a pause. */
  private next(): void {
    if (this.done) return
    const { seats } = this.course
    const open = seats.filter((seat) => !this.refused.has(seat))
    const seat = chooseSeat(
      open.filter((seat) => !this.tried.has(seat)),
      this.work.kind,
      this.work.priority,
    )
    const spent = this.attempts >= MAX_ATTEMPTS[this.work.priority]
    if (seat && !spent) {
      if (this.attempts > 0) this.course.onExtra('retry', seat)
      return void this.attempt(seat)
    }
    if (this.running.size > 0) return
    if (spent || open.length === 0 || this.refusal || this.isOutage(open)) return void this.lose()
    this.tried.clear()
    const base =
      this.lastError?.code === 'LAGGING'
        ? this.course.momentMs() * (1 + this.round)
        : Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.round)
    this.round++
    this.timer = setTimeout(() => this.next(), base * (0.5 + Math.random()))
  }

  private isOutage(seats: readonly Seat[]): boolean {
    return performance.now() - this.startedAt > OUTAGE_MS && seats.every(({ standing }) => standing.down)
  }

  private attempt(seat: Seat, fresh = false): void {
    this.attempts++
    this.tried.add(seat)
    const controller = new AbortController()
    const send: Send = { signal: controller.signal, priority: this.work.priority, ...(fresh && { fresh }) }
    const runner: Runner = { seat, send, controller, startedAt: performance.now(), timer: undefined }
    this.running.add(runner)
    this.limit(runner, this.work.attemptMs)
    this.go(runner).then(
      (result) => this.won(runner, result),
      (error) => this.lost(runner, error),
    )
    if (!this.endWatch && this.work.priority !== 'background') this.watch(this.late())
  }

  private async go({ seat, send }: Runner): Promise<T> {
    await seat.checkChain(send)
    return this.task(seat, send)
  }

  /** The time of an attempt runs from when it is sent. */
  private limit(runner: Runner, ms: number): void {
    runner.timer = setTimeout(() => {
      const since = runner.send.sentAt
      const left = since === undefined ? this.work.attemptMs : this.work.attemptMs - (performance.now() - since)
      if (left > 1) return void this.limit(runner, left)
      this.lost(runner, new RpcError('TIMEOUT', `${this.work.kind}: no answer in time`))
    }, ms)
  }

  private late(): number {
    const { seats } = this.course
    const standing = seats.filter((seat) => !seat.ejected && !this.refused.has(seat))
    return lateMs((standing.length > 0 ? standing : seats).map((seat) => seat.standing.latency(this.work.kind)))
  }

  /** @param ms - after which the last attempt is late */
  private watch(ms: number): void {
    this.endWatch = whenQuiet(ms, () => {
      if (this.done || this.hedged >= MAX_HEDGES) return
      const waitMs = this.running.size > 0 ? this.hedge() : 0
      this.watch(waitMs > 0 ? waitMs : Math.min(MAX_WATCH_MS, ms * 2))
    })
  }

  /**
   * A second request elsewhere, or on a fresh connection where there is no other endpoint.
   *
   * @returns milliseconds until it is worth one; 0 when that is now, or not known
   */
  private hedge(): number {
    const { seats, hedges, onExtra } = this.course
    const busy = new Set([...this.running].map(({ seat }) => seat))
    const free = seats.filter((seat) => !busy.has(seat) && !this.refused.has(seat) && !seat.ejected)
    const other = chooseSeat(free, this.work.kind, this.work.priority)
    const waits = [...this.running].every(({ send }) => send.sentAt === undefined)
    const seat = other ?? (waits ? undefined : [...busy][0])
    // What waits in a queue for its turn is not helped by a second request in the same queue.
    if (!seat || seat.endpoint.waitMs(this.work.priority) > 0) return 0
    const newest = Math.max(...[...this.running].map(({ send, startedAt }) => send.sentAt ?? startedAt))
    const lostInMs = lostMs([...busy][0]!.standing.latency(this.work.kind)) - (performance.now() - newest)
    if (!other && lostInMs > 1) return lostInMs
    // One that is lost, or much of whose time is gone, is worth a second one whatever the budget says.
    const pressed = performance.now() - this.startedAt > PRESSED_SHARE * this.work.totalMs
    if (!pressed && !(other && lostInMs <= 1) && !hedges.take()) return other ? lostInMs : 0
    this.hedged++
    onExtra('hedge', seat)
    this.attempt(seat, !other)
    return 0
  }

  private won(winner: Runner, result: T): void {
    if (this.done || !this.running.delete(winner)) return
    clearTimeout(winner.timer)
    const now = performance.now()
    const { kind } = this.work
    for (const { seat, startedAt, send } of this.running) {
      if (startedAt > winner.startedAt) continue
      // It would have taken at least that long.
      seat.standing.took(kind, now - (send.sentAt ?? startedAt))
      if (seat !== winner.seat) seat.standing.failed()
    }
    const needed = [...this.running].some(({ startedAt }) => startedAt < winner.startedAt)
    if (needed && this.hedged > 0) this.course.hedges.give(this.hedged)
    winner.seat.standing.worked()
    winner.seat.standing.took(kind, now - (winner.send.sentAt ?? winner.startedAt))
    this.end(() => this.resolve(result))
  }

  private lost(runner: Runner, cause: unknown): void {
    if (this.done || !this.running.delete(runner)) return
    clearTimeout(runner.timer)
    if (!runner.controller.signal.aborted) runner.controller.abort()
    if (!(cause instanceof RpcError)) return void this.end(() => this.reject(cause))
    const { seat } = runner
    if (finals.has(cause.code)) {
      if (cause.code !== 'ABORTED') seat.standing.worked()
      return void this.end(() => this.reject(cause))
    }
    this.fail(seat, cause)
    if (refusals.has(cause.code)) {
      this.refused.add(seat)
      this.refusal ??= cause
    }
    if (cause.code === 'WRONG_CHAIN' && ++this.wrong >= MAX_WRONG) this.refused.add(seat)
    this.next()
  }

  private fail(seat: Seat, error: RpcError): void {
    this.lastError = error
    this.course.onFailure(seat, error)
    seat.failed(error)
  }

  private lose(): void {
    const error = this.refusal ?? this.lastError
    this.end(() => this.reject(error ?? new RpcError('UNREACHABLE', 'no RPC endpoint is known for the chain')))
  }

  private end(tell: () => void): void {
    if (this.done) return
    this.done = true
    clearTimeout(this.total)
    clearTimeout(this.timer)
    this.endWatch?.()
    for (const signal of this.work.signals) signal?.removeEventListener('abort', this.onAbort)
    // The others are cancelled before anyone is told.
    for (const { controller, timer } of this.running) {
      clearTimeout(timer)
      controller.abort()
    }
    this.running.clear()
    tell()
  }
}
