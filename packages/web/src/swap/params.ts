/** URL parameters of the Swap page. A link contains everything that a quote depends on. */
import { NATIVE } from '@sluice/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isAddress } from '../format/hex.ts'
import { sanitizeText } from '../format/sanitize-text.ts'
import type { PageToken } from '../service/tokens.ts'

export type SwapParams = {
  readonly chain?: number
  readonly src?: string
  readonly dst?: string
  /** Decimal text in whole tokens of `src`, or of `dst` if `exact` is `out`. */
  readonly amount?: string
  readonly exact?: 'out'
  /** Percent. By default the service chooses the slippage. */
  readonly slippage?: string
  /** Maximum price impact, in percent. */
  readonly impact?: string
  /** Account that receives the output instead of the wallet. */
  readonly recipient?: string
  /** Fee of a referring app, in percent of the output. */
  readonly fee?: string
  /** Account that receives the fee. */
  readonly feeTo?: string
}

const addressOrUndefined = (value: unknown) => (isAddress(value) ? value : undefined)
const decimalOrUndefined = (value: unknown) =>
  /^\d{1,40}(\.\d{0,40})?$/.test(String(value)) ? String(value) : undefined
/** Maximum length of a term, such as the slippage or the recipient. The longest valid term is an address. */
const MAX_TERM_LENGTH = 60
/** Returns a term in the URL as text. Keeps invalid terms, for which the page shows an error. */
const cleanTerm = (value: unknown) => {
  if (value === undefined || value === null || value === '') return undefined
  return sanitizeText(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MAX_TERM_LENGTH)
}

/** Parses the URL parameters. Drops invalid tokens and amounts, so that the page uses its defaults. */
export function readSwapParams(search: Readonly<Record<string, unknown>>): SwapParams {
  const params = {
    chain: parseChainId(search.chain),
    src: addressOrUndefined(search.src),
    dst: addressOrUndefined(search.dst),
    amount: decimalOrUndefined(search.amount),
    exact: search.exact === 'out' ? ('out' as const) : undefined,
    slippage: cleanTerm(search.slippage),
    impact: cleanTerm(search.impact),
    recipient: cleanTerm(search.recipient),
    fee: cleanTerm(search.fee),
    feeTo: cleanTerm(search.feeTo),
  }
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}

export function parseChainId(value: unknown): number | undefined {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

export function useSwapParams() {
  const params = useSearch({ strict: false }) as SwapParams
  const navigate = useNavigate()
  /** Changes parameters. Adds an entry to the browser's history, or replaces the current one, such as during typing. */
  const change = (changes: { readonly [Name in keyof SwapParams]?: SwapParams[Name] | undefined }, replace = false) =>
    navigate({ to: '/', search: (before: SwapParams) => readSwapParams({ ...before, ...changes }), replace })
  return [params, change] as const
}

/** Returns the default pair: the wrapped native token and a dollar stablecoin, or else other listed tokens. */
export function defaultPairOf(
  tokens: readonly PageToken[],
): { readonly src: PageToken; readonly dst: PageToken } | undefined {
  const listedTokens = tokens.filter(
    ({ address, tags }) => address.toLowerCase() !== NATIVE.toLowerCase() && !tags?.includes('copy'),
  )
  const findBySymbol = (pattern: RegExp) => listedTokens.find(({ symbol }) => pattern.test(symbol))
  const src = findBySymbol(/^W(ETH|BNB|POL|AVAX|MNT|S|HYPE)$/) ?? listedTokens[0]
  const dst =
    findBySymbol(/^DAI$/) ?? findBySymbol(/^USDC/) ?? findBySymbol(/USD/) ?? listedTokens.find((token) => token !== src)
  return src && dst && src !== dst ? { src, dst } : undefined
}
