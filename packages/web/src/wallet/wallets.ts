/** The wallets of the page: the local chain's account, and browser wallets, whose code loads on demand. */
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { ServiceInfo } from '../service/chains.ts'
import type { BrowserWallets } from './browser-wallets.ts'
import { LOCAL_WALLET_ID, localSession } from './local-account.ts'
import type { Session, WalletOption } from './session.ts'

type WalletState = {
  readonly session: Session | undefined
  /** Wallets that can be connected; undefined until the code of browser wallets is loaded. */
  readonly options: readonly WalletOption[] | undefined
}

/** Storage key that is set after the user disconnects the local account, so that the page does not reconnect it. */
const DISCONNECTED_KEY = 'sluice.left'
/** Storage key that is set while a browser wallet is connected, so that the next visit reconnects it. */
const CONNECTED_KEY = 'sluice.wallet'

/** Creates the wallets, and reconnects the browser wallet of the last visit. */
export function createWallets(serviceInfo: ServiceInfo) {
  const local = serviceInfo.local ? localSession(serviceInfo.local) : undefined
  const listeners = new Set<() => void>()
  let browserWallets: BrowserWallets | undefined
  let pendingLoad: Promise<BrowserWallets> | undefined
  let state: WalletState = { session: isFlagStored(DISCONNECTED_KEY) ? undefined : local, options: undefined }

  function update(): void {
    const session = browserWallets?.session() ?? (isFlagStored(DISCONNECTED_KEY) ? undefined : local)
    const isSameAccount =
      session?.id === state.session?.id &&
      session?.address === state.session?.address &&
      session?.chainId === state.session?.chainId
    const localWallets = local ? [{ id: LOCAL_WALLET_ID, name: local.name, isLocal: true }] : []
    state = {
      // Keeps the object of an unchanged session, so that components render again only after a change.
      session: isSameAccount ? state.session : session,
      options: browserWallets && [...localWallets, ...browserWallets.options()],
    }
    for (const listener of listeners) listener()
  }
  function loadBrowserWallets(): Promise<BrowserWallets> {
    pendingLoad ??= import('./browser-wallets.ts').then(
      ({ openBrowserWallets }) => {
        browserWallets = openBrowserWallets(serviceInfo, update)
        update()
        return browserWallets
      },
      (error) => {
        pendingLoad = undefined
        throw error
      },
    )
    return pendingLoad
  }
  if (isFlagStored(CONNECTED_KEY)) void loadBrowserWallets().then((wallets) => wallets.reconnect())
  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: () => state,
    async load() {
      await loadBrowserWallets()
      // Reads the wallets again, because `window.ethereum` appears without an announcement.
      update()
    },
    async connect(id: string) {
      const wallets = await loadBrowserWallets()
      if (id !== LOCAL_WALLET_ID) await wallets.connect(id)
      storeFlag(DISCONNECTED_KEY, id !== LOCAL_WALLET_ID)
      storeFlag(CONNECTED_KEY, id !== LOCAL_WALLET_ID)
      if (id === LOCAL_WALLET_ID) await wallets.disconnect()
      update()
    },
    async disconnect() {
      storeFlag(DISCONNECTED_KEY, true)
      storeFlag(CONNECTED_KEY, false)
      await browserWallets?.disconnect()
      update()
    },
    async switchChain(chainId: number) {
      if (state.session?.isLocal) throw new Error('The local account exists on the local chain only.')
      await (await loadBrowserWallets()).switchChain(chainId)
    },
  }
}

export type Wallets = ReturnType<typeof createWallets>

export const WalletsContext = createContext<Wallets | undefined>(undefined)

export function useWallets(): Wallets {
  return useContext(WalletsContext)!
}

export function useWalletState(): WalletState {
  const { subscribe, state } = useWallets()
  return useSyncExternalStore(subscribe, state)
}

function isFlagStored(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false
  }
}

function storeFlag(key: string, isSet: boolean): void {
  try {
    if (isSet) localStorage.setItem(key, '1')
    else localStorage.removeItem(key)
  } catch {
    // If storage is forbidden, the choice lasts until the page is closed.
  }
}
