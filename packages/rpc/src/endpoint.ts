/**
 * Sends calls to one JSON-RPC endpoint over HTTP. Calls that are made in the same tick of the event loop share one HTTP
 * body (batch), if the endpoint accepts batches. Calls wait in a queue of their priority while the endpoint is busy or
 * rate limited.
 */

import { Abort } from './abort.ts'
import { AdaptiveRate } from './adaptive-rate.ts'
import { moreSpecificError, type ParsedBody, parseAnswers, resultOf } from './answers.ts'
import { BatchSize } from './batch-size.ts'
import { type Call, type CallGroup, createCall, type EndpointCall, type SendContext } from './calls.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { abortError, type BatchVerdict, batchVerdict, connectionError, httpErrorOf, isUnprocessed } from './failure.ts'
import { toRpcError } from './node-error.ts'
import { postJson } from './post.ts'
import { Budgets, isBackground, type Priority } from './priority.ts'
import { PriorityQueues } from './priority-queues.ts'

export type EndpointOptions = {
  readonly url: string
  /** Maximum calls in one HTTP body; 1 disables batching. */
  readonly batchSize?: number
  /** Maximum bytes of one HTTP body; anvil refuses more than about 2 MB. */
  readonly batchBytes?: number
  /** Maximum concurrent HTTP requests. */
  readonly maxConcurrency?: number
  /** Rate limits of background work, shared by the endpoints of a chain. */
  readonly budgets?: Budgets
  readonly onEvent?: (event: EndpointEvent) => void
}

export type EndpointEvent =
  /** An HTTP request was sent with calls of these methods. */
  | { readonly kind: 'sent'; readonly methods: readonly string[]; readonly priority: Priority }
  /** The limit of calls per second has changed to `rate`. */
  | { readonly kind: 'slowed'; readonly rate: number }
  /** The maximum of calls in one HTTP body has changed to `size`; 1 if batches are refused. */
  | { readonly kind: 'batch'; readonly size: number }

/** Failures of a whole batch that sending its calls one by one would not avoid. */
const NODE_FAILURES: ReadonlySet<RpcErrorCode> = new Set(['RATE_LIMITED', 'CREDIT', 'UNREACHABLE'])

/** HTTP transport of one endpoint: queues, batches, and paces calls. */
export class Endpoint {
  readonly url: string
  private readonly target: URL
  private readonly batchBytes: number
  private readonly batchSize: BatchSize
  private readonly adaptiveRate = new AdaptiveRate()
  private readonly queues: PriorityQueues<CallGroup>
  private readonly budgets: Budgets
  private readonly onEvent: (event: EndpointEvent) => void
  private readonly inFlight = new Set<Abort>()
  private isSendScheduled = false
  private wakeTimer: NodeJS.Timeout | undefined
  private wakeAt = Number.POSITIVE_INFINITY
  private isClosed = false
  private nextId = 1

  constructor({ url, batchSize = 50, batchBytes = 1_000_000, maxConcurrency = 32, budgets, onEvent }: EndpointOptions) {
    this.url = url
    this.target = new URL(url)
    this.batchSize = new BatchSize(batchSize)
    this.batchBytes = batchBytes
    this.budgets = budgets ?? new Budgets()
    this.queues = new PriorityQueues(maxConcurrency, this.budgets)
    this.onEvent = onEvent ?? (() => {})
  }

  /** Returns the milliseconds until the rate limit admits a request. */
  waitMs(priority: Priority): number {
    return this.adaptiveRate.waitMs(priority === 'quote', isBackground(priority))
  }

  get queuedCount(): number {
    return this.queues.queuedCount
  }

  /**
   * Returns the milliseconds until a new request would be sent, from the rate limit and the number of requests that are
   * queued before it.
   */
  delayMs(priority: Priority): number {
    const { rate } = this.adaptiveRate
    return this.waitMs(priority) + (rate === undefined ? 0 : (1_000 * this.queues.countAhead(priority)) / rate)
  }

  /** Limit of calls per second (null if unlimited), and maximum calls in one HTTP body. */
  get limits(): { readonly rate: number | null; readonly maxBatch: number } {
    return { rate: this.adaptiveRate.rate ?? null, maxBatch: this.batchSize.size }
  }

  /** Sends one call and returns its result. @throws RpcError */
  request<T>(method: string, params: readonly unknown[], sendContext: SendContext): Promise<T> {
    return this.send([[method, params]], sendContext, sendContext.newConnection ?? false)[0] as Promise<T>
  }

  /** Sends calls in a separate HTTP body, so that slow calls do not delay a shared batch. */
  requestTogether(calls: readonly EndpointCall[], sendContext: SendContext): readonly Promise<unknown>[] {
    return this.send(calls, sendContext, true)
  }

  /** Aborts requests in flight and sends nothing more. */
  close(): void {
    this.isClosed = true
    clearTimeout(this.wakeTimer)
    for (const controller of this.inFlight) controller.abort()
  }

  private send(calls: readonly EndpointCall[], sendContext: SendContext, hasOwnBody: boolean): Promise<unknown>[] {
    if (sendContext.signal.aborted || this.isClosed)
      return calls.map(([method]) => Promise.reject(abortError(sendContext.signal, method)))
    const abandon = (group: CallGroup) => {
      this.queues.remove(sendContext.priority, group)
      group.abortRequest?.()
    }
    const pendingCalls = calls.map((call) => createCall(call, this.nextId++, sendContext, abandon))
    const fitsOneBody = calls.length <= this.batchSize.size
    const groups: CallGroup[] = fitsOneBody
      ? [{ hasOwnBody, calls: pendingCalls.map(({ call }) => call) }]
      : pendingCalls.map(({ call }) => ({ hasOwnBody, calls: [call] }))
    for (const group of groups) this.enqueue(group, sendContext.priority)
    if (hasOwnBody) this.sendQueued()
    else if (!this.isSendScheduled) {
      this.isSendScheduled = true
      setImmediate(() => {
        this.isSendScheduled = false
        this.sendQueued()
      })
    }
    return pendingCalls.map(({ answer }) => answer)
  }

  private enqueue(group: CallGroup, priority: Priority): void {
    for (const call of group.calls) call.group = group
    if (this.queues.enqueue(priority, group)) return
    const queueFullError = new RpcError('RATE_LIMITED', 'too many requests wait for the node')
    for (const { finish } of group.calls) finish(queueFullError)
  }

  /** Sends the queued groups that may be sent now, and schedules the next run for the groups that must wait. */
  private sendQueued(): void {
    if (this.isClosed) return
    const maySend = (priority: Priority) => this.waitMs(priority) === 0
    for (let next = this.queues.nextTurn(maySend); next; next = this.queues.nextTurn(maySend)) {
      const { priority, items } = next
      const groups = this.collectBatch(items)
      for (const group of groups) this.queues.remove(priority, group)
      this.queues.occupySlot(priority)
      void this.post(groups, priority).finally(() => {
        this.queues.releaseSlot(priority)
        this.sendQueued()
      })
    }
    for (const priority of this.queues.waitingPriorities) {
      const pauseMs = Math.max(this.waitMs(priority), this.queues.pauseMs(priority))
      if (pauseMs > 0) this.wakeIn(pauseMs)
    }
  }

  private wakeIn(ms: number): void {
    const startAt = performance.now() + ms
    if (startAt >= this.wakeAt) return
    this.wakeAt = startAt
    clearTimeout(this.wakeTimer)
    this.wakeTimer = setTimeout(() => {
      this.wakeAt = Number.POSITIVE_INFINITY
      this.sendQueued()
    }, ms)
  }

  /** Returns the first group of a queue and the groups that fit into the same batch. */
  private collectBatch(items: Iterable<CallGroup>): readonly CallGroup[] {
    const groups: CallGroup[] = []
    const maxCalls = this.batchSize.size
    let count = 0
    let bytes = 0
    for (const group of items) {
      if (group.hasOwnBody && groups.length > 0) continue
      const size = group.calls.reduce((sum, { body }) => sum + body.length, 0)
      if (groups.length > 0 && (count + group.calls.length > maxCalls || bytes + size > this.batchBytes)) break
      groups.push(group)
      count += group.calls.length
      bytes += size
      if (group.hasOwnBody) break
    }
    return groups
  }

  private async post(groups: readonly CallGroup[], priority: Priority): Promise<void> {
    const calls = groups.flatMap(({ calls }) => calls).filter(({ isFinished }) => !isFinished)
    if (calls.length === 0) return
    const controller = new Abort()
    const abandon = () => {
      if (calls.every(({ isFinished }) => isFinished)) controller.abort()
    }
    for (const group of groups) group.abortRequest = abandon
    const sentAt = performance.now()
    for (const { sendContext } of calls) sendContext.sentAt ??= sentAt
    const needsNewConnection = calls.some(({ sendContext }) => sendContext.newConnection)
    const body = calls.length === 1 ? calls[0]!.body : `[${calls.map(({ body }) => body).join(',')}]`
    this.adaptiveRate.recordSent(calls.length)
    this.budgets.spend(priority, calls.length, body.length)
    this.onEvent({ kind: 'sent', methods: calls.map(({ method }) => method), priority })
    this.inFlight.add(controller)
    try {
      const { status, text, retryAfter } = await postJson(this.target, body, {
        signal: controller,
        newConnection: needsNewConnection,
      })
      this.budgets.spend(priority, 0, text.length)
      await this.settleCalls(calls, status, text, retryAfter)
    } catch (cause) {
      const error = connectionError(cause)
      if (error.code === 'RATE_LIMITED') this.recordRateLimit(error, calls.length)
      if (error.code === 'UNREACHABLE' && calls.some(({ isFinished }) => !isFinished)) this.recordLost(calls.length)
      for (const { finish } of calls) finish(error)
    } finally {
      this.adaptiveRate.recordEnded()
      this.inFlight.delete(controller)
    }
  }

  /** Settles the calls from a response. @throws RpcError if all calls failed together */
  private async settleCalls(
    calls: readonly Call[],
    status: number,
    text: string,
    retryAfter: string | undefined,
  ): Promise<void> {
    const httpError = httpErrorOf(status, retryAfter)
    const { answerById, batchError: rawBatchError } = (await this.parseOrSplit(calls, text, status, httpError)) ?? {}
    if (!answerById) return
    let settledCalls = calls
    if (calls.length > 1) {
      // Any other status of a batch may mean that the endpoint refuses batches.
      const rateLimit = httpError?.code === 'RATE_LIMITED' ? httpError : undefined
      const batchError = rawBatchError && moreSpecificError(toRpcError('batch', rawBatchError), rateLimit)
      const isNodeFailure = batchError && NODE_FAILURES.has(batchError.code)
      if (isNodeFailure && batchVerdict(status, rawBatchError) !== 'size') throw batchError
      if (rawBatchError) return void this.splitUp(calls, batchVerdict(status, rawBatchError))
      const unprocessed = calls.filter(({ id }) => isUnprocessed(answerById.get(String(id))?.error))
      if (unprocessed.length > 0) this.splitUp(calls, 'size', unprocessed)
      else this.batchSize.recordSuccess()
      settledCalls = calls.filter((call) => !unprocessed.includes(call))
    } else this.batchSize.recordSingleAnswer()
    let answeredCount = 0
    for (const { id, method, params, finish } of settledCalls) {
      // An error for the whole body carries no id.
      const answer = answerById.get(String(id)) ?? (rawBatchError && { error: rawBatchError })
      try {
        if (!answer) throw httpError ?? new RpcError('BAD_ANSWER', 'the node left a request unanswered')
        finish(resultOf(method, params, answer, httpError))
        answeredCount++
      } catch (error) {
        const rpcError = error as RpcError
        if (rpcError.code === 'RATE_LIMITED') this.recordRateLimit(rpcError, 1)
        else answeredCount++
        finish(rpcError)
      }
    }
    if (answeredCount > 0) this.adaptiveRate.recordAnswered(answeredCount)
  }

  /** Parses the answers of a body. @returns undefined if the calls are sent again in smaller bodies */
  private async parseOrSplit(
    calls: readonly Call[],
    text: string,
    status: number,
    httpError: RpcError | undefined,
  ): Promise<ParsedBody | undefined> {
    try {
      return await parseAnswers(
        text,
        status,
        calls.map(({ id }) => id),
      )
    } catch (error) {
      // The HTTP status explains the failure of a single call; for a batch, only a rate limit does. Any other status of
      // a batch may mean that the endpoint refuses batches.
      if (httpError && (calls.length === 1 || httpError.code === 'RATE_LIMITED')) throw httpError
      if (calls.length === 1 || status >= 500) throw error
      this.splitUp(calls, batchVerdict(status, undefined))
      return undefined
    }
  }

  /** Sends the calls of a refused batch, or those that the node left unprocessed, again in smaller bodies. */
  private splitUp(calls: readonly Call[], verdict: BatchVerdict, unprocessed: readonly Call[] = calls): void {
    if (verdict === 'size') this.batchSize.recordTooLarge(calls.length)
    else this.batchSize.recordRefusal(verdict === 'refused')
    const { size } = this.batchSize
    this.onEvent({ kind: 'batch', size })
    const chunkSize = verdict === 'size' ? Math.max(1, Math.min(size, calls.length >> 1)) : 1
    for (let start = 0; start < unprocessed.length; start += chunkSize) {
      const remaining = unprocessed.slice(start, start + chunkSize).filter(({ isFinished }) => !isFinished)
      if (remaining.length > 0) this.enqueue({ hasOwnBody: true, calls: remaining }, remaining[0]!.sendContext.priority)
    }
  }

  private recordLost(calls: number): void {
    if (calls === 1) return
    const previousSize = this.batchSize.size
    this.batchSize.recordLost(calls)
    const { size } = this.batchSize
    if (size !== previousSize) this.onEvent({ kind: 'batch', size })
  }

  private recordRateLimit({ retryAfterMs }: RpcError, calls: number): void {
    const previousRate = this.adaptiveRate.rate
    this.adaptiveRate.recordRefused(calls, retryAfterMs)
    const { rate } = this.adaptiveRate
    if (rate !== undefined && rate !== previousRate) this.onEvent({ kind: 'slowed', rate })
  }
}
