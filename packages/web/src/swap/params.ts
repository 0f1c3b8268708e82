/** Parameters in the address of the Swap page: everything that a quote depends on, so that a link carries it. */
import { NATIVE } from '@sluice/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { legible } from '../format/legible.ts'
import type { Token } from '../service/tokens.ts'

export type SwapParams = {
  readonly chain?: number
  readonly src?: string
  readonly dst?: string
  /** Decimal text in whole tokens, of `src`, or of `dst` where `exact` is `out`. */
  readonly amount?: string
  readonly exact?: 'out'
  /** Percent; without it the page chooses. */
  readonly slippage?: string
  /** Most percent of price impact. */
  readonly impact?: string
  /** Account that receives the output in place of the wallet. */
  readonly recipient?: string
  /** Percent of the output for the app that sends people here, and the account that receives it. */
  readonly fee?: string
  readonly feeTo?: string
}

const address = (value: unknown) => (/^0x[0-9a-fA-F]{40}$/.test(String(value)) ? String(value) : undefined)
const number = (value: unknown) => (/^\d{1,40}(\.\d{0,40})?$/.test(String(value)) ? String(value) : undefined)
/** Longest text of a term: an address and more. */
const MAX_TERM = 60
/** A term as it stands in the link: one that cannot be used is named on the ticket, and never left out in silence. */
const term = (value: unknown) => {
  if (value === undefined || value === null || value === '') return undefined
  return legible(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MAX_TERM)
}

/** Reads the address. Tokens and amounts that cannot be read are left out: the page then opens on its own choice. */
export function readSwapParams(search: Readonly<Record<string, unknown>>): SwapParams {
  const read = {
    chain: chainOf(search.chain),
    src: address(search.src),
    dst: address(search.dst),
    amount: number(search.amount),
    exact: search.exact === 'out' ? ('out' as const) : undefined,
    slippage: term(search.slippage),
    impact: term(search.impact),
    recipient: term(search.recipient),
    fee: term(search.fee),
    feeTo: term(search.feeTo),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

export function chainOf(value: unknown): number | undefined {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

export function useSwapParams() {
  const params = useSearch({ strict: false }) as SwapParams
  const navigate = useNavigate()
  /** A change of tokens can be taken back by the browser; typing cannot, letter by letter. */
  const change = (more: { readonly [Name in keyof SwapParams]?: SwapParams[Name] | undefined }, replace = false) =>
    navigate({ to: '/', search: (before: SwapParams) => readSwapParams({ ...before, ...more }), replace })
  return [params, change] as const
}

/** Pair that is there before anybody chose: the chain's wrapped native token into a dollar that differs from it. */
export function firstPair(tokens: readonly Token[]): { readonly src: Token; readonly dst: Token } | undefined {
  const listed = tokens.filter(
    ({ address, tags }) => address.toLowerCase() !== NATIVE.toLowerCase() && !tags?.includes('copy'),
  )
  const bySymbol = (pattern: RegExp) => listed.find(({ symbol }) => pattern.test(symbol))
  const src = bySymbol(/^W(ETH|BNB|POL|AVAX|MNT|S|HYPE)$/) ?? listed[0]
  const dst = bySymbol(/^DAI$/) ?? bySymbol(/^USDC/) ?? bySymbol(/USD/) ?? listed.find((token) => token !== src)
  return src && dst && src !== dst ? { src, dst } : undefined
}
