/** Loads prices and decimals of the two tokens of a swap from the service. */
import type { SwapContracts } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { sluice } from '../service/client.ts'
import { isNative, type PageToken, type TokenOf } from '../service/tokens.ts'
import type { TokenValue } from './terms.ts'

/** Delay until prices that a response left out (null) are requested again. */
const MISSING_PRICES_RETRY_MS = 2_000
/**
 * Maximum number of requests. The first responses leave out prices that the service is still loading. A price that is
 * missing in the last response counts as unknown.
 */
const MAX_REQUESTS = 4

type PriceRequest = {
  readonly chainId: number
  readonly tokenIn: string
  readonly tokenOut: string
  readonly contracts: SwapContracts | undefined
  /** Block of a mined transaction. Prices are as of the end of the block before it. */
  readonly block: number | undefined
}

type Values = { readonly input: TokenValue; readonly output: TokenValue; readonly isPending: boolean }

export function useTokenValues(
  { chainId, tokenIn, tokenOut, contracts, block }: PriceRequest,
  tokenOf: TokenOf,
): Values {
  // The service has no price for the native token, whose price is that of its wrapper.
  const pricedAddress = (token: string) =>
    (isNative(token) && contracts?.wrapper ? contracts.wrapper : token).toLowerCase()
  const tokens = [...new Set([pricedAddress(tokenIn), pricedAddress(tokenOut)])]
  const blockQuery = block === undefined ? {} : { block: block - 1 }
  const { data, isLoading } = useQuery({
    queryKey: ['prices of a swap', chainId, tokens, block],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data && Object.values(state.data).includes(null) && state.dataUpdateCount < MAX_REQUESTS
        ? MISSING_PRICES_RETRY_MS
        : false,
    queryFn: () => sluice.get<Record<string, number | null>>(`/prices/${chainId}`, { token: tokens, ...blockQuery }),
  })
  const usdOf = (token: string): number | undefined => {
    const usd = data?.[pricedAddress(token)]
    return typeof usd === 'number' && Number.isFinite(usd) ? usd : undefined
  }
  const decimalsOf = ({ tags, decimals }: PageToken) => (tags?.includes('unknown') ? undefined : decimals)
  const tokenValue = (token: string): TokenValue => ({ usd: usdOf(token), decimals: decimalsOf(tokenOf(token)) })
  return { input: tokenValue(tokenIn), output: tokenValue(tokenOut), isPending: isLoading }
}
