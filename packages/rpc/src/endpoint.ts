/**
 * One JSON-RPC endpoint over HTTP. Requests made in the same tick travel as one batch, each with its own answer, as far as the
 * endpoint takes batches; they wait for a place by priority, and for as long as the endpoint wants to be left alone.
 */

import { Abort } from './abort.ts'
import { AdaptiveRate } from './adaptive-rate.ts'
import { type Parsed, parseAnswers, resultOf } from './answers.ts'
import { BatchSize } from './batch-size.ts'
import { type Call, type EndpointCall, type Group, makeCall, type Send } from './calls.ts'
import { RpcError } from './errors.ts'
import { abortError, batchVerdict, connectionError, httpFailure } from './failure.ts'
import { Lanes } from './lanes.ts'
import { nodeError } from './node-error.ts'
import { postJson } from './post.ts'
import { Budgets, isBehind, type Priority } from './priority.ts'

export type EndpointOptions = {
  readonly url: string
  /** Most requests in one HTTP body; 1 turns batching off. */
  readonly batchSize?: number
  /** Most bytes in one HTTP body; anvil refuses more than about 2 MB. */
  readonly batchBytes?: number
  /** Most HTTP requests under way at a time; more of them wait. */
  readonly maxConcurrency?: number
  /** Allowances of this endpoint and those that share them. */
  readonly budgets?: Budgets
  readonly onEvent?: (event: EndpointEvent) => void
}

export type EndpointEvent =
  /** An HTTP request with these methods in its body. */
  | { readonly kind: 'sent'; readonly methods: readonly string[]; readonly priority: Priority }
  /** Calls a second that it is asked for at most from now on. */
  | { readonly kind: 'slowed'; readonly rate: number }
  /** Calls that one HTTP body may hold from now on; 1 where batches are refused. */
  | { readonly kind: 'batch'; readonly size: number }

export class Endpoint {
  readonly url: string
  private readonly target: URL
  private readonly batchBytes: number
  private readonly batch: BatchSize
  private readonly adaptiveRate = new AdaptiveRate()
  private readonly lanes: Lanes<Group>
  private readonly budgets: Budgets
  private readonly onEvent: (event: EndpointEvent) => void
  private readonly underWay = new Set<Abort>()
  private due = false
  private pause: NodeJS.Timeout | undefined
  private wakeAt = Number.POSITIVE_INFINITY
  private closed = false
  private nextId = 1

  constructor({ url, batchSize = 50, batchBytes = 1_000_000, maxConcurrency = 32, budgets, onEvent }: EndpointOptions) {
    this.url = url
    this.target = new URL(url)
    this.batch = new BatchSize(batchSize)
    this.batchBytes = batchBytes
    this.budgets = budgets ?? new Budgets()
    this.lanes = new Lanes(maxConcurrency, this.budgets)
    this.onEvent = onEvent ?? (() => {})
  }

  /** Milliseconds for which the endpoint is left alone. */
  waitMs(priority: Priority): number {
    return this.adaptiveRate.waitMs(priority === 'quote', isBehind(priority))
  }

  get queued(): number {
    return this.lanes.queued
  }

  /** Milliseconds until a request made now is sent, as far as the endpoint's pace decides: those that wait go before it. */
  delayMs(priority: Priority): number {
    const { rate } = this.adaptiveRate
    return this.waitMs(priority) + (rate === undefined ? 0 : (1_000 * this.lanes.ahead(priority)) / rate)
  }

  /** Calls a second that it is asked for at most, and calls that one HTTP body may hold. */
  get limits(): { readonly rate: number | null; readonly batch: number } {
    return { rate: this.adaptiveRate.rate ?? null, batch: this.batch.size }
  }

  /** @throws RpcError */
  request<T>(method: string, params: readonly unknown[], send: Send): Promise<T> {
    return this.ask([[method, params]], send, send.fresh ?? false)[0] as Promise<T>
  }

  /** Requests in an HTTP body of their own: what may take long must not hold up a batch. */
  requestTogether(calls: readonly EndpointCall[], send: Send): readonly Promise<unknown>[] {
    return this.ask(calls, send, true)
  }

  /** Ends what is under way; nothing more is sent. */
  close(): void {
    this.closed = true
    clearTimeout(this.pause)
    for (const controller of this.underWay) controller.abort()
  }

  private ask(calls: readonly EndpointCall[], send: Send, alone: boolean): Promise<unknown>[] {
    if (send.signal.aborted || this.closed)
      return calls.map(([method]) => Promise.reject(abortError(send.signal, method)))
    const abandon = (group: Group) => {
      this.lanes.drop(send.priority, group)
      group.abandon?.()
    }
    const made = calls.map((call) => makeCall(call, this.nextId++, send, abandon))
    const fits = calls.length <= this.batch.size
    const groups: Group[] = fits
      ? [{ alone, calls: made.map(({ call }) => call) }]
      : made.map(({ call }) => ({ alone, calls: [call] }))
    for (const group of groups) this.enqueue(group, send.priority)
    if (alone) this.start()
    else if (!this.due) {
      this.due = true
      setImmediate(() => {
        this.due = false
        this.start()
      })
    }
    return made.map(({ answer }) => answer)
  }

  private enqueue(group: Group, priority: Priority): void {
    for (const call of group.calls) call.group = group
    if (this.lanes.push(priority, group)) return
    const full = new RpcError('RATE_LIMITED', 'too many requests wait for the node')
    for (const { finish } of group.calls) finish(full)
  }

  /** Sends what may be sent now, and comes back when more may be. */
  private start(): void {
    if (this.closed) return
    const mayGo = (priority: Priority) => this.waitMs(priority) === 0
    for (let next = this.lanes.next(mayGo); next; next = this.lanes.next(mayGo)) {
      const { priority, items } = next
      const groups = this.collect(items)
      for (const group of groups) this.lanes.drop(priority, group)
      this.lanes.enter(priority)
      void this.post(groups, priority).finally(() => {
        this.lanes.leave(priority)
        this.start()
      })
    }
    for (const priority of this.lanes.waiting) {
      const pauseMs = Math.max(this.waitMs(priority), this.lanes.pauseMs(priority))
      if (pauseMs > 0) this.wakeIn(pauseMs)
    }
  }

  private wakeIn(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.wakeAt) return
    this.wakeAt = at
    clearTimeout(this.pause)
    this.pause = setTimeout(() => {
      this.wakeAt = Number.POSITIVE_INFINITY
      this.start()
    }, ms)
  }

  /** The group that stands first in a queue, and those that may travel with it. */
  private collect(items: Iterable<Group>): readonly Group[] {
    const groups: Group[] = []
    const most = this.batch.size
    let count = 0
    let bytes = 0
    for (const group of items) {
      if (group.alone && groups.length > 0) continue
      const size = group.calls.reduce((sum, { body }) => sum + body.length, 0)
      if (groups.length > 0 && (count + group.calls.length > most || bytes + size > this.batchBytes)) break
      groups.push(group)
      count += group.calls.length
      bytes += size
      if (group.alone) break
    }
    return groups
  }

  private async post(groups: readonly Group[], priority: Priority): Promise<void> {
    const calls = groups.flatMap(({ calls }) => calls).filter(({ finished }) => !finished)
    if (calls.length === 0) return
    const controller = new Abort()
    const abandon = () => {
      if (calls.every(({ finished }) => finished)) controller.abort()
    }
    for (const group of groups) group.abandon = abandon
    const sentAt = performance.now()
    for (const { send } of calls) send.sentAt ??= sentAt
    const fresh = calls.some(({ send }) => send.fresh)
    const body = calls.length === 1 ? calls[0]!.body : `[${calls.map(({ body }) => body).join(',')}]`
    this.adaptiveRate.took(calls.length)
    this.budgets.spend(priority, calls.length, body.length)
    this.onEvent({ kind: 'sent', methods: calls.map(({ method }) => method), priority })
    this.underWay.add(controller)
    try {
      const { status, text, retryAfter } = await postJson(this.target, body, { signal: controller, fresh })
      this.budgets.spend(priority, 0, text.length)
      await this.read(calls, status, text, retryAfter)
    } catch (cause) {
      const error = connectionError(cause)
      if (error.code === 'RATE_LIMITED') this.slow(error, calls.length)
      for (const { finish } of calls) finish(error)
    } finally {
      this.adaptiveRate.ended()
      this.underWay.delete(controller)
    }
  }

  /** @throws RpcError of all calls */
  private async read(
    calls: readonly Call[],
    status: number,
    text: string,
    retryAfter: string | undefined,
  ): Promise<void> {
    const failure = httpFailure(status, retryAfter)
    const { byId, whole } = (await this.parsed(calls, text, status, failure)) ?? {}
    if (!byId) return
    if (calls.length > 1) {
      const meant = whole && nodeError('batch', whole)
      const isLimited = meant?.code === 'RATE_LIMITED' || meant?.code === 'CREDIT'
      if (isLimited && batchVerdict(status, whole) !== 'size') throw meant
      if (whole) return void this.splitUp(calls, status, whole)
      this.batch.worked()
    }
    let answered = 0
    for (const { id, method, params, finish } of calls) {
      // A refusal of the whole body carries no id.
      const answer = byId.get(String(id)) ?? (whole && { error: whole })
      try {
        if (!answer) throw failure ?? new RpcError('BAD_ANSWER', 'the node left a request unanswered')
        finish(resultOf(method, params, answer, failure))
        answered++
      } catch (error) {
        const failed = error as RpcError
        if (failed.code === 'RATE_LIMITED') this.slow(failed, 1)
        else answered++
        finish(failed)
      }
    }
    if (answered > 0) this.adaptiveRate.answered(answered)
  }

  /** @returns undefined when the calls are sent again, in smaller bodies */
  private async parsed(
    calls: readonly Call[],
    text: string,
    status: number,
    failure: RpcError | undefined,
  ): Promise<Parsed | undefined> {
    try {
      return await parseAnswers(text, status)
    } catch (error) {
      // Of a batch, other statuses may be said of the batch as such.
      if (failure && (calls.length === 1 || failure.code === 'RATE_LIMITED')) throw failure
      if (calls.length === 1 || status >= 500) throw error
      this.splitUp(calls, status, undefined)
      return undefined
    }
  }

  /** A batch that was refused as such: its calls are sent again in smaller bodies. */
  private splitUp(calls: readonly Call[], status: number, whole: Parameters<typeof batchVerdict>[1]): void {
    const verdict = batchVerdict(status, whole)
    if (verdict === 'size') this.batch.tooLarge(calls.length)
    else this.batch.refused(verdict === 'refused')
    const { size } = this.batch
    this.onEvent({ kind: 'batch', size })
    const part = verdict === 'size' ? Math.max(1, Math.min(size, calls.length >> 1)) : 1
    for (let start = 0; start < calls.length; start += part) {
      const some = calls.slice(start, start + part).filter(({ finished }) => !finished)
      if (some.length > 0) this.enqueue({ alone: true, calls: some }, some[0]!.send.priority)
    }
  }

  private slow({ retryAfterMs }: RpcError, calls: number): void {
    const before = this.adaptiveRate.rate
    this.adaptiveRate.refused(calls, retryAfterMs)
    const { rate } = this.adaptiveRate
    if (rate !== undefined && rate !== before) this.onEvent({ kind: 'slowed', rate })
  }
}
