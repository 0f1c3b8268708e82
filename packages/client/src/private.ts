/** Transactions that go to one node alone, which keeps them from those who would trade ahead of them. */
import { ClientError, messageOf, orClientError } from './errors.ts'
import { type HttpOptions, request } from './http.ts'
import type { Wallet } from './wallet.ts'

type Answer = { readonly result?: unknown; readonly error?: { readonly message?: string } }

/**
 * The same wallet, but what it signs is sent by `eth_sendRawTransaction` to the RPC named here and nowhere else. Batches, which
 * a wallet sends by itself, are not offered.
 *
 * @example
 * ```ts
 * await swap(sluice, privately(wallet, 'https://rpc.flashbots.net'), 1, request)
 * ```
 * @throws ClientError `WALLET` for one that signs nothing without sending it, as browser wallets do: the RPC is set there
 */
export function privately(
  wallet: Wallet,
  rpcUrl: string,
  options: Pick<HttpOptions, 'fetch' | 'timeoutMs'> = {},
): Wallet {
  if (!wallet.sign) throw new ClientError('WALLET', 'the wallet signs nothing that it does not send itself')
  return {
    address: wallet.address,
    chainId: () => wallet.chainId(),
    blockNumber: () => wallet.blockNumber(),
    code: (address) => wallet.code(address),
    call: (to, data, value) => wallet.call(to, data, value),
    succeeded: (hash) => wallet.succeeded(hash),
    ...(wallet.receipt && { receipt: (hash) => wallet.receipt!(hash) }),
    ...(wallet.estimateGas && { estimateGas: (transaction) => wallet.estimateGas!(transaction) }),
    ...(wallet.signTypedData && { signTypedData: (typed) => wallet.signTypedData!(typed) }),
    ...(wallet.request && {
      request: async (method, params) => {
        if (/^(wallet_|eth_send)/.test(method)) throw new ClientError('WALLET', `${method} would send by another way`)
        return wallet.request!(method, params)
      },
    }),
    send: async (transaction) => {
      const raw = await orClientError('WALLET', () => wallet.sign!(transaction))
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
      // Sent once: a second attempt is answered with "already known".
      const { result, error } = await request<Answer>({ ...options, baseUrl: rpcUrl, retries: 0 }, '', { body })
      if (typeof result === 'string') return result
      throw new ClientError('WALLET', `the private RPC refused the transaction: ${messageOf(error ?? 'no reason')}`)
    },
  }
}
