/** Wallets of this browser (EIP-6963) and the account of the local chain, by wagmi. */
import { type Config, createConfig, createStorage, http } from 'wagmi'
import type { Setting } from '../service/chains.ts'
import { localAccount } from './local-account.ts'

export function walletConfig({ chains, local }: Setting): Config {
  const known = chains.map(({ id, name }) => ({
    id,
    name,
    nativeCurrency: { name: 'Native', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: id === local?.chainId ? [local.rpcUrl] : [] } },
  }))
  const [first = { ...NOWHERE }, ...others] = known
  return createConfig({
    chains: [first, ...others],
    connectors: local ? [localAccount(local)] : [],
    multiInjectedProviderDiscovery: true,
    // Nothing is read but through the wallet itself, or the local chain's own node.
    transports: Object.fromEntries([first, ...others].map(({ id }) => [id, http()])),
    storage: createStorage({ storage: localStorage }),
  })
}

/** Without the service there is no chain, and wagmi wants one. */
const NOWHERE = {
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
}
