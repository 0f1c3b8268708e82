/** Context with the chains of the service and the local chain, which the app loads before the first render. */
import { createContext, useContext } from 'react'
import type { PageChain, ServiceInfo } from '../service/chains.ts'

export const ServiceInfoContext = createContext<ServiceInfo>({ chains: [], local: null })

export const useServiceInfo = (): ServiceInfo => useContext(ServiceInfoContext)

const UNKNOWN_CHAIN: PageChain = { id: 1, name: 'Ethereum', guard: '', status: 'predicted' }

/**
 * Returns the chain with the id in the URL. Without an id, returns the first chain, which is the local chain if any.
 */
export function useChain(chainId: number | undefined): PageChain {
  const { chains } = useServiceInfo()
  const namedChain = chains.find(({ id }) => id === chainId)
  if (namedChain) return namedChain
  if (chainId !== undefined) return { ...UNKNOWN_CHAIN, id: chainId, name: `Chain ${chainId}` }
  return chains[0] ?? UNKNOWN_CHAIN
}

/** Returns the URL parameter of a chain; an empty object without a chain. */
export const chainParameter = (chain: number | undefined): { readonly chain?: number } =>
  chain === undefined ? {} : { chain }
