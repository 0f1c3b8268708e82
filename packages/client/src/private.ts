/** Sends transactions only to a private RPC, which protects them from front-running. */
import { ClientError, messageOf, orWalletError } from './errors.ts'
import { type HttpOptions, request } from './http.ts'
import { keccak256 } from './keccak.ts'
import type { Wallet } from './wallet.ts'

type Answer = { readonly result?: unknown; readonly error?: { readonly message?: string } }

/**
 * Wraps a wallet so that its transactions are sent only to the given RPC, with `eth_sendRawTransaction`. Batches are
 * disabled, because the wallet itself would send them elsewhere.
 *
 * @example
 * ```ts
 * await swap(sluice, privately(wallet, 'https://rpc.flashbots.net'), 1, request)
 * ```
 * @throws ClientError `WALLET` for a wallet without `sign`, such as a browser wallet; set the RPC in that wallet
 *   instead. Its `send` throws `PENDING` with the hash if the RPC was asked and its answer is unknown
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
    ...(wallet.signTypedData && { signTypedData: (typedData) => wallet.signTypedData!(typedData) }),
    ...(wallet.request && {
      request: async (method, params) => {
        if (/^(wallet_|eth_send)/.test(method)) throw new ClientError('WALLET', `${method} would send by another way`)
        return wallet.request!(method, params)
      },
    }),
    send: async (transaction) => {
      const raw = await orWalletError(() => wallet.sign!(transaction))
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }
      // No retries, because nodes reject a transaction that they already have.
      const { result, error } = await request<Answer>({ ...options, baseUrl: rpcUrl, retries: 0 }, '', { body }).catch(
        (cause: ClientError) => {
          const { status = 500 } = cause.details
          if (cause.code === 'INVALID' || status < 500) throw cause
          // The RPC may have taken the transaction. A retryable error would invite the caller to send the swap twice.
          const text = `the private RPC did not say whether it took the transaction: ${cause.message}`
          throw new ClientError('PENDING', text, { hash: keccak256(raw) }, { cause })
        },
      )
      if (typeof result === 'string') return result
      throw new ClientError('WALLET', `the private RPC refused the transaction: ${messageOf(error ?? 'no reason')}`)
    },
  }
}
