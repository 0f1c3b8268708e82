/** Reads contract state at one block. Each read has a timeout, and the number of reads is limited. */
import { notCheckable, refute } from './certificate.ts'

/** Request function of EIP-1193. */
export type EthRequest = (call: { readonly method: string; readonly params: readonly unknown[] }) => Promise<unknown>
type NodeSource = { readonly request: EthRequest } | { readonly url: string }
/** `deadlineMs`: timeout of each read; default 10,000. `maxReads`: default 60,000. */
export type NodeOptions = { readonly deadlineMs?: number; readonly maxReads?: number } & NodeSource
/**
 * Words of 32 bytes that a view function returned: at least as many as the caller requires. A caller that requires one
 * word must not use the second.
 */
export type CallWords = readonly [bigint, bigint]

export type Node = ReturnType<typeof nodeAt>

/** Creates functions that read the state of a block. The functions throw CheckFailure. */
export function nodeAt(source: NodeOptions, blockNumber: bigint) {
  const { deadlineMs = 10_000, maxReads = 60_000 } = source
  const request = 'request' in source ? source.request : httpRequest(source.url, deadlineMs)
  const block = `0x${blockNumber.toString(16)}`
  let remainingReads = maxReads

  const requestNode = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (--remainingReads < 0) throw notCheckable('out of reach', `it takes more than ${maxReads} reads`)
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs)
    })
    try {
      return await Promise.race([request({ method, params }), timeout])
    } catch (error) {
      const { code, message } = Object(error) as { code?: unknown; message?: unknown }
      if (code === 3 || /revert|invalid opcode/i.test(String(message))) throw refute('not such a pool', 'reverts')
      throw notCheckable('node fails', `${method}: ${String(message).slice(0, 200)}`)
    } finally {
      clearTimeout(timer)
    }
  }

  const view = async (to: string, selector: string, argument?: bigint | number, minWords = 1): Promise<CallWords> => {
    const word = argument === undefined ? '' : BigInt.asUintN(256, BigInt(argument)).toString(16).padStart(64, '0')
    const answer = await requestNode('eth_call', [{ to, data: selector + word }, block])
    // A contract can return any bytes, but only a faulty node returns something other than bytes.
    if (typeof answer !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer)) throw notCheckable('node fails', 'not bytes')
    const words = answer.length < 10_000 ? (answer.slice(2).match(/.{64}/g) ?? []) : []
    if (words.length < minWords) throw refute('not such a pool', `${to} does not answer ${selector}`)
    return words.map((digits) => BigInt(`0x${digits}`)) as unknown as CallWords
  }

  const blockHash = async () => Object(await requestNode('eth_getBlockByNumber', [block, false])).hash as unknown
  return { request: requestNode, view, blockHash }
}

function httpRequest(url: string, deadlineMs: number): EthRequest {
  return async (call) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const options = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(deadlineMs) })
    const { result, error } = Object(await response.json()) as { result?: unknown; error?: object }
    if (error || result === undefined) throw error ?? new Error(`HTTP status ${response.status}`)
    return result
  }
}
