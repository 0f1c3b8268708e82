/** Requests single quotes. */
import type { ClientError, Quote, QuoteParameters, Route, RouteParameters, SluiceClient } from '@sluice/client'
import { queryOptions, skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useSluice } from './context.ts'
import { withoutUndefined } from './parameters.ts'

/** Type of the quote for parameters: a route with a transaction if the parameters contain `from`. */
export type QuoteOf<P extends QuoteParameters> = P extends { readonly from: string } ? Route : Quote

/** Requests one quote, with a transaction if the parameters contain `from`. */
export function requestQuote<P extends QuoteParameters>(
  client: SluiceClient,
  chainId: number,
  parameters: P,
  signal?: AbortSignal,
): Promise<QuoteOf<P>> {
  const quote =
    parameters.from === undefined
      ? client.getQuote(chainId, parameters, signal)
      : client.getSwap(chainId, parameters as unknown as RouteParameters, signal)
  return quote as Promise<QuoteOf<P>>
}

/**
 * Builds the query options of a quote, for prefetching on a server.
 *
 * @example
 * ```ts
 * await queryClient.prefetchQuery(quoteOptions(sluice, 1, { src, dst, amount: 10n ** 18n }))
 * ```
 */
export function quoteOptions<P extends QuoteParameters>(client: SluiceClient, chainId: number, parameters: P) {
  const request = withoutUndefined(parameters)
  return queryOptions<QuoteOf<P>, ClientError>({
    queryKey: ['sluice', 'quote', chainId, request],
    queryFn: ({ signal }) => requestQuote(client, chainId, request, signal),
    // SluiceClient already retries.
    retry: false,
  })
}

/**
 * Requests a quote once, or every `refetchInterval` milliseconds. To follow the chain, use `useQuoteStream`.
 *
 * @param parameters - undefined requests nothing, for example while an input is incomplete
 * @example
 * ```tsx
 * const { data: quote, error } = useQuote(1, { src, dst, amount: 10n ** 18n })
 * ```
 */
export function useQuote<P extends QuoteParameters>(
  chainId: number,
  parameters: P | undefined,
  { refetchInterval = false }: { readonly refetchInterval?: number | false } = {},
): UseQueryResult<QuoteOf<P>, ClientError> {
  const client = useSluice()
  return useQuery<QuoteOf<P>, ClientError>(
    parameters
      ? { ...quoteOptions(client, chainId, parameters), refetchInterval }
      : { queryKey: ['sluice', 'quote', chainId, null], queryFn: skipToken },
  )
}
