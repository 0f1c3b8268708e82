/** A test wallet that runs in the page. */

/** A browser wallet that announces itself like an extension (EIP-6963) and uses the unlocked keys of the local chain's node. */
export type WalletOptions = {
  readonly rpcUrl: string
  readonly address: string
  /** Initial chain of the wallet. */
  readonly chainId: number
  /** Number of requests to send that the wallet rejects. */
  readonly declines?: number
  /** Number of transactions that the wallet sends before it rejects any. */
  readonly sendsFirst?: number
  /** Number of blocks mined while the wallet waits for the user. */
  readonly slowBlocks?: number
  /** True if the wallet supports batches (EIP-5792). It mines the calls in one block, in order. */
  readonly batches?: boolean
  /** Name of the page's global variable that counts the requested methods. */
  readonly counts?: string
  /** Value that the wallet throws if the page asks for accounts. */
  readonly connectError?: unknown
  /** False for a wallet that is only `window.ethereum`. */
  readonly isAnnounced?: boolean
  /** Digit that distinguishes wallets with the same name. */
  readonly variant?: number
}

/** Returns a script that announces the wallet. */
export function announce(options: WalletOptions): string {
  return `(${script.toString()})(${JSON.stringify(options)})`
}

/* Runs in the page and can use only its argument. Long: so it can call no function outside. */
function script({
  rpcUrl,
  address,
  chainId,
  declines = 0,
  sendsFirst = 0,
  slowBlocks = 0,
  batches = false,
  counts,
  connectError,
  isAnnounced = true,
  variant = 2,
}: WalletOptions) {
  const requests: Record<string, number> = {}
  if (counts) Object.assign(globalThis, { [counts]: requests })
  const listeners: Record<string, ((value: unknown) => void)[]> = {}
  let chain = chainId
  let remaining = declines
  let free = sendsFirst
  let allowed = false
  const node = async (method: string, params: unknown[] = []) => {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = await response.json()
    if (error) throw Object.assign(new Error(error.message), error)
    return result
  }
  type Batch = { readonly calls: readonly { readonly to: string; readonly data: string; readonly value: string }[] }
  let sent: readonly string[] = []
  const sendCalls = async ({ calls }: Batch) => {
    await node('evm_setAutomine', [false])
    const hashes: string[] = []
    for (const call of calls)
      hashes.push(await node('eth_sendTransaction', [{ ...call, from: address, gas: '0x4c4b40' }]))
    await node('evm_mine')
    await node('evm_setAutomine', [true])
    sent = hashes
    return 'batch'
  }
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      requests[method] = (requests[method] ?? 0) + 1
      const isConnectRequest = method === 'eth_requestAccounts' || method === 'wallet_requestPermissions'
      if (connectError !== undefined && isConnectRequest) throw connectError
      if (method === 'eth_requestAccounts') allowed = true
      if (method === 'eth_requestAccounts' || method === 'eth_accounts') return allowed ? [address] : []
      if (method === 'wallet_requestPermissions') allowed = true
      if (method === 'wallet_requestPermissions')
        return [{ parentCapability: 'eth_accounts', caveats: [{ value: [address] }] }]
      if (method === 'eth_chainId') return `0x${chain.toString(16)}`
      if (method === 'wallet_getCapabilities' && batches)
        return { [`0x${chain.toString(16)}`]: { atomic: { status: 'supported' } } }
      if (method === 'wallet_getCapabilities') throw Object.assign(new Error('not supported'), { code: 4200 })
      if (method === 'wallet_switchEthereumChain') {
        chain = Number((params[0] as { chainId: string }).chainId)
        for (const listener of listeners.chainChanged ?? []) listener(`0x${chain.toString(16)}`)
        return null
      }
      if (method === 'wallet_sendCalls') return { id: await sendCalls(params[0] as Batch) }
      if (method === 'wallet_getCallsStatus') {
        const receipts = await Promise.all(sent.map((hash) => node('eth_getTransactionReceipt', [hash])))
        const failed = receipts.some((receipt) => receipt?.status !== '0x1')
        return { version: '2.0.0', atomic: true, status: failed ? 500 : 200, receipts }
      }
      if (method === 'eth_sendTransaction' || method === 'eth_signTypedData_v4') {
        if (free-- <= 0 && remaining-- > 0) throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
        for (let block = 0; block < slowBlocks; block++) await node('evm_mine')
      }
      return node(method, params)
    },
    on: (event: string, listener: (value: unknown) => void) => {
      listeners[event] = [...(listeners[event] ?? []), listener]
    },
    removeListener: (event: string, listener: (value: unknown) => void) => {
      listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener)
    },
  }
  const info = {
    uuid: `350670db-19fa-4704-a166-e52e178b59d${variant}`,
    name: 'Test wallet',
    icon: 'data:image/svg+xml,<svg/>',
    rdns: `test.wallet${variant}`,
  }
  const notify = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  if (isAnnounced) {
    addEventListener('eip6963:requestProvider', notify)
    notify()
  } else Object.assign(globalThis, { ethereum: provider })
  // Keeps the local account disconnected, so that the tests use this wallet.
  localStorage.setItem('sluice.left', '1')
}
