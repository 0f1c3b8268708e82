/**
 * One request's way through the endpoints of a chain: tried until it is answered or its time is up, elsewhere at once and at the
 * same endpoint after a moment, with a second request beside one that takes longer than it usually does.
 */

import { Abort, onAbort } from './abort.ts'
import type { Send } from './calls.ts'
import { chooseAgain, chooseUpstream } from './choice.ts'
import type { Course, Runner, Task, Work } from './course.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { abortError } from './failure.ts'
import { lateMs, lostMs, whenQuiet } from './hedges.ts'
import { isBehind, type Priority } from './priority.ts'
import type { Upstream } from './upstream.ts'

const MAX_ATTEMPTS: Readonly<Record<Priority, number>> = { quote: 20, lookup: 20, background: 4, scan: 4 }
/** Beside the first. */
const MAX_HEDGES = 15
/** So many follow one another as quickly as the first where requests get lost; each later one waits twice as long. */
const QUICK_HEDGES = 3
const MAX_WATCH_MS = 500
const PRESSED_SHARE = 0.3
/** The first pause; each is twice the last. A node that lags is given time more evenly. */
const BACKOFF_MS = 25
const MAX_BACKOFF_MS = 1_000
/** When all endpoints are down, no request waits longer than that for one to come back. */
const OUTAGE_MS = 1_000
/** Maximum timeout of an endpoint that has not reported its chain id yet, for requests with longer timeouts too: others may wait for it. */
const MAX_CONTACT_MS = 4_000
/** An endpoint that answers for another chain so often in one request is not asked again. */
const MAX_WRONG = 3

/** Errors of the call itself: asking the endpoint again changes nothing, but another one may do it. */
const refusals: ReadonlySet<RpcErrorCode> = new Set([
  'REJECTED',
  'UNSUPPORTED',
  'NO_OVERRIDES',
  'GAS_CAP',
  'SIZE',
  'RANGE',
  'PRUNED',
])
const finals: ReadonlySet<RpcErrorCode> = new Set(['REVERTED', 'BLOCK_GONE', 'ABORTED'])

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
  /** Endpoints tried in this round, and refused for good. */
  private readonly tried = new Set<Upstream>()
  private readonly refused = new Set<Upstream>()
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
  private detach: readonly (() => void)[] = []

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
    this.detach = signals.map((signal) => onAbort(signal, this.onAbort))
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
    const { lastError } = this
    for (const { upstream, send } of this.running) if (send.sentAt !== undefined) this.fail(upstream, late)
    // Where every endpoint was left alone on its own wish, that is the reason.
    const reason = lastError?.code === 'RATE_LIMITED' ? lastError : late
    this.end(() => this.reject(this.refusal ?? reason))
  }

  /** Starts an attempt at the best endpoint not tried yet, or begins a new round after a pause. */
  private next(): void {
    if (this.done) return
    const { upstreams } = this.course
    const { kind, priority } = this.work
    const open = upstreams.filter((upstream) => !this.refused.has(upstream))
    const upstream = chooseUpstream(
      open.filter((upstream) => !this.tried.has(upstream)),
      kind,
      priority,
    )
    const spent = this.attempts >= MAX_ATTEMPTS[this.work.priority]
    if (this.isPaused(open)) return void this.lose()
    const pauseMs = this.pauseMs()
    // One that is asked as often as it may be is no better than one that has just failed, after a pause.
    const isSlower = (upstream: Upstream) =>
      upstream.endpoint.delayMs(priority) >
      pauseMs + Math.min(...open.map(({ endpoint }) => endpoint.delayMs(priority)))
    if (upstream && !spent && !(this.attempts > 0 && isSlower(upstream))) {
      if (this.attempts > 0) this.course.onExtra('retry', upstream)
      return void this.attempt(upstream)
    }
    if (this.running.size > 0) return
    if (spent || open.length === 0 || this.refusal || this.isOutage(open)) return void this.lose()
    this.tried.clear()
    this.round++
    this.timer = setTimeout(() => this.next(), pauseMs * (0.5 + Math.random()))
  }

  /** Milliseconds between this round and the next. */
  private pauseMs(): number {
    return this.lastError?.code === 'LAGGING'
      ? this.course.momentMs() * (1 + this.round)
      : Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.round)
  }

  private isOutage(upstreams: readonly Upstream[]): boolean {
    return performance.now() - this.startedAt > OUTAGE_MS && upstreams.every(({ standing }) => standing.down)
  }

  /** No endpoint will take the request in time. */
  private isPaused(upstreams: readonly Upstream[]): boolean {
    if (this.running.size > 0 || upstreams.length === 0) return false
    const delayMs = Math.min(...upstreams.map(({ endpoint }) => endpoint.delayMs(this.work.priority)))
    if (delayMs <= Math.max(0, this.work.totalMs - (performance.now() - this.startedAt))) return false
    // Probes before the end of the pause are ours.
    const pausedMs = Math.min(...upstreams.map(({ endpoint }) => endpoint.waitMs('lookup')))
    this.lastError = new RpcError('RATE_LIMITED', 'every node asks to be left alone for longer', '0x', {
      retryAfterMs: Math.max(delayMs, pausedMs),
    })
    return true
  }

  private attempt(upstream: Upstream, fresh = false): void {
    this.attempts++
    this.tried.add(upstream)
    const controller = new Abort()
    const send: Send = { signal: controller, priority: this.work.priority, ...(fresh && { fresh }) }
    const runner: Runner = { upstream, send, controller, startedAt: performance.now(), timer: undefined }
    this.running.add(runner)
    this.limit(runner, upstream.isChecked ? this.work.attemptMs : Math.min(this.work.attemptMs, MAX_CONTACT_MS))
    this.go(runner).then(
      (result) => this.won(runner, result),
      (error) => this.lost(runner, error),
    )
    if (!this.endWatch && !isBehind(this.work.priority)) this.watch(this.late())
  }

  private async go(runner: Runner): Promise<T> {
    const { upstream, send } = runner
    if (!upstream.isChecked) {
      await upstream.checkChain(send)
      clearTimeout(runner.timer)
      if (this.running.has(runner)) this.limit(runner, this.work.attemptMs)
    } else await upstream.checkChain(send)
    return this.task(upstream, send)
  }

  /** The time of an attempt runs from when it is sent. */
  private limit(runner: Runner, maxMs: number, ms = maxMs): void {
    runner.timer = setTimeout(() => {
      const since = runner.send.sentAt
      const left = since === undefined ? maxMs : maxMs - (performance.now() - since)
      if (left > 1) return void this.limit(runner, maxMs, left)
      this.lost(runner, new RpcError('TIMEOUT', `${this.work.kind}: no answer in time`))
    }, ms)
  }

  private late(): number {
    const { upstreams } = this.course
    const standing = upstreams.filter((upstream) => !upstream.ejected && !this.refused.has(upstream))
    const latencies = (standing.length > 0 ? standing : upstreams).map((upstream) =>
      upstream.standing.latency(this.work.kind),
    )
    return lateMs(latencies, this.course.hedges.isLosing)
  }

  /** @param ms - after which the last attempt is late */
  private watch(ms: number): void {
    this.endWatch = whenQuiet(ms, () => {
      if (this.done || this.hedged >= MAX_HEDGES) return
      const waitMs = this.running.size > 0 ? this.hedge() : 0
      const isQuick = this.course.hedges.isLosing && this.hedged < QUICK_HEDGES
      this.watch(waitMs > 0 ? waitMs : isQuick ? this.late() : Math.min(MAX_WATCH_MS, ms * 2))
    })
  }

  /**
   * A second request elsewhere, or on a fresh connection where there is no other endpoint.
   *
   * @returns milliseconds until it is worth one; 0 when that is now, or not known
   */
  private hedge(): number {
    const { upstreams, hedges, onExtra } = this.course
    if (hedges.isLosing) return this.hedgeLost()
    const busy = new Set([...this.running].map(({ upstream }) => upstream))
    const free = upstreams.filter((upstream) => !busy.has(upstream) && !this.refused.has(upstream) && !upstream.ejected)
    const other = chooseUpstream(free, this.work.kind, this.work.priority)
    const waits = [...this.running].every(({ send }) => send.sentAt === undefined)
    const upstream = other ?? (waits ? undefined : [...busy][0])
    // What waits in a queue for its turn is not helped by a second request in the same queue.
    if (!upstream || upstream.endpoint.waitMs(this.work.priority) > 0) return 0
    const newest = Math.max(...[...this.running].map(({ send, startedAt }) => send.sentAt ?? startedAt))
    const sinceMs = performance.now() - newest
    const lostInMs = lostMs([...busy][0]!.standing.latency(this.work.kind)) - sinceMs
    // Two endpoints that are both late are hardly both slow at once.
    const againInMs = busy.size > 1 ? Math.min(lostInMs, 2 * this.late() - sinceMs) : lostInMs
    if (!other && againInMs > 1) return againInMs
    // One that is lost, or much of whose time is gone, is worth a second one whatever the budget says.
    const pressed = performance.now() - this.startedAt > PRESSED_SHARE * this.work.totalMs
    if (!pressed && !(other && lostInMs <= 1) && !hedges.take()) return other ? lostInMs : 0
    this.hedged++
    onExtra('hedge', upstream)
    this.attempt(upstream, !other)
    return 0
  }

  /** A hedge where requests get lost: sent to the endpoint most likely to answer, whether it has been asked or not. */
  private hedgeLost(): number {
    const running = [...this.running]
    if (running.every(({ send }) => send.sentAt === undefined)) return 0
    const asked = (upstream: Upstream) => running.filter((runner) => runner.upstream === upstream).length
    const open = this.course.upstreams.filter((upstream) => !this.refused.has(upstream))
    const upstream = chooseAgain(open, asked, this.work.priority)
    if (!upstream) return 0
    this.hedged++
    this.course.onExtra('hedge', upstream)
    this.attempt(upstream, asked(upstream) > 0)
    return 0
  }

  private won(winner: Runner, result: T): void {
    if (this.done || !this.running.delete(winner)) return
    clearTimeout(winner.timer)
    const now = performance.now()
    const { kind } = this.work
    for (const { upstream, startedAt, send } of this.running) {
      if (startedAt > winner.startedAt) continue
      // It would have taken at least that long.
      upstream.standing.took(kind, now - (send.sentAt ?? startedAt), false)
      if (upstream === winner.upstream) upstream.standing.missed()
      else upstream.standing.failed('late')
    }
    const needed = [...this.running].some(({ startedAt }) => startedAt < winner.startedAt)
    if (this.hedged > 0) this.course.hedges.record(needed)
    if (needed && this.hedged > 0) this.course.hedges.give(this.hedged)
    winner.upstream.worked()
    winner.upstream.standing.took(kind, now - (winner.send.sentAt ?? winner.startedAt))
    this.end(() => this.resolve(result))
  }

  private lost(runner: Runner, cause: unknown): void {
    if (this.done || !this.running.delete(runner)) return
    clearTimeout(runner.timer)
    runner.controller.abort()
    if (!(cause instanceof RpcError)) return void this.end(() => this.reject(cause))
    const { upstream } = runner
    if (finals.has(cause.code)) {
      if (cause.code !== 'ABORTED') upstream.worked()
      return void this.end(() => this.reject(cause))
    }
    this.fail(upstream, cause)
    if (refusals.has(cause.code)) {
      this.refused.add(upstream)
      this.refusal ??= cause
    }
    if (cause.code === 'CREDIT') this.refused.add(upstream)
    if (cause.code === 'WRONG_CHAIN' && ++this.wrong >= MAX_WRONG) this.refused.add(upstream)
    this.next()
  }

  private fail(upstream: Upstream, error: RpcError): void {
    this.lastError = error
    this.course.onFailure(upstream, error)
    upstream.failed(error)
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
    for (const detach of this.detach) detach()
    // The others are cancelled before anyone is told.
    for (const { controller, timer } of this.running) {
      clearTimeout(timer)
      controller.abort()
    }
    this.running.clear()
    tell()
  }
}
