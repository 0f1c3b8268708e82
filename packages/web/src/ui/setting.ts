/** Data loaded before the first render: the service's chains and the local chain. */
import { createContext, useContext } from 'react'
import type { PageChain, Setting } from '../service/chains.ts'

export const SettingContext = createContext<Setting>({ chains: [], local: null })

export const useSetting = (): Setting => useContext(SettingContext)

const UNKNOWN_CHAIN: PageChain = { id: 1, name: 'Ethereum', guard: '', status: 'predicted' }

/** Returns the chain named in the URL; by default the local chain, or the first chain. */
export function useChain(chainId: number | undefined): PageChain {
  const { chains } = useSetting()
  const namedChain = chains.find(({ id }) => id === chainId)
  if (namedChain) return namedChain
  if (chainId !== undefined) return { ...UNKNOWN_CHAIN, id: chainId, name: `Chain ${chainId}` }
  return chains[0] ?? UNKNOWN_CHAIN
}

/** Returns the URL parameters that name a chain. */
export const chainParameter = (chain: number | undefined): { readonly chain?: number } =>
  chain === undefined ? {} : { chain }
