/** wagmi configuration: browser wallets (EIP-6963) and the local chain's account. */
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
    // The page reads chain state only through the wallet or the local chain's node.
    transports: Object.fromEntries([first, ...others].map(({ id }) => [id, http()])),
    storage: createStorage({ storage: localStorage }),
  })
}

/** Placeholder chain, because wagmi requires one even if the service lists none. */
const NOWHERE = {
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
}
