/** Sends JSON-RPC requests to a local node. */
import { setTimeout } from 'node:timers/promises'
import { DevnetError } from './errors.ts'

const MAX_POOL_POLLS = 200
const POOL_POLL_MS = 5

/**
 * Sends one JSON-RPC request to the local node.
 *
 * @throws DevnetError NODE with the node's own message
 */
export async function request<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  if (method === 'evm_revert') await awaitEmptyPool(url)
  return post<T>(url, method, params)
}

/**
 * Waits until the node's transaction pool is empty, at most about a second. Anvil stores a block first, and then
 * removes from the pool all transactions with the senders and nonces of the block. If the chain is reverted in between,
 * the next transaction has one of these nonces, so anvil removes it and never mines it.
 */
async function awaitEmptyPool(url: string): Promise<void> {
  for (let poll = 0; poll < MAX_POOL_POLLS; poll++) {
    const { pending } = await post<{ pending: string }>(url, 'txpool_status', [])
    if (BigInt(pending) === 0n) return
    await setTimeout(POOL_POLL_MS)
  }
}

async function post<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: T; error?: { message: string; data?: unknown } }
  if (error) {
    const data = error.data === undefined ? '' : ` (${JSON.stringify(error.data)})`
    throw new DevnetError('NODE', `${method}: ${error.message}${data}`)
  }
  return result as T
}
