/** Tokens of `/tokenlist`, for the token picker and for names of addresses. */
import { type ListedToken, NATIVE } from '@sluice/client'
import { useTokenList } from '@sluice/react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { shorten } from '../format/number.ts'
import { sanitizeText } from '../format/sanitize-text.ts'
import { sluice } from './client.ts'

export type PageToken = Pick<ListedToken, 'address' | 'symbol' | 'name' | 'decimals'> & {
  readonly tags?: readonly (ListedToken['tags'][number] | 'unknown')[]
  readonly extensions?: ListedToken['extensions']
  /** The full symbol, if `symbol` is truncated. */
  readonly fullSymbol?: string
}

/** Maximum tokens of a chain that the page loads. A search covers all tokens, because the service runs it. */
const MAX_LISTED = 500
/** Maximum results of a search. */
const MAX_SEARCH_RESULTS = 60
/** Duration for which looked-up tokens are not requested again. */
const FRESH_MS = 60_000
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Maximum characters shown of a symbol. A longer one would push numbers off a phone screen. */
const MAX_SYMBOL_LENGTH = 14

/**
 * Sanitizes the symbol and the name of a token for display. The token's contract chooses both, so they may be overlong,
 * invisible, or reverse the writing direction.
 */
function withSafeNames<T extends PageToken>(token: T): T {
  const symbol = sanitizeText(token.symbol) || shorten(token.address)
  const isLong = symbol.length > MAX_SYMBOL_LENGTH
  return {
    ...token,
    symbol: isLong ? `${symbol.slice(0, MAX_SYMBOL_LENGTH - 1)}…` : symbol,
    name: sanitizeText(token.name),
    ...(isLong && { fullSymbol: symbol }),
  }
}

type TokenListQuery = ReturnType<typeof useTokenList>

function useSafeNames(list: TokenListQuery) {
  const { data } = list
  const tokens = useMemo(() => data?.map((token): PageToken => withSafeNames<PageToken>(token)), [data])
  return { ...list, data: tokens }
}

/** Loads all listed tokens of a chain, deepest first. */
export function useTokens(chainId: number) {
  return useSafeNames(useTokenList(chainId, { limit: MAX_LISTED }))
}

export function useTokenSearch(chainId: number, text: string, enabled: boolean) {
  return useSafeNames(
    useTokenList(chainId, { limit: MAX_SEARCH_RESULTS, enabled, keepPrevious: true, ...(text && { q: text }) }),
  )
}

export const isNative = (address: string): boolean =>
  address.toLowerCase() === NATIVE.toLowerCase() || address.toLowerCase() === ZERO_ADDRESS

export type TokenOf = (address: string) => PageToken

/** Returns a function that finds the token of an address. The symbol of an unknown token is its short address. */
function createTokenLookup(tokens: readonly PageToken[] | undefined): TokenOf {
  const tokenByAddress = new Map(tokens?.map((token) => [token.address.toLowerCase(), token]))
  return (address) => {
    const token =
      tokenByAddress.get(address.toLowerCase()) ??
      (isNative(address) ? tokenByAddress.get(NATIVE.toLowerCase()) : undefined)
    if (token) return token
    const symbol = isNative(address) ? 'native' : shorten(address)
    return { address, symbol, name: '', decimals: 18, tags: ['unknown'] }
  }
}

type TokenNames = {
  readonly tokenOf: TokenOf
  /** True if the service has answered for all addresses. Until then, the decimals of a token may be wrong. */
  readonly isReady: boolean
  /** Error of the lookup of addresses that the chain's list lacks. */
  readonly error: unknown
  readonly refetch: () => Promise<unknown>
}

/** Loads tokens by address. Requests each address that the chain's list lacks. */
export function useTokenNames(chainId: number, addresses: readonly string[]): TokenNames {
  const list = useTokens(chainId)
  const listedAddresses = useMemo(() => new Set(list.data?.map(({ address }) => address.toLowerCase())), [list.data])
  const missingAddresses = [...new Set(addresses.map((address) => address.toLowerCase()))].filter(
    (address) => list.data && !listedAddresses.has(address) && !isNative(address),
  )
  const lookupQuery = useQuery({
    queryKey: ['token names', chainId, missingAddresses],
    queryFn: () => Promise.all(missingAddresses.map((address) => sluice.tokenList(chainId, { q: address, limit: 1 }))),
    enabled: missingAddresses.length > 0,
    staleTime: FRESH_MS,
  })
  const tokenOf = useMemo(
    () =>
      createTokenLookup([
        ...(list.data ?? []),
        ...(lookupQuery.data?.flat().map((token) => withSafeNames<PageToken>(token)) ?? []),
      ]),
    [list.data, lookupQuery.data],
  )
  const { data, error, refetch } = lookupQuery
  // Data stays valid if a later request for it fails.
  const isReady = list.data !== undefined && (missingAddresses.length === 0 || data !== undefined)
  return { tokenOf, isReady, error: isReady ? null : error, refetch }
}
