/** A single quote. */
import type { ClientError, Quote, QuoteParameters, Route, RouteParameters, SluiceClient } from '@sluice/client'
import { queryOptions, skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useSluice } from './context.ts'
import { plain } from './parameters.ts'

/** With `from` a quote carries a transaction. */
export type QuoteOf<P extends QuoteParameters> = P extends { readonly from: string } ? Route : Quote

/** Requests one quote: with its transaction when the parameters name a sender. */
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
 * Builds the query of a quote, for prefetching on a server.
 *
 * @example
 * ```ts
 * await queryClient.prefetchQuery(quoteOptions(sluice, 1, { src, dst, amount: 10n ** 18n }))
 * ```
 */
export function quoteOptions<P extends QuoteParameters>(client: SluiceClient, chainId: number, parameters: P) {
  const request = plain(parameters)
  return queryOptions<QuoteOf<P>, ClientError>({
    queryKey: ['sluice', 'quote', chainId, request],
    queryFn: ({ signal }) => requestQuote(client, chainId, request, signal),
    // The client itself retries.
    retry: false,
  })
}

/**
 * Quotes once, and again every `refetchInterval` milliseconds when that is given. `useQuoteStream` follows the chain instead.
 *
 * @param parameters - undefined while something is missing: nothing is requested then
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
