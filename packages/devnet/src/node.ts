/** Sends JSON-RPC requests to a local node. */
import { DevnetError } from './errors.ts'

/**
 * Sends one JSON-RPC request to the local node.
 *
 * @throws DevnetError NODE with the node's own message
 */
export async function request<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
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
