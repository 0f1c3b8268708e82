/** The first account of a local chain as a wallet. Its node holds the key and signs every request. */
import { type CreateConnectorFn, createConnector } from 'wagmi'
import type { LocalChain } from '../service/chains.ts'

export const LOCAL = 'local-account'
const LEFT = 'sluice.left'
const hasLeft = (): boolean => localStorage.getItem(LEFT) !== null

/** Stores if the local account connects again when the page next opens. */
export function remember(stays: boolean): void {
  if (stays) localStorage.removeItem(LEFT)
  else localStorage.setItem(LEFT, '1')
}
const TIMEOUT_MS = 15_000

type Call = { readonly method: string; readonly params?: readonly unknown[] }
type NodeAnswer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }

/** Returns an EIP-1193 provider that sends requests to a node over HTTP. */
export function nodeProvider(rpcUrl: string) {
  let id = 0
  return {
    async request({ method, params = [] }: Call): Promise<unknown> {
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
    on() {},
    removeListener() {},
  }
}

export function localAccount({ chainId, rpcUrl, accounts }: LocalChain): CreateConnectorFn {
  const provider = nodeProvider(rpcUrl)
  const account = accounts[0]!.address as `0x${string}`
  return createConnector((config) => ({
    id: LOCAL,
    name: 'Local account',
    type: LOCAL,
    // wagmi's return type depends on an option of the caller that this wallet does not use.
    connect: async () => ({ accounts: [account], chainId }) as never,
    disconnect: async () => {},
    getAccounts: async () => [account],
    getChainId: async () => chainId,
    getProvider: async () => provider,
    // Connects without a prompt until the user disconnects it.
    isAuthorized: async () => !hasLeft(),
    switchChain: async ({ chainId: wanted }) => {
      const chain = config.chains.find(({ id }) => id === wanted)
      if (!chain || wanted !== chainId) throw new Error('The local account lives on the local chain only.')
      return chain
    },
    onAccountsChanged() {},
    onChainChanged() {},
    onDisconnect: () => config.emitter.emit('disconnect'),
  }))
}
