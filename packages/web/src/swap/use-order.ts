/** Hook that reads the order from the URL: tokens, amount, and terms, with defaults for missing parameters. */
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { parseAmount } from '../format/amount.ts'
import { type PageChain, useStatus } from '../service/chains.ts'
import { sluice } from '../service/client.ts'
import { isNative, type PageToken, useTokenNames, useTokens } from '../service/tokens.ts'
import { useChain, useServiceInfo } from '../ui/service-info.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { defaultPairOf, type SwapParams, useSwapParams } from './params.ts'
import { type OrderTerms, termParametersOf, useTerms } from './terms.ts'
import { type AmountEntry, useAmount } from './use-amount.ts'
import { isSameToken, type OrderRequest } from './use-quote.ts'

/** Default amount in whole tokens. On the local test chain, an amount of 1 would get a route with only one pool. */
const DEFAULT_AMOUNT = { local: '500', other: '1' } as const

type UsdByToken = Readonly<Record<string, number | null>>

export type OrderState = {
  readonly chain: PageChain
  /** Undefined while the token list is loading. */
  readonly src: PageToken | undefined
  readonly dst: PageToken | undefined
  /** True if input and output are the same token. */
  readonly hasSameToken: boolean
  /** Side whose amount the user types. The amount of the other side is quoted. */
  readonly exactSide: 'in' | 'out'
  /** State of the amount field. */
  readonly entry: AmountEntry
  /** The amount in the URL, in whole tokens. */
  readonly amountText: string
  /** Returns USD per whole token; null if there is no price, undefined while loading. */
  readonly priceOf: (token: PageToken | undefined) => number | null | undefined
  /** Quote request; undefined if a parameter is missing or invalid. */
  readonly request: OrderRequest | undefined
  /** Number of known pools of the chain. */
  readonly poolCount: number | undefined
  /** Maximum price impact, in percent; undefined for the service's default. */
  readonly maxImpact: string | undefined
  readonly terms: OrderTerms
  /** Error of the token list; null if both tokens are known, or while loading. */
  readonly tokenListError: unknown
  /** Requests the tokens again after an error. */
  readonly retry: () => void
  /** Symbol of the native token, or the words `of the native token` if the symbol is unknown. */
  readonly nativeSymbol: string
  /** Changes parameters in the URL. Also writes the current tokens and amount into it, which may be defaults. */
  readonly change: (
    changes: { readonly [Name in keyof SwapParams]?: SwapParams[Name] | undefined },
    replace?: boolean,
  ) => void
}

export function useOrder(): OrderState {
  const [params, navigate] = useSwapParams()
  const { local } = useServiceInfo()
  const chain = useChain(params.chain)
  const wallet = useWallet()
  const { data: tokens, error: tokenListError, refetch } = useTokens(chain.id)
  const { data: status } = useStatus(chain.id)
  const defaultPair = tokens && defaultPairOf(tokens)
  const tokenAddresses = { src: params.src ?? defaultPair?.src.address, dst: params.dst ?? defaultPair?.dst.address }
  const tokenNames = useTokenNames(
    chain.id,
    Object.values(tokenAddresses).filter((address) => address !== undefined),
  )
  const tokenOf = (address: string | undefined) =>
    address && tokenNames.isReady ? tokenNames.tokenOf(address) : undefined
  const src = tokenOf(tokenAddresses.src)
  const dst = tokenOf(tokenAddresses.dst)
  const amountText =
    params.amount ?? (params.src ? '' : DEFAULT_AMOUNT[chain.id === local?.chainId ? 'local' : 'other'])
  const exactSide = params.exact ?? 'in'
  const exactToken = exactSide === 'in' ? src : dst
  const hasSameToken = isSameToken(tokenAddresses.src, tokenAddresses.dst)
  const prices = usePrices(chain.id, src, dst)
  const priceOf = (token: PageToken | undefined) => token && prices?.[token.address]
  const change: OrderState['change'] = (changes, replace) => {
    const currentOrder = {
      chain: chain.id,
      amount: amountText,
      ...(tokenAddresses.src && { src: tokenAddresses.src }),
      ...(tokenAddresses.dst && { dst: tokenAddresses.dst }),
    }
    navigate({ ...currentOrder, ...changes }, replace)
  }
  const writeAmountToUrl = (amount: string) => change({ amount }, true)
  const entry = useAmount({
    urlAmount: amountText,
    token: exactToken,
    price: priceOf(exactToken),
    writeToUrl: writeAmountToUrl,
  })
  const from = wallet?.chainId === chain.id ? wallet.address : undefined
  const terms = useTerms(params, from, change)
  // The request uses the amount in the URL, but only while the typed text is a valid amount.
  const urlAmount = exactToken && parseAmount(amountText, exactToken.decimals)
  const isReady = src && dst && !hasSameToken && terms.problems.length === 0
  const amount =
    entry.typedAmount?.kind === 'amount' && urlAmount?.kind === 'amount' ? String(urlAmount.base) : undefined
  const request = useStableRequest(
    isReady && amount !== undefined
      ? {
          ...{ chainId: chain.id, src: src.address, dst: dst.address, from },
          ...(exactSide === 'in' ? { amount } : { amountOut: amount }),
          ...termParametersOf(terms.values),
        }
      : undefined,
  )
  return {
    ...{
      chain,
      src,
      dst,
      hasSameToken,
      exactSide,
      amountText,
      entry,
      priceOf,
      terms,
      change,
      poolCount: status?.pools,
    },
    maxImpact: terms.values.impact,
    tokenListError: src && dst ? null : (tokenListError ?? tokenNames.error),
    retry: () => void (tokenListError ? refetch() : tokenNames.refetch()),
    request,
    nativeSymbol: tokens?.find(({ address }) => isNative(address))?.symbol ?? 'of the native token',
  }
}

/**
 * Returns the previous object if its content is unchanged, so that components that depend on it do not render again.
 */
function useStableRequest(request: OrderRequest | undefined): OrderRequest | undefined {
  const latest = useRef(request)
  if (JSON.stringify(latest.current) !== JSON.stringify(request)) latest.current = request
  return latest.current
}

const PRICES_POLL_MS = 30_000

/** Loads the USD prices of both tokens. Returns an empty object if the request failed, and undefined while loading. */
function usePrices(chainId: number, src: PageToken | undefined, dst: PageToken | undefined): UsdByToken | undefined {
  const { data, isError } = useQuery({
    queryKey: ['prices', chainId, src?.address, dst?.address],
    enabled: src !== undefined && dst !== undefined,
    queryFn: () => sluice.prices(chainId, [src!.address, dst!.address]),
    refetchInterval: PRICES_POLL_MS,
    retry: false,
  })
  return data ?? (isError ? {} : undefined)
}
