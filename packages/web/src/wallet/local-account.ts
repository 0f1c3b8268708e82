/** The first account of a local chain as a wallet: its node holds the key, and signs whatever it is asked to. */
import { type CreateConnectorFn, createConnector } from 'wagmi'
import type { LocalChain } from '../service/chains.ts'

export const LOCAL = 'local-account'
const LEFT = 'sluice.left'
const hasLeft = (): boolean => localStorage.getItem(LEFT) !== null

/** Keeps the local account, or not, for when the page is opened the next time. */
export function remember(stays: boolean): void {
  if (stays) localStorage.removeItem(LEFT)
  else localStorage.setItem(LEFT, '1')
}
const TIMEOUT_MS = 15_000

type Call = { readonly method: string; readonly params?: readonly unknown[] }
type NodeAnswer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }

/** An EIP-1193 provider over a node's HTTP port. */
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
    // wagmi types the answer by an option of the caller's that this wallet has no use for.
    connect: async () => ({ accounts: [account], chainId }) as never,
    disconnect: async () => {},
    getAccounts: async () => [account],
    getChainId: async () => chainId,
    getProvider: async () => provider,
    // Connected without a question, until somebody sends it away.
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
