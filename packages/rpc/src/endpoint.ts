/** One JSON-RPC endpoint over HTTP: requests made in the same tick travel as one batch, each with its own answer. */
import type { Hex } from '@sluice/chains'
import { RpcError } from './errors.ts'
import { postJson } from './post.ts'

export type EndpointOptions = {
  readonly url: string
  /** Most requests in one HTTP body; 1 turns batching off. */
  readonly batchSize?: number
  /** Most bytes in one HTTP body; anvil refuses more than about 2 MB. */
  readonly batchBytes?: number
  /** Most HTTP requests under way at a time; more of them wait. */
  readonly maxConcurrency?: number
}

export type EndpointCall = readonly [method: string, params: readonly unknown[]]

type Pending = {
  readonly body: string
  readonly id: number
  readonly settle: (answer: Answer | RpcError) => void
}
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
  private readonly maxConcurrency: number
  private queue: Pending[] = []
  private underWay = 0
  private readonly waiting: (() => void)[] = []
  private nextId = 1

  constructor({ url, batchSize = 50, batchBytes = 1_000_000, maxConcurrency = 32 }: EndpointOptions) {
    this.url = url
    this.target = new URL(url)
    this.batchSize = batchSize
    this.batchBytes = batchBytes
    this.maxConcurrency = maxConcurrency
  }

  /** @throws RpcError */
  request<T>(method: string, params: readonly unknown[], signal: AbortSignal): Promise<T> {
    return this.ask<T>([method, params], signal, (pending) => {
      if (this.queue.length === 0) setImmediate(() => this.flush())
      this.queue.push(pending)
    })
  }

  /** Requests in an HTTP body of their own, sent at once: what may take long must not hold up a batch. */
  requestTogether(calls: readonly EndpointCall[], signal: AbortSignal): readonly Promise<unknown>[] {
    const batch: Pending[] = []
    const answers = calls.map((call) => this.ask(call, signal, (pending) => batch.push(pending)))
    if (batch.length > 0) void this.post(batch, signal)
    return answers
  }

  private ask<T>([method, params]: EndpointCall, signal: AbortSignal, send: (pending: Pending) => void): Promise<T> {
    if (signal.aborted) return Promise.reject(abortError(signal, method))
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => reject(abortError(signal, method))
      signal.addEventListener('abort', onAbort, { once: true })
      const id = this.nextId++
      const settle = (answer: Answer | RpcError) => {
        signal.removeEventListener('abort', onAbort)
        if (answer instanceof RpcError) reject(answer)
        else if (answer.error) reject(nodeError(method, answer.error))
        else resolve(answer.result as T)
      }
      send({ id, settle, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) })
    })
  }

  private flush(): void {
    const queue = this.queue
    this.queue = []
    let batch: Pending[] = []
    let bytes = 0
    for (const pending of queue) {
      if (batch.length === this.batchSize || (bytes > 0 && bytes + pending.body.length > this.batchBytes)) {
        void this.post(batch)
        batch = []
        bytes = 0
      }
      batch.push(pending)
      bytes += pending.body.length
    }
    if (batch.length > 0) void this.post(batch)
  }

  private async post(batch: readonly Pending[], signal?: AbortSignal): Promise<void> {
    await this.enter()
    try {
      const body = batch.length === 1 ? batch[0]!.body : `[${batch.map(({ body }) => body).join(',')}]`
      const { status, text } = await postJson(this.target, body, signal)
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
    } finally {
      this.leave()
    }
  }

  private enter(): Promise<void> | undefined {
    if (this.underWay < this.maxConcurrency) {
      this.underWay++
      return undefined
    }
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** The place goes to who has waited longest. */
  private leave(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.underWay--
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
