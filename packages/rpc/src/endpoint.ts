/** One JSON-RPC endpoint over HTTP: requests made in the same tick travel as one batch, each with its own answer. */
import type { Hex } from '@sluice/chains'
import { RpcError } from './errors.ts'
import { Lanes } from './lanes.ts'
import { postJson } from './post.ts'
import { Budget, defaultBackground, type Priority } from './priority.ts'

export type EndpointOptions = {
  readonly url: string
  /** Most requests in one HTTP body; 1 turns batching off. */
  readonly batchSize?: number
  /** Most bytes in one HTTP body; anvil refuses more than about 2 MB. */
  readonly batchBytes?: number
  /** Most HTTP requests under way at a time; more of them wait. */
  readonly maxConcurrency?: number
  /** What background work may ask of this endpoint and those that share it. */
  readonly budget?: Budget
}
/** By when an answer is wanted, and how much. */
export type Send = { readonly signal: AbortSignal; readonly priority: Priority }

export type EndpointCall = readonly [method: string, params: readonly unknown[]]

type Pending = {
  readonly body: string
  readonly id: number
  readonly settle: (answer: Answer | RpcError) => void
}
/** Calls that wait for a place. */
type Waiting = {
  /** In an HTTP body of their own. */
  readonly alone: boolean
  readonly calls: readonly Pending[]
  /** Those of its calls that nobody has given up. */
  open: number
  /** Ends the HTTP request that it travels in, once that serves nobody any more. */
  abandon?: () => void
}
/** Calls in one HTTP body. */
type Batch = { readonly calls: Pending[]; readonly from: Waiting[]; bytes: number }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: NodeError }
type NodeError = { readonly code?: number; readonly message?: string; readonly data?: unknown }

/** Rate limits and full pools, as providers and clients word them. */
const busy = /too many requests|rate.?limit|limit ?exceeded|capacity exceeded/i
const reverted = /revert|VM execution error|out of gas|invalid opcode|StackUnderflow|always failing transaction/i

export class Endpoint {
  readonly url: string
  private readonly target: URL
  private readonly batchSize: number
  private readonly batchBytes: number
  private readonly lanes: Lanes<Waiting>
  private readonly budget: Budget
  private due = false
  private pause: NodeJS.Timeout | undefined
  private nextId = 1

  constructor({ url, batchSize = 50, batchBytes = 1_000_000, maxConcurrency = 32, budget }: EndpointOptions) {
    this.url = url
    this.target = new URL(url)
    this.batchSize = batchSize
    this.batchBytes = batchBytes
    this.budget = budget ?? new Budget(defaultBackground)
    this.lanes = new Lanes(maxConcurrency, this.budget)
  }

  /** @throws RpcError */
  request<T>(method: string, params: readonly unknown[], send: Send): Promise<T> {
    return this.ask([[method, params]], send, false)[0] as Promise<T>
  }

  /** Requests in an HTTP body of their own: what may take long must not hold up a batch. */
  requestTogether(calls: readonly EndpointCall[], send: Send): readonly Promise<unknown>[] {
    return this.ask(calls, send, true)
  }

  /** Nothing more is sent. */
  close(): void {
    clearTimeout(this.pause)
  }

  private ask(calls: readonly EndpointCall[], { signal, priority }: Send, alone: boolean): Promise<unknown>[] {
    if (signal.aborted) return calls.map(([method]) => Promise.reject(abortError(signal, method)))
    const pending: Pending[] = []
    const waiting: Waiting = { alone, calls: pending, open: calls.length }
    const giveUp = () => {
      if (--waiting.open > 0) return
      this.lanes.drop(priority, waiting)
      waiting.abandon?.()
    }
    const answers = calls.map(
      ([method, params]) =>
        new Promise<unknown>((resolve, reject) => {
          const onAbort = () => {
            reject(abortError(signal, method))
            giveUp()
          }
          signal.addEventListener('abort', onAbort, { once: true })
          const id = this.nextId++
          const settle = (answer: Answer | RpcError) => {
            signal.removeEventListener('abort', onAbort)
            if (answer instanceof RpcError) reject(answer)
            else if (answer.error) reject(nodeError(method, answer.error))
            else resolve(answer.result)
          }
          pending.push({ id, settle, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) })
        }),
    )
    if (!this.lanes.push(priority, waiting)) {
      const full = new RpcError('UNREACHABLE', 'too many requests wait for the node')
      for (const { settle } of pending) settle(full)
    } else if (alone) this.start()
    else if (!this.due) {
      this.due = true
      setImmediate(() => {
        this.due = false
        this.start()
      })
    }
    return answers
  }

  /** Sends what may be sent now. */
  private start(): void {
    for (let next = this.lanes.next(); next; next = this.lanes.next()) {
      const { priority, items } = next
      const batch = this.collect(items)
      for (const waiting of batch.from) this.lanes.drop(priority, waiting)
      this.lanes.enter(priority)
      if (priority === 'background') this.budget.spend(batch.calls.length, batch.bytes)
      const controller = new AbortController()
      const abandon = () => {
        if (batch.from.every(({ open }) => open === 0)) controller.abort()
      }
      for (const waiting of batch.from) waiting.abandon = abandon
      void this.post(batch.calls, priority, controller.signal).finally(() => {
        this.lanes.leave(priority)
        this.start()
      })
    }
    const { pauseMs } = this.lanes
    if (pauseMs > 0)
      this.pause ??= setTimeout(() => {
        this.pause = undefined
        this.start()
      }, pauseMs)
  }

  /** What stands first in a queue, and what may travel with it. */
  private collect(items: Iterable<Waiting>): Batch {
    const batch: Batch = { calls: [], from: [], bytes: 0 }
    for (const waiting of items) {
      const bytes = waiting.calls.reduce((sum, { body }) => sum + body.length, 0)
      const full = batch.calls.length >= this.batchSize || batch.bytes + bytes > this.batchBytes
      if (batch.from.length > 0 && (waiting.alone || full)) {
        if (full) break
        continue
      }
      batch.calls.push(...waiting.calls)
      batch.from.push(waiting)
      batch.bytes += bytes
      if (waiting.alone) break
    }
    return batch
  }

  private async post(batch: readonly Pending[], priority: Priority, signal: AbortSignal): Promise<void> {
    try {
      const body = batch.length === 1 ? batch[0]!.body : `[${batch.map(({ body }) => body).join(',')}]`
      const { status, text } = await postJson(this.target, body, signal)
      if (priority === 'background') this.budget.spend(0, text.length)
      const answers = parseAnswers(text, status)
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      for (const { id, settle } of batch) {
        settle(byId.get(id) ?? new RpcError('UNREACHABLE', 'the node left a request of a batch unanswered'))
      }
    } catch (error) {
      const failure =
        error instanceof RpcError
          ? error
          : new RpcError('UNREACHABLE', `the node cannot be reached: ${causeOf(error)}`, '0x', { cause: error })
      for (const { settle } of batch) settle(failure)
    }
  }
}

function parseAnswers(text: string, status: number): readonly Answer[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new RpcError('UNREACHABLE', `the node answered HTTP ${status} with something that is not JSON`)
  }
  const answers = (Array.isArray(json) ? json : [json]) as Answer[]
  const whole = answers[0]
  // A refusal of the whole body carries no id.
  if (answers.length === 1 && whole?.error && whole.id == null) {
    throw new RpcError('UNREACHABLE', `the node refused the request: ${whole.error.message ?? `HTTP ${status}`}`)
  }
  return answers
}

function nodeError(method: string, { code, message = 'no message', data }: NodeError): RpcError {
  const revertData = hexOf(data)
  if (code === 3 || revertData !== undefined || reverted.test(message)) {
    return new RpcError('REVERTED', message, revertData ?? '0x')
  }
  if (code === -32005 || busy.test(message)) return new RpcError('UNREACHABLE', `the node is busy: ${message}`)
  return new RpcError('REJECTED', `${method}: ${message}`)
}

/** Revert data stands in `data`, in `data.data`, or in text after "Reverted ", depending on the client. */
function hexOf(data: unknown): Hex | undefined {
  if (typeof data === 'string') return data.match(/^(?:Reverted )?(0x[0-9a-fA-F]*)$/)?.[1] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return hexOf(data.data)
  return undefined
}

function abortError(signal: AbortSignal, method: string): RpcError {
  const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  return timedOut
    ? new RpcError('TIMEOUT', `${method}: no answer in time`)
    : new RpcError('ABORTED', `${method}: the caller gave up`)
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? (cause as NodeJS.ErrnoException).code || cause.message : String(cause)
}
