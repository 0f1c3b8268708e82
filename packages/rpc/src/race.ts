/**
 * Executes one request at the endpoints of a chain. Retries at other endpoints at once and at the same endpoint after a
 * pause, until an answer or the timeout. If an attempt is slow, starts a second one in parallel (hedge). A round is the
 * series of attempts in which each usable endpoint is tried once.
 */

import { Abort, onAbort } from './abort.ts'
import type { SendContext } from './calls.ts'
import { chooseForLostRequest, chooseUpstream } from './choose-upstream.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { abortError } from './failure.ts'
import { lostAfterMs, slowAfterMs, whenResponsive } from './hedges.ts'
import { isBackground, type Priority } from './priority.ts'
import type { EndpointOperation, RaceContext, RaceOptions, RequestAttempt } from './race-context.ts'
import type { Upstream } from './upstream.ts'

/** Number of attempts, by priority, after which no retry starts. Hedges count as attempts. */
const MAX_ATTEMPTS: Readonly<Record<Priority, number>> = { quote: 20, lookup: 20, background: 4, scan: 4 }
/** Maximum hedges of a request. */
const MAX_HEDGES = 15
/**
 * Number of a request's first hedges that have the same delay while requests get lost. All other hedges have twice the
 * delay of the previous one.
 */
const QUICK_HEDGES = 3
/** Maximum delay between two hedges. */
const MAX_HEDGE_DELAY_MS = 500
/** Share of the request's timeout after which the request is hedged even without hedge budget. */
const URGENT_TIMEOUT_SHARE = 0.3
/** First pause between rounds; each later pause is twice as long. After `LAGGING`, see `roundPauseMs` instead. */
const BACKOFF_MS = 25
/** Maximum pause between rounds. */
const MAX_BACKOFF_MS = 1_000
/** Time after which a request fails if all endpoints are down. */
const OUTAGE_MS = 1_000
/** Maximum timeout of the chain id check, which precedes the first request at an endpoint. */
const MAX_CHAIN_CHECK_MS = 4_000
/** Number of answers for another chain after which a request no longer uses the endpoint. */
const MAX_WRONG_CHAIN_ANSWERS = 3

/** Refusals that the same endpoint would repeat, but that another endpoint may not. */
const refusalCodes: ReadonlySet<RpcErrorCode> = new Set([
  'REJECTED',
  'UNSUPPORTED',
  'NO_OVERRIDES',
  'GAS_CAP',
  'SIZE',
  'RANGE',
  'PRUNED',
])
/** Errors that end the request at once. */
const finalErrorCodes: ReadonlySet<RpcErrorCode> = new Set(['REVERTED', 'BLOCK_GONE', 'ABORTED'])

/**
 * Executes one request.
 *
 * @throws RpcError the first refusal of the call by an endpoint; if there was none, the error of the last attempt
 */
export function race<T>(context: RaceContext, operation: EndpointOperation<T>, options: RaceOptions): Promise<T> {
  return new Promise((resolve, reject) => new Race(context, operation, options, resolve, reject).start())
}

class Race<T> {
  private readonly context: RaceContext
  private readonly operation: EndpointOperation<T>
  private readonly options: RaceOptions
  private readonly resolve: (result: T) => void
  private readonly reject: (error: unknown) => void
  private readonly running = new Set<RequestAttempt>()
  /** Endpoints tried in this round. */
  private readonly triedUpstreams = new Set<Upstream>()
  /** Endpoints that this request no longer uses, because they refused it. */
  private readonly refusingUpstreams = new Set<Upstream>()
  /** Endpoints that failed once without a stated cause. */
  private readonly internalErrorUpstreams = new Set<Upstream>()
  private readonly startedAt = performance.now()
  private attempts = 0
  private hedgeCount = 0
  /** Hedges that took a token. */
  private paidHedgeCount = 0
  private round = 0
  private wrongChainCount = 0
  private isDone = false
  private lastError: RpcError | undefined
  private firstRefusal: RpcError | undefined
  private requestTimer: NodeJS.Timeout | undefined
  private roundTimer: NodeJS.Timeout | undefined
  private cancelHedge: (() => void) | undefined
  private detachers: readonly (() => void)[] = []

  constructor(
    context: RaceContext,
    operation: EndpointOperation<T>,
    options: RaceOptions,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.context = context
    this.operation = operation
    this.options = options
    this.resolve = resolve
    this.reject = reject
  }

  start(): void {
    const { signals, requestTimeoutMs } = this.options
    const abortedSignal = signals.find((signal) => signal?.aborted)
    if (abortedSignal) return void this.reject(abortError(abortedSignal, this.options.kind))
    this.detachers = signals.map((signal) => onAbort(signal, this.onAbort))
    this.requestTimer = setTimeout(this.onRequestTimeout, requestTimeoutMs)
    this.context.hedgeBudget.earnTokens()
    this.continueRace()
  }

  private readonly onAbort = () => {
    const signal = this.options.signals.find((signal) => signal?.aborted)!
    this.end(() => this.reject(abortError(signal, this.options.kind)))
  }

  private readonly onRequestTimeout = () => {
    const timeout = new RpcError('TIMEOUT', `${this.options.kind}: no answer in time`)
    const { lastError } = this
    for (const { upstream, sendContext } of this.running)
      if (sendContext.sentAt !== undefined) this.recordFailure(upstream, timeout)
    // If the last failure was a rate limit, report it instead of the timeout.
    const reason = lastError?.code === 'RATE_LIMITED' ? lastError : timeout
    this.end(() => this.reject(this.firstRefusal ?? reason))
  }

  /** Starts an attempt at the best endpoint not tried in this round, or schedules the next round. */
  private continueRace(): void {
    if (this.isDone) return
    const { upstreams } = this.context
    const { kind, priority } = this.options
    const usableUpstreams = upstreams.filter((upstream) => !this.refusingUpstreams.has(upstream))
    const upstream = chooseUpstream(
      usableUpstreams.filter((upstream) => !this.triedUpstreams.has(upstream)),
      kind,
      priority,
    )
    const isOutOfAttempts = this.attempts >= MAX_ATTEMPTS[this.options.priority]
    if (this.cannotStartInTime(usableUpstreams)) return void this.rejectWithBestError()
    const pauseMs = this.roundPauseMs()
    // Returns true if the rate limit delays this endpoint longer than a retry at the fastest endpoint in the next
    // round.
    const isSlower = (upstream: Upstream) =>
      upstream.endpoint.delayMs(priority) >
      pauseMs + Math.min(...usableUpstreams.map(({ endpoint }) => endpoint.delayMs(priority)))
    if (upstream && !isOutOfAttempts && !(this.attempts > 0 && isSlower(upstream))) {
      if (this.attempts > 0) this.context.onExtraRequest('retry', upstream)
      return void this.startAttempt(upstream)
    }
    if (this.running.size > 0) return
    if (isOutOfAttempts || usableUpstreams.length === 0 || this.firstRefusal || this.isOutage(usableUpstreams))
      return void this.rejectWithBestError()
    this.triedUpstreams.clear()
    this.round++
    this.roundTimer = setTimeout(() => this.continueRace(), pauseMs * (0.5 + Math.random()))
  }

  /** Returns the milliseconds between this round and the next. After `LAGGING`, they grow linearly from `catchUpMs`. */
  private roundPauseMs(): number {
    return this.lastError?.code === 'LAGGING'
      ? this.context.catchUpMs() * (1 + this.round)
      : Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.round)
  }

  private isOutage(upstreams: readonly Upstream[]): boolean {
    return performance.now() - this.startedAt > OUTAGE_MS && upstreams.every(({ health }) => health.isDown)
  }

  /** Returns true, and sets `lastError`, if no endpoint will accept the request before the timeout. */
  private cannotStartInTime(upstreams: readonly Upstream[]): boolean {
    if (this.running.size > 0 || upstreams.length === 0) return false
    const delayMs = Math.min(...upstreams.map(({ endpoint }) => endpoint.delayMs(this.options.priority)))
    if (delayMs <= Math.max(0, this.options.requestTimeoutMs - (performance.now() - this.startedAt))) return false
    // An endpoint that demanded a pause is probed during the pause, so `delayMs` may end before the pause does.
    const pausedMs = Math.min(...upstreams.map(({ endpoint }) => endpoint.waitMs('lookup')))
    this.lastError = new RpcError('RATE_LIMITED', 'every node asks to be left alone for longer', '0x', {
      retryAfterMs: Math.max(delayMs, pausedMs),
    })
    return true
  }

  private startAttempt(upstream: Upstream, newConnection = false): void {
    this.attempts++
    this.triedUpstreams.add(upstream)
    const controller = new Abort()
    const sendContext: SendContext = {
      signal: controller,
      priority: this.options.priority,
      ...(newConnection && { newConnection }),
    }
    const attempt: RequestAttempt = {
      upstream,
      sendContext,
      controller,
      startedAt: performance.now(),
      timer: undefined,
    }
    this.running.add(attempt)
    this.startTimer(
      attempt,
      upstream.isChainVerified
        ? this.options.attemptTimeoutMs
        : Math.min(this.options.attemptTimeoutMs, MAX_CHAIN_CHECK_MS),
    )
    this.runAttempt(attempt).then(
      (result) => this.handleSuccess(attempt, result),
      (error) => this.handleFailure(attempt, error),
    )
    if (!this.cancelHedge && !isBackground(this.options.priority)) this.scheduleHedge(this.hedgeDelayMs())
  }

  private async runAttempt(attempt: RequestAttempt): Promise<T> {
    const { upstream, sendContext } = attempt
    if (!upstream.isChainVerified) {
      await upstream.checkChain(sendContext)
      clearTimeout(attempt.timer)
      if (this.running.has(attempt)) this.startTimer(attempt, this.options.attemptTimeoutMs)
    } else await upstream.checkChain(sendContext)
    return this.operation(upstream, sendContext)
  }

  /**
   * Starts the timeout of an attempt. Time in the queue does not count.
   *
   * @param maxMs - timeout, counted from when the attempt is sent
   * @param ms - delay of the next check
   */
  private startTimer(attempt: RequestAttempt, maxMs: number, ms = maxMs): void {
    attempt.timer = setTimeout(() => {
      const sentAt = attempt.sendContext.sentAt
      const remainingMs = sentAt === undefined ? maxMs : maxMs - (performance.now() - sentAt)
      if (remainingMs > 1) return void this.startTimer(attempt, maxMs, remainingMs)
      this.handleFailure(attempt, new RpcError('TIMEOUT', `${this.options.kind}: no answer in time`))
    }, ms)
  }

  /** Returns the milliseconds after which an attempt is slow, from the latencies of the usable endpoints. */
  private hedgeDelayMs(): number {
    const { upstreams } = this.context
    const usableUpstreams = upstreams.filter((upstream) => !upstream.isEjected && !this.refusingUpstreams.has(upstream))
    const latencies = (usableUpstreams.length > 0 ? usableUpstreams : upstreams).map((upstream) =>
      upstream.health.latency(this.options.kind),
    )
    return slowAfterMs(latencies, this.context.hedgeBudget.losesRequests)
  }

  /**
   * Schedules the next check for a hedge.
   *
   * @param ms - delay
   */
  private scheduleHedge(ms: number): void {
    this.cancelHedge = whenResponsive(ms, () => {
      if (this.isDone || this.hedgeCount >= MAX_HEDGES) return
      const waitMs = this.running.size > 0 ? this.hedge() : 0
      const isQuick = this.context.hedgeBudget.losesRequests && this.hedgeCount < QUICK_HEDGES
      this.scheduleHedge(waitMs > 0 ? waitMs : isQuick ? this.hedgeDelayMs() : Math.min(MAX_HEDGE_DELAY_MS, ms * 2))
    })
  }

  /**
   * Starts a second attempt at another endpoint, or on a new connection if there is no other endpoint.
   *
   * @returns milliseconds until a hedge is worthwhile; 0 if one was started or none is possible
   */
  private hedge(): number {
    const { upstreams, hedgeBudget, onExtraRequest } = this.context
    if (hedgeBudget.losesRequests) return this.hedgeLostRequest()
    const busyUpstreams = new Set([...this.running].map(({ upstream }) => upstream))
    const freeUpstreams = upstreams.filter(
      (upstream) => !busyUpstreams.has(upstream) && !this.refusingUpstreams.has(upstream) && !upstream.isEjected,
    )
    const alternative = chooseUpstream(freeUpstreams, this.options.kind, this.options.priority)
    const areAllQueued = [...this.running].every(({ sendContext }) => sendContext.sentAt === undefined)
    const upstream = alternative ?? (areAllQueued ? undefined : [...busyUpstreams][0])
    // A queued attempt gains nothing from a second one in the same queue.
    if (!upstream || upstream.endpoint.waitMs(this.options.priority) > 0) return 0
    const newestStart = Math.max(
      ...[...this.running].map(({ sendContext, startedAt }) => sendContext.sentAt ?? startedAt),
    )
    const newestAgeMs = performance.now() - newestStart
    const lostInMs = lostAfterMs([...busyUpstreams][0]!.health.latency(this.options.kind)) - newestAgeMs
    // Two endpoints are rarely slow at the same time, so if neither has answered, the newest attempt is probably lost.
    const hedgeAgainInMs = busyUpstreams.size > 1 ? Math.min(lostInMs, 2 * this.hedgeDelayMs() - newestAgeMs) : lostInMs
    if (!alternative && hedgeAgainInMs > 1) return hedgeAgainInMs
    // A lost attempt, or a request with much of its timeout gone, is hedged without budget.
    const isUrgent = performance.now() - this.startedAt > URGENT_TIMEOUT_SHARE * this.options.requestTimeoutMs
    const needsNoToken = isUrgent || (alternative !== undefined && lostInMs <= 1)
    if (!needsNoToken && !hedgeBudget.takeToken()) return alternative ? lostInMs : 0
    if (!needsNoToken) this.paidHedgeCount++
    this.hedgeCount++
    onExtraRequest('hedge', upstream)
    this.startAttempt(upstream, !alternative)
    return 0
  }

  /**
   * Starts a hedge while requests get lost. It goes to the endpoint most likely to answer, even if that endpoint
   * already has an attempt.
   *
   * @returns 0: the next check has the usual delay
   */
  private hedgeLostRequest(): number {
    const running = [...this.running]
    if (running.every(({ sendContext }) => sendContext.sentAt === undefined)) return 0
    const attemptsAt = (upstream: Upstream) => running.filter((attempt) => attempt.upstream === upstream).length
    const usableUpstreams = this.context.upstreams.filter((upstream) => !this.refusingUpstreams.has(upstream))
    const upstream = chooseForLostRequest(usableUpstreams, attemptsAt, this.options.priority)
    if (!upstream) return 0
    this.hedgeCount++
    this.context.onExtraRequest('hedge', upstream)
    this.startAttempt(upstream, attemptsAt(upstream) > 0)
    return 0
  }

  private handleSuccess(winner: RequestAttempt, result: T): void {
    if (this.isDone || !this.running.delete(winner)) return
    clearTimeout(winner.timer)
    const now = performance.now()
    const { kind } = this.options
    for (const { upstream, startedAt, sendContext } of this.running) {
      if (startedAt > winner.startedAt) continue
      // Lower bound: the canceled attempt had already run this long.
      upstream.health.recordLatency(kind, now - (sendContext.sentAt ?? startedAt), false)
      if (upstream === winner.upstream) upstream.health.recordLoss()
      else upstream.health.recordFailure('late')
    }
    const hasHedgeWon = [...this.running].some(({ startedAt }) => startedAt < winner.startedAt)
    if (this.hedgeCount > 0) this.context.hedgeBudget.recordOutcome(hasHedgeWon)
    if (hasHedgeWon) this.context.hedgeBudget.refund(this.paidHedgeCount)
    winner.upstream.recordSuccess()
    winner.upstream.health.recordLatency(kind, now - (winner.sendContext.sentAt ?? winner.startedAt))
    this.end(() => this.resolve(result))
  }

  private handleFailure(attempt: RequestAttempt, cause: unknown): void {
    if (this.isDone || !this.running.delete(attempt)) return
    clearTimeout(attempt.timer)
    attempt.controller.abort()
    if (!(cause instanceof RpcError)) return void this.end(() => this.reject(cause))
    const { upstream } = attempt
    if (finalErrorCodes.has(cause.code)) {
      if (cause.code !== 'ABORTED') upstream.recordSuccess()
      return void this.end(() => this.reject(cause))
    }
    this.recordFailure(upstream, cause)
    const isRetried = cause.isInternal && !this.internalErrorUpstreams.has(upstream)
    if (isRetried) this.internalErrorUpstreams.add(upstream)
    else if (refusalCodes.has(cause.code)) {
      this.refusingUpstreams.add(upstream)
      this.firstRefusal ??= cause
    }
    if (cause.code === 'CREDIT') this.refusingUpstreams.add(upstream)
    if (cause.code === 'WRONG_CHAIN' && ++this.wrongChainCount >= MAX_WRONG_CHAIN_ANSWERS)
      this.refusingUpstreams.add(upstream)
    this.continueRace()
  }

  private recordFailure(upstream: Upstream, error: RpcError): void {
    this.lastError = error
    this.context.onFailure(upstream, error)
    upstream.recordFailure(error)
  }

  private rejectWithBestError(): void {
    const error = this.firstRefusal ?? this.lastError
    this.end(() => this.reject(error ?? new RpcError('UNREACHABLE', 'no RPC endpoint is known for the chain')))
  }

  private end(settle: () => void): void {
    if (this.isDone) return
    this.isDone = true
    clearTimeout(this.requestTimer)
    clearTimeout(this.roundTimer)
    this.cancelHedge?.()
    for (const detach of this.detachers) detach()
    // Cancel the other attempts before the caller's continuation runs.
    for (const { controller, timer } of this.running) {
      clearTimeout(timer)
      controller.abort()
    }
    this.running.clear()
    settle()
  }
}
