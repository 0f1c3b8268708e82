/** The wallets of the page: the local chain's account, and browser wallets, whose code loads on demand. */
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Setting } from '../service/chains.ts'
import type { BrowserWallets } from './browser-wallets.ts'
import { LOCAL, localSession } from './local-account.ts'
import type { Session, WalletOption } from './session.ts'

type WalletState = {
  readonly session: Session | undefined
  /** Wallets that can be connected; undefined while their code is loading. */
  readonly options: readonly WalletOption[] | undefined
}

/** Set if the user left the local account, which otherwise connects by itself. */
const DISCONNECTED_KEY = 'sluice.left'
/** Set while a browser wallet is connected, so that the next visit loads the code of browser wallets. */
const CONNECTED_KEY = 'sluice.wallet'

/** Creates the wallets, and reconnects the browser wallet of the last visit. */
export function createWallets(setting: Setting) {
  const local = setting.local ? localSession(setting.local) : undefined
  const listeners = new Set<() => void>()
  let browser: BrowserWallets | undefined
  let loading: Promise<BrowserWallets> | undefined
  let state: WalletState = { session: isStored(DISCONNECTED_KEY) ? undefined : local, options: undefined }

  function update(): void {
    const session = browser?.session() ?? (isStored(DISCONNECTED_KEY) ? undefined : local)
    const isSame = session?.address === state.session?.address && session?.chainId === state.session?.chainId
    const localWallets = local ? [{ id: LOCAL, name: local.name, isLocal: true }] : []
    state = {
      // The same object for the same account, so that components render again only if something changed.
      session: isSame && session?.name === state.session?.name ? state.session : session,
      options: browser && [...localWallets, ...browser.options()],
    }
    for (const listener of listeners) listener()
  }
  function load(): Promise<BrowserWallets> {
    loading ??= import('./browser-wallets.ts').then(
      ({ openBrowserWallets }) => {
        browser = openBrowserWallets(setting, update)
        update()
        return browser
      },
      (error) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  if (isStored(CONNECTED_KEY)) void load().then((wallets) => wallets.reconnect())
  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: () => state,
    load,
    async connect(id: string) {
      const wallets = await load()
      if (id !== LOCAL) await wallets.connect(id)
      store(DISCONNECTED_KEY, id !== LOCAL)
      store(CONNECTED_KEY, id !== LOCAL)
      if (id === LOCAL) await wallets.disconnect()
      update()
    },
    async disconnect() {
      store(DISCONNECTED_KEY, true)
      store(CONNECTED_KEY, false)
      await browser?.disconnect()
      update()
    },
    async switchChain(chainId: number) {
      if (state.session?.isLocal) throw new Error('The local account exists on the local chain only.')
      await (await load()).switchChain(chainId)
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

function isStored(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false
  }
}

function store(key: string, isSet: boolean): void {
  try {
    if (isSet) localStorage.setItem(key, '1')
    else localStorage.removeItem(key)
  } catch {
    // If storage is forbidden, the choice lasts until the page is closed.
  }
}
