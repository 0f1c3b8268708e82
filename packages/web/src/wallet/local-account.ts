/** The first account of a local chain as a wallet. The chain's node holds the key and signs every request. */
import type { Eip1193Provider } from '@sluice/client'
import type { LocalChain } from '../service/chains.ts'
import type { Session } from './session.ts'

export const LOCAL_WALLET_ID = 'local-account'
const TIMEOUT_MS = 15_000

type NodeAnswer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }

/** Returns an EIP-1193 provider that sends requests to a node over HTTP. */
export function nodeProvider(rpcUrl: string): Eip1193Provider {
  let id = 0
  return {
    async request({ method, params = [] }) {
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { result, error } = (await response.json()) as NodeAnswer
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
  } as Eip1193Provider
}

export function localSession({ chainId, rpcUrl, accounts }: LocalChain): Session {
  const provider = nodeProvider(rpcUrl)
  return {
    ...{ id: LOCAL_WALLET_ID, address: accounts[0]!.address },
    ...{ chainId, name: 'Local account', isLocal: true, provider: async () => provider },
  }
}
