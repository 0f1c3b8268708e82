/** Rows of the Prices page: a token with its price and depth. */
import { isNative, type PageToken } from '../service/tokens.ts'
import type { Depth } from './curve.ts'

export type NoPriceReason = 'unknown' | 'no-decimals' | 'below-floor' | 'no-anchor' | 'unsellable' | 'pending'

type PriceSource = {
  readonly pool: string
  readonly protocol: string
  readonly usd: number
  /** Share of this source in the price, 0 to 1. */
  readonly weight: number
}

/** A price in the response of `/prices` with `detail=1`. */
export type PriceEvidence = {
  readonly usd: number | null
  /** 0 to 1. */
  readonly confidence: number
  readonly sources: readonly PriceSource[]
  /** Reason for a missing price. */
  readonly reason: NoPriceReason | null
}

export type PriceRow = PageToken & { readonly evidence: PriceEvidence | null; readonly depth: Depth | null }

/** Prices and depths from the service, by token address. */
type PriceResponses = {
  readonly prices: Readonly<Record<string, PriceEvidence>>
  readonly depths: Readonly<Record<string, Depth | null>>
}

/** Maximum tokens per request. */
const MAX_TOKENS_PER_REQUEST = 100

/**
 * Returns the tokens that the page shows. Omits copies, and the native token, because its wrapper has the same price.
 */
export function tokensWithRows(tokens: readonly PageToken[]): readonly PageToken[] {
  return tokens
    .filter(({ address, tags }) => !isNative(address) && !tags?.includes('copy'))
    .slice(0, MAX_TOKENS_PER_REQUEST)
}

/**
 * Returns the rows of tokens, deepest first; undefined while the prices are loading. An empty list of tokens needs no
 * prices.
 */
export function priceRowsOf(
  tokens: readonly PageToken[],
  responses: PriceResponses | undefined,
): readonly PriceRow[] | undefined {
  if (tokens.length === 0) return []
  return (
    responses &&
    tokens
      .map(
        (token): PriceRow => ({
          ...token,
          evidence: responses.prices[token.address] ?? null,
          depth: responses.depths[token.address] ?? null,
        }),
      )
      .sort((a, b) => (b.depth?.['2'] ?? -1) - (a.depth?.['2'] ?? -1))
  )
}

/** Adds a unique key to each source. The pool alone is not unique: a pool of three tokens can be two sources. */
export function sourcesWithKeys(sources: readonly PriceSource[]): readonly (PriceSource & { readonly key: string })[] {
  return sources.map((source, k) => ({ ...source, key: `${k} ${source.pool}` }))
}
