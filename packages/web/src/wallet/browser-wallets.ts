/**
 * Connects browser wallets with the library wagmi: wallets that announce themselves (EIP-6963), or else
 * `window.ethereum`. The module loads on demand, because most visits need no wallet.
 */
import type { Eip1193Provider } from '@sluice/client'
import { type Config, type Connector, createConfig, createStorage, http, injected } from 'wagmi'
import {
  connect,
  disconnect,
  getConnection,
  getConnections,
  reconnect,
  switchChain,
  watchConnection,
  watchConnectors,
} from 'wagmi/actions'
import type { ServiceInfo } from '../service/chains.ts'
import type { Session, WalletOption } from './session.ts'

/** Placeholder chain for a service without chains, because wagmi requires a chain. */
const PLACEHOLDER_CHAIN = wagmiChainOf(1, 'Ethereum', [])

/** Connector of `window.ethereum`. Browsers of mobile wallets often provide nothing else. */
const windowConnector = injected()
const WINDOW_CONNECTOR_ID = 'injected'

export type BrowserWallets = {
  readonly options: () => readonly WalletOption[]
  readonly session: () => Session | undefined
  readonly reconnect: () => Promise<unknown>
  readonly connect: (id: string) => Promise<unknown>
  readonly disconnect: () => Promise<unknown>
  readonly switchChain: (chainId: number) => Promise<unknown>
}

/** @param notify - called after each change of the session or of the announced wallets */
export function openBrowserWallets({ chains, local }: ServiceInfo, notify: () => void): BrowserWallets {
  const wagmiChains = chains.map(({ id, name }) => wagmiChainOf(id, name, id === local?.chainId ? [local.rpcUrl] : []))
  const [firstChain = PLACEHOLDER_CHAIN, ...otherChains] = wagmiChains
  const config: Config = createConfig({
    chains: [firstChain, ...otherChains],
    connectors: [windowConnector],
    multiInjectedProviderDiscovery: true,
    // wagmi requires transports, but the page does not use them: it reads chain state through the wallet.
    transports: Object.fromEntries([firstChain, ...otherChains].map(({ id }) => [id, http()])),
    storage: createStorage(storageIfAllowed()),
  })
  watchConnection(config, { onChange: notify })
  watchConnectors(config, { onChange: notify })
  /** Ends all other connections. Otherwise wagmi would silently switch to one of them after a disconnection. */
  const disconnectAllExcept = (uid?: string) =>
    Promise.allSettled(
      getConnections(config).flatMap(({ connector }) =>
        connector.uid === uid ? [] : [disconnect(config, { connector })],
      ),
    )
  return {
    options: () => optionsOf(config.connectors),
    session() {
      const { address, chainId, connector, status } = getConnection(config)
      if (status !== 'connected' || !address || !connector) return undefined
      const provider = async () => (await connector.getProvider()) as Eip1193Provider
      return { id: connector.uid, address, chainId, name: nameOf(connector), isLocal: false, provider }
    },
    reconnect: () => reconnect(config),
    async connect(id) {
      const connector = config.connectors.find(({ uid }) => uid === id)
      if (!connector) throw new Error('The wallet is no longer available.')
      await connect(config, { connector })
      await disconnectAllExcept(connector.uid)
    },
    disconnect: () => disconnectAllExcept(),
    switchChain: (chainId) => switchChain(config, { chainId }),
  }
}

/**
 * Returns the announced wallets, or `window.ethereum` if there are none. Otherwise `window.ethereum` is one of the
 * announced wallets.
 */
function optionsOf(connectors: readonly Connector[]): readonly WalletOption[] {
  const announcedConnectors = connectors.filter(({ id }) => id !== WINDOW_CONNECTOR_ID)
  const hasWindowProvider = typeof (globalThis as { readonly ethereum?: unknown }).ethereum === 'object'
  const connectorsToOffer = announcedConnectors.length === 0 && hasWindowProvider ? connectors : announcedConnectors
  return connectorsToOffer.map((connector) => ({ id: connector.uid, name: nameOf(connector), isLocal: false }))
}

const nameOf = ({ id, name }: Connector): string => (id === WINDOW_CONNECTOR_ID ? 'Wallet of this browser' : name)

/** Returns options without a storage if the browser forbids it. Then wagmi remembers nothing. */
function storageIfAllowed(): Parameters<typeof createStorage>[0] {
  try {
    return { storage: localStorage }
  } catch {
    return {}
  }
}

function wagmiChainOf(id: number, name: string, urls: readonly string[]) {
  const nativeCurrency = { name: 'Native', symbol: 'ETH', decimals: 18 }
  return { id, name, nativeCurrency, rpcUrls: { default: { http: urls } } }
}
