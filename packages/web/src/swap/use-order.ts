/** Order in the address of the page: tokens, amount and terms, with the page's own choice where it says nothing. */
import { useQuery } from '@tanstack/react-query'
import { parseAmount } from '../format/amount.ts'
import { type Chain, useStatus } from '../service/chains.ts'
import { sluice } from '../service/client.ts'
import { isNative, type Token, useNamed, useTokens } from '../service/tokens.ts'
import { useChain, useSetting } from '../ui/setting.ts'
import { useWallet } from '../wallet/use-wallet.ts'
import { firstPair, type SwapParams, useSwapParams } from './params.ts'
import { requestOf, type Terms, useTerms } from './terms.ts'
import { type AmountEntry, useAmount } from './use-amount.ts'
import { type Asked, sameToken } from './use-quote.ts'

/** Whole tokens that the page opens with: a route worth drawing on the local chain, something usual elsewhere. */
const FIRST_AMOUNT = { local: '500', other: '1' } as const

type Prices = Readonly<Record<string, number | null>>

export type Order = {
  readonly chain: Chain
  /** Undefined until their names are known. */
  readonly src: Token | undefined
  readonly dst: Token | undefined
  /** True where both ends are one token. */
  readonly same: boolean
  /** Which end has the amount that was typed. */
  readonly exact: 'in' | 'out'
  /** Amount of that end, as typed. */
  readonly entry: AmountEntry
  /** The same in the link, in whole tokens. */
  readonly text: string
  readonly priceOf: (token: Token | undefined) => number | null | undefined
  /** Undefined while something is missing, or wrong. */
  readonly asked: Asked | undefined
  readonly pools: number | undefined
  /** Highest price impact, in percent; undefined for the service's own. */
  readonly limit: string | undefined
  readonly terms: Terms
  /** Why there are no tokens to choose from, and how to look for them again. */
  readonly broken: unknown
  readonly again: () => void
  /** Symbol of the native token. */
  readonly native: string
  /** Changes the address; what the page chose by itself is written down with it. */
  readonly change: (
    more: { readonly [Name in keyof SwapParams]?: SwapParams[Name] | undefined },
    replace?: boolean,
  ) => void
}

export function useOrder(): Order {
  const [params, navigate] = useSwapParams()
  const { local } = useSetting()
  const chain = useChain(params.chain)
  const wallet = useWallet()
  const { data: tokens, error: broken, refetch } = useTokens(chain.id)
  const { data: status } = useStatus(chain.id)
  const first = tokens && firstPair(tokens)
  const ends = { src: params.src ?? first?.src.address, dst: params.dst ?? first?.dst.address }
  const names = useNamed(
    chain.id,
    Object.values(ends).filter((address) => address !== undefined),
  )
  const tokenOf = (address: string | undefined) => (address && names.ready ? names.of(address) : undefined)
  const src = tokenOf(ends.src)
  const dst = tokenOf(ends.dst)
  const text = params.amount ?? (params.src ? '' : FIRST_AMOUNT[chain.id === local?.chainId ? 'local' : 'other'])
  const exact = params.exact ?? 'in'
  const named = exact === 'in' ? src : dst
  const same = sameToken(ends.src, ends.dst)
  const prices = usePrices(chain.id, src, dst)
  const priceOf = (token: Token | undefined) => token && prices?.[token.address]
  const change: Order['change'] = (more, replace) => {
    const chosen = {
      chain: chain.id,
      amount: text,
      ...(ends.src && { src: ends.src }),
      ...(ends.dst && { dst: ends.dst }),
    }
    navigate({ ...chosen, ...more }, replace)
  }
  const settle = (amount: string) => change({ amount }, true)
  const entry = useAmount({ value: text, token: named, price: priceOf(named), settle })
  const from = wallet?.chainId === chain.id ? wallet.address : undefined
  const terms = useTerms(params, from, change)
  // The link is asked about, while what is typed is an amount at all.
  const linked = named && parseAmount(text, named.decimals)
  const isReady = src && dst && !same && terms.problems.length === 0
  const amount = entry.typed?.kind === 'amount' && linked?.kind === 'amount' ? String(linked.base) : undefined
  return {
    ...{ chain, src, dst, same, exact, text, entry, priceOf, terms, change, pools: status?.pools },
    limit: terms.values.impact,
    broken: src && dst ? null : broken,
    again: () => void refetch(),
    asked:
      isReady && amount !== undefined
        ? {
            ...{ chainId: chain.id, src: src.address, dst: dst.address, from },
            ...(exact === 'in' ? { amount } : { amountOut: amount }),
            ...requestOf(terms.values),
          }
        : undefined,
    native: tokens?.find(({ address }) => isNative(address))?.symbol ?? 'of the native token',
  }
}

const PRICES_EVERY_MS = 30_000

/** USD of both ends by the address that was asked; empty where the service has none at hand, undefined until it has said so. */
function usePrices(chainId: number, src: Token | undefined, dst: Token | undefined): Prices | undefined {
  const { data, isError } = useQuery({
    queryKey: ['prices', chainId, src?.address, dst?.address],
    enabled: src !== undefined && dst !== undefined,
    queryFn: () => sluice.prices(chainId, [src!.address, dst!.address]),
    refetchInterval: PRICES_EVERY_MS,
    retry: false,
  })
  return data ?? (isError ? {} : undefined)
}
