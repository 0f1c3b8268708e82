/** JSON-RPC calls that are queued or in flight, and the groups that share an HTTP request. */
import { onAbort, type Signal } from './abort.ts'
import { RpcError } from './errors.ts'
import { abortError } from './failure.ts'
import type { Priority } from './priority.ts'

/** Method and parameters of a JSON-RPC call. */
export type EndpointCall = readonly [method: string, params: readonly unknown[]]

/** Options of one attempt, and the time when it was sent. */
export type SendContext = {
  readonly signal: Signal
  readonly priority: Priority
  /** True to use a separate HTTP request on a new connection. */
  readonly newConnection?: boolean
  /** Time when the attempt left the queue (`performance.now()`); undefined while queued. Set by the endpoint. */
  sentAt?: number
}

/** A call that is queued or in flight. */
export type Call = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly body: string
  readonly sendContext: SendContext
  /**
   * Resolves the promise of the call's result, or rejects it if `answer` is an `RpcError`. Does nothing once finished.
   */
  readonly finish: (answer: unknown) => void
  isFinished: boolean
  /** Group that the call is sent with. */
  group?: CallGroup
}
/** Calls that are queued and sent together. */
export type CallGroup = {
  /** True if the group must not share its HTTP body with other groups. */
  readonly hasOwnBody: boolean
  readonly calls: readonly Call[]
  /** Aborts the HTTP request if no caller waits for any of its calls. */
  abortRequest?: () => void
}

type PendingCall = { readonly call: Call; readonly answer: Promise<unknown> }

/**
 * Creates a call and the promise of its result.
 *
 * @param onAbandoned - called when every call of the group was aborted
 */
export function createCall(
  [method, params]: EndpointCall,
  id: number,
  sendContext: SendContext,
  onAbandoned: (group: CallGroup) => void,
): PendingCall {
  const { signal } = sendContext
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const abort = () => {
    if (call.isFinished) return
    call.isFinished = true
    reject(abortError(signal, method))
    if (call.group?.calls.every(({ isFinished }) => isFinished)) onAbandoned(call.group)
  }
  const finish = (result: unknown) => {
    if (call.isFinished) return
    call.isFinished = true
    removeAbortListener()
    if (result instanceof RpcError) reject(result)
    else resolve(result)
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const call: Call = { id, method, params, body, sendContext, finish, isFinished: false }
  const removeAbortListener = onAbort(signal, abort)
  return { call, answer: promise }
}
