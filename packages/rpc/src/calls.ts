/** A call on its way to an endpoint, and those that it travels with. */
import { onAbort, type Signal } from './abort.ts'
import { RpcError } from './errors.ts'
import { abortError } from './failure.ts'
import type { Priority } from './priority.ts'

export type EndpointCall = readonly [method: string, params: readonly unknown[]]

/** One attempt at a request. */
export type Send = {
  readonly signal: Signal
  readonly priority: Priority
  /** In an HTTP request and on a connection of its own. */
  readonly fresh?: boolean
  /** When it left the queue; undefined as long as it waits. Written by the endpoint. */
  sentAt?: number
}

export type Call = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly body: string
  readonly send: Send
  readonly finish: (answer: unknown) => void
  finished: boolean
  /** The group of calls it travels in. */
  group?: Group
}
/** Calls that wait for a place and travel together. */
export type Group = {
  /** In an HTTP body of their own. */
  readonly alone: boolean
  readonly calls: readonly Call[]
  /** Ends the HTTP request that it travels in, once that serves nobody any more. */
  abandon?: () => void
}

type Made = { readonly call: Call; readonly answer: Promise<unknown> }

/** @param abandon - told when nobody waits any more for any call of the group that this one travels in */
export function makeCall(
  [method, params]: EndpointCall,
  id: number,
  send: Send,
  abandon: (group: Group) => void,
): Made {
  const { signal } = send
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const giveUp = () => {
    if (call.finished) return
    call.finished = true
    reject(abortError(signal, method))
    if (call.group?.calls.every(({ finished }) => finished)) abandon(call.group)
  }
  const finish = (result: unknown) => {
    if (call.finished) return
    call.finished = true
    detach()
    if (result instanceof RpcError) reject(result)
    else resolve(result)
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const call: Call = { id, method, params, body, send, finish, finished: false }
  const detach = onAbort(signal, giveUp)
  return { call, answer: promise }
}
