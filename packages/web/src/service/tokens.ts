/** Tokens by `/tokenlist`: what a picker offers, and what an address is called. */
import { type ListedToken, NATIVE } from '@sluice/client'
import { useTokenList } from '@sluice/react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { legible } from '../format/legible.ts'
import { brief } from '../format/number.ts'
import { sluice } from './client.ts'

export type Token = Pick<ListedToken, 'address' | 'symbol' | 'name' | 'decimals'> & {
  readonly tags?: readonly (ListedToken['tags'][number] | 'unknown')[]
  readonly extensions?: ListedToken['extensions']
  /** The whole symbol, where `symbol` is cut. */
  readonly fullSymbol?: string
}

/** Tokens of a chain that the page keeps for names; search asks the service. */
const LIST = 500
const OFFERED = 60
const FRESH_MS = 60_000
const ZERO = `0x${'0'.repeat(40)}`

/** Highest number of characters that are shown of a symbol: more would push figures off a phone. */
const MAX_SYMBOL = 14

/** A token with names that are safe to show. Its contract chose them: they may reverse, hide, or crowd out what stands next to them. */
function withSafeNames<T extends Token>(token: T): T {
  const symbol = legible(token.symbol) || brief(token.address)
  const isLong = symbol.length > MAX_SYMBOL
  return {
    ...token,
    symbol: isLong ? `${symbol.slice(0, MAX_SYMBOL - 1)}…` : symbol,
    name: legible(token.name),
    ...(isLong && { fullSymbol: symbol }),
  }
}

type List = ReturnType<typeof useTokenList>

function useSafeNames(list: List) {
  const { data } = list
  const tokens = useMemo(() => data?.map((token): Token => withSafeNames<Token>(token)), [data])
  return { ...list, data: tokens }
}

/** All tokens that have a name here, deepest first. */
export function useTokens(chainId: number) {
  return useSafeNames(useTokenList(chainId, { limit: LIST }))
}

export function useTokenSearch(chainId: number, text: string, enabled: boolean) {
  return useSafeNames(useTokenList(chainId, { limit: OFFERED, enabled, keepPrevious: true, ...(text && { q: text }) }))
}

export const isNative = (address: string): boolean =>
  address.toLowerCase() === NATIVE.toLowerCase() || address.toLowerCase() === ZERO

export type TokenOf = (address: string) => Token

/** A name for every address: its own short form where no list has it. */
function namer(tokens: readonly Token[] | undefined): TokenOf {
  const byAddress = new Map(tokens?.map((token) => [token.address.toLowerCase(), token]))
  return (address) => {
    const known =
      byAddress.get(address.toLowerCase()) ?? (isNative(address) ? byAddress.get(NATIVE.toLowerCase()) : undefined)
    if (known) return known
    const symbol = isNative(address) ? 'native' : brief(address)
    return { address, symbol, name: '', decimals: 18, tags: ['unknown'] }
  }
}

/** The tokens whose addresses are asked for and that the list lacks, looked up one by one. */
export function useNamed(
  chainId: number,
  addresses: readonly string[],
): { readonly of: TokenOf; readonly ready: boolean } {
  const list = useTokens(chainId)
  const known = new Set(list.data?.map(({ address }) => address.toLowerCase()))
  const missing = [...new Set(addresses.map((address) => address.toLowerCase()))].filter(
    (address) => list.data && !known.has(address) && !isNative(address),
  )
  const found = useQuery({
    queryKey: ['token names', chainId, missing],
    queryFn: () => Promise.all(missing.map((address) => sluice.tokenList(chainId, { q: address, limit: 1 }))),
    enabled: missing.length > 0,
    staleTime: FRESH_MS,
  })
  const all = [...(list.data ?? []), ...(found.data?.flat().map((token) => withSafeNames<Token>(token)) ?? [])]
  return { of: namer(all), ready: list.isSuccess && (missing.length === 0 || !found.isPending) }
}
