/** The request of a quote, its defaults, and its cache key. */
import type { Address } from '@sluice/chains'
import type { TrustLevel } from '@sluice/liquidity'
import type { SourceFilter } from '@sluice/routing'
import type { Permit } from '../permit/permit.ts'

/** Default slippage: 0.5 %. */
const DEFAULT_SLIPPAGE_PPM = 5_000n

/**
 * A requested swap: maximize the output of an exact input, or minimize the input of an exact output. Names in `Ppm` are
 * in parts per million.
 */
export type QuoteRequest = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Exact input in base units. */
  readonly amountIn: bigint | undefined
  /**
   * Exact output in base units, alternative to `amountIn`: the minimum that the sender receives after slippage, fee,
   * and taxes.
   */
  readonly amountOut: bigint | undefined
  readonly from: Address
  /** Account that receives the output; undefined for `from`. */
  readonly recipient: Address | undefined
  /** `auto` derives the slippage from how much the route's pools have moved. */
  readonly slippagePpm: bigint | 'auto'
  /** Share of the output that `feeRecipient` receives. */
  readonly feePpm: bigint
  readonly feeRecipient: Address | undefined
  /** Minimum number of the block at which the request is quoted. */
  readonly minimumBlock: number | undefined
  /** Unix time in seconds until which the transaction is valid. */
  readonly deadline: number | undefined
  /** Gas price with which routes are ranked; undefined for the chain's current price. */
  readonly gasPriceWei: bigint | undefined
  /** Maximum pools in series. */
  readonly maxHops: number | undefined
  /** Maximum pools of the route. */
  readonly maxSplits: number | undefined
  /** Ids of pools that the route must not use. */
  readonly excludePools: ReadonlySet<string>
  /** DEXes and families (kinds of pools) that the route may use, or must not use. */
  readonly sources: SourceFilter
  /** Minimum trust in the route's intermediate tokens and pools. `any` allows all. */
  readonly intermediates: TrustLevel | 'any'
  readonly maxPriceImpactPpm: bigint
  /** True to return the sender's missing approvals together with the swap. */
  readonly withCalls: boolean
  /** True to return a certificate of an upper bound on the output of all routes; exact inputs only. */
  readonly withProof: boolean
  /** The sender's signed permit, alternative to an approval. */
  readonly permit: Permit | undefined
}

/** A request whose slippage is a number. */
export type ResolvedRequest = QuoteRequest & { readonly slippagePpm: bigint }

/**
 * Replaces slippage `auto` by a number.
 *
 * @param autoPpm - slippage in ppm for `auto`; until a route is known, the default slippage
 */
export function resolveSlippage(request: QuoteRequest, autoPpm = DEFAULT_SLIPPAGE_PPM): ResolvedRequest {
  const { slippagePpm } = request
  return { ...request, slippagePpm: slippagePpm === 'auto' ? autoPpm : slippagePpm }
}

/** Fields from which `quoteRequest` builds a request. The other fields have the defaults of the HTTP endpoint. */
export type QuoteRequestFields = Pick<QuoteRequest, 'tokenIn' | 'tokenOut' | 'from'> & Partial<QuoteRequest>

/** Default limit of the price impact: 15 %. */
const DEFAULT_MAX_PRICE_IMPACT_PPM = 150_000n

/** Fills in the defaults of a request. */
export function quoteRequest(fields: QuoteRequestFields): QuoteRequest {
  return {
    amountIn: undefined,
    amountOut: undefined,
    recipient: undefined,
    slippagePpm: DEFAULT_SLIPPAGE_PPM,
    feePpm: 0n,
    feeRecipient: undefined,
    minimumBlock: undefined,
    deadline: undefined,
    gasPriceWei: undefined,
    maxHops: undefined,
    maxSplits: undefined,
    excludePools: new Set(),
    sources: {},
    intermediates: 'earned',
    maxPriceImpactPpm: DEFAULT_MAX_PRICE_IMPACT_PPM,
    withCalls: false,
    withProof: false,
    permit: undefined,
    ...fields,
  }
}

/** Returns a cache key that is equal for requests with the same result at the same block. */
export function cacheKeyOf(request: QuoteRequest): string {
  const { excludePools, sources, permit } = request
  let key = ''
  // Loops over the fields instead of listing them, because this runs for every quote.
  for (const name in request) if (!SKIPPED_FIELDS.has(name)) key += `${name}=${request[name as keyof QuoteRequest]}\n`
  for (const set of [excludePools, sources.include, sources.exclude]) key += set?.size ? `${[...set].join()}\n` : '\n'
  return permit ? key + Object.values(permit).join() : key
}

/** Fields that the loop skips: they do not affect the result, or are not primitive and are added separately. */
const SKIPPED_FIELDS: ReadonlySet<string> = new Set<keyof QuoteRequest>([
  'minimumBlock',
  'excludePools',
  'sources',
  'permit',
])
