import type { Address } from '@sluice/chains'
import type { TrustLevel } from '@sluice/liquidity'
import type { SourceFilter } from '@sluice/routing'
import type { Permit } from '../permit/permit.ts'

/** 0.5 %. */
const SLIPPAGE_PPM = 5_000n

/** A swap that is asked for: the most for an input, or the least input for an output. Parts per million are named Ppm. */
export type QuoteRequest = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint | undefined
  /** Least that the transaction pays at worst, in the place of `amountIn`: what the caller has after slippage, fee and taxes. */
  readonly amountOut: bigint | undefined
  readonly from: Address
  /** Account that receives the output; undefined for `from`. */
  readonly recipient: Address | undefined
  /** `auto`: by what the route's pools have been seen to move. */
  readonly slippagePpm: bigint | 'auto'
  readonly feePpm: bigint
  readonly feeRecipient: Address | undefined
  readonly minimumBlock: number | undefined
  /** Unix seconds. */
  readonly deadline: number | undefined
  readonly gasPriceWei: bigint | undefined
  readonly maxHops: number | undefined
  readonly maxSplits: number | undefined
  readonly excludePools: ReadonlySet<string>
  readonly sources: SourceFilter
  /** Trust that tokens and pools between the route's ends must have. */
  readonly intermediates: TrustLevel | 'any'
  readonly maxPriceImpactPpm: bigint
  /** True where the approvals that the sender lacks come along. */
  readonly withCalls: boolean
  /** True where a certificate of the bound on what any route pays comes along; of exact inputs only. */
  readonly withProof: boolean
  /** The sender's signature in the place of an approval. */
  readonly permit: Permit | undefined
}

/** A request whose slippage is known. */
export type DecidedRequest = QuoteRequest & { readonly slippagePpm: bigint }

/** @param auto - where the request leaves it to the route, which is not known yet or does */
export function decided(request: QuoteRequest, auto = SLIPPAGE_PPM): DecidedRequest {
  const { slippagePpm } = request
  return { ...request, slippagePpm: slippagePpm === 'auto' ? auto : slippagePpm }
}

/** The least that a quote needs to know; all else as the endpoint has it by default. */
export type QuoteWish = Pick<QuoteRequest, 'tokenIn' | 'tokenOut' | 'from'> & Partial<QuoteRequest>

/** 15 %. */
const MAX_PRICE_IMPACT_PPM = 150_000n

export function quoteRequest(wish: QuoteWish): QuoteRequest {
  return {
    amountIn: undefined,
    amountOut: undefined,
    recipient: undefined,
    slippagePpm: SLIPPAGE_PPM,
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
    maxPriceImpactPpm: MAX_PRICE_IMPACT_PPM,
    withCalls: false,
    withProof: false,
    permit: undefined,
    ...wish,
  }
}

/** The same for requests that get the same answer at the same block. */
export function keyOf(request: QuoteRequest): string {
  const { excludePools, sources, permit } = request
  let key = ''
  // Every quote needs one: without a list of the fields.
  for (const name in request) if (!APART.has(name)) key += `${name}=${request[name as keyof QuoteRequest]}\n`
  for (const set of [excludePools, sources.include, sources.exclude]) key += set?.size ? `${[...set].join()}\n` : '\n'
  return permit ? key + Object.values(permit).join() : key
}

/** Fields that say nothing of the answer, or are no plain values. */
const APART: ReadonlySet<string> = new Set<keyof QuoteRequest>(['minimumBlock', 'excludePools', 'sources', 'permit'])
