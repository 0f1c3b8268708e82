/** Requests the token list of a chain. */
import type { ClientError, ListedToken, SluiceClient, TokenListParameters } from '@sluice/client'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useSluice } from './context.ts'
import { withoutUndefined } from './parameters.ts'

/** Maximum age at which a cached list is used without a new request. */
const MAX_CACHED_AGE_MS = 60_000

type TokenListOptions = TokenListParameters & {
  /** If false, nothing is requested. Default: true. */
  readonly enabled?: boolean | undefined
  /** True returns the previous list until the new one arrives, for example in search fields. */
  readonly keepPrevious?: boolean | undefined
}

/**
 * Builds the query options of a token list, for prefetching on a server and for reading the cache.
 *
 * @example
 * ```ts
 * await queryClient.prefetchQuery(tokenListOptions(sluice, 1, { limit: 100 }))
 * ```
 */
export function tokenListOptions(client: SluiceClient, chainId: number, parameters: TokenListParameters = {}) {
  const request = withoutUndefined(parameters)
  return queryOptions<readonly ListedToken[], ClientError>({
    queryKey: ['sluice', 'tokens', chainId, request],
    queryFn: ({ signal }) => client.tokenList(chainId, request, signal),
    staleTime: MAX_CACHED_AGE_MS,
    // SluiceClient already retries.
    retry: false,
  })
}

/**
 * Returns the tokens of a chain, or those that match `q`, in descending order of liquidity.
 *
 * @example
 * ```tsx
 * const { data: tokens } = useTokenList(1, { q: 'usd', limit: 20 })
 * ```
 */
export function useTokenList(
  chainId: number,
  options: TokenListOptions = {},
): UseQueryResult<readonly ListedToken[], ClientError> {
  const { enabled = true, keepPrevious = false, ...parameters } = options
  const client = useSluice()
  return useQuery({
    ...tokenListOptions(client, chainId, parameters),
    enabled,
    ...(keepPrevious && { placeholderData: (last: readonly ListedToken[] | undefined) => last }),
  })
}
