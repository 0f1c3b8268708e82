/** Setting that was known before the page was drawn: the chains of the service, and the local one. */
import { createContext, useContext } from 'react'
import type { Chain, Setting } from '../service/chains.ts'

export const SettingContext = createContext<Setting>({ chains: [], local: null })

export const useSetting = (): Setting => useContext(SettingContext)

const UNKNOWN: Chain = { id: 1, name: 'Ethereum', guard: '', status: 'predicted' }

/** The chain that the address names; without one the local chain, or the first. */
export function useChain(chainId: number | undefined): Chain {
  const { chains } = useSetting()
  const named = chains.find(({ id }) => id === chainId)
  if (named) return named
  if (chainId !== undefined) return { ...UNKNOWN, id: chainId, name: `Chain ${chainId}` }
  return chains[0] ?? UNKNOWN
}

/** A chain in the address of a page. */
export const on = (chain: number | undefined): { readonly chain?: number } => (chain === undefined ? {} : { chain })
