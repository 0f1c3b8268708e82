/** Converts quotes to the response bodies of `/aggregator` and `/quote`. */
import { type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { families, WRAPPER_FAMILY } from '@sluice/liquidity'
import { type SwapQuote, toPercent } from '@sluice/quoting'
import type { Leg, RoutePlan } from '@sluice/routing'
import { NATIVE_TEXT } from '../requests.ts'
import type { LegResponse, QuoteResponse, SwapNoRoute, SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import type { QuoteQuery, SwapQuery } from './request.ts'

/** Parts of a served chain that responses need. */
export type ResponseChain = Pick<ServedChain, 'chain' | 'routerAddress'>

/** Returns the body of a route with its transaction. Repeats addresses as the request spells them. */
export function swapResponse(query: SwapQuery, quote: SwapQuote, chain: ResponseChain): SwapResponse {
  const { data, value } = quote.swap
  const tx = { from: query.from.input, to: chain.routerAddress, data, value: value.toString() }
  const calls = quote.calls?.map((call) => ({ ...call, value: call.value.toString() }))
  const { expiresAtBlock } = quote
  return { ...quoteResponse(query, quote, chain), expiresAtBlock, tx, ...(calls && { calls }) }
}

/** Returns the body of a route without a transaction. Repeats addresses as the request spells them. */
export function quoteResponse(query: QuoteQuery, quote: SwapQuote, { chain }: ResponseChain): QuoteResponse {
  const { route, block, slippage } = quote
  return {
    src: query.src.input,
    dst: query.dst.input,
    fromAmount: route.amountIn.toString(),
    toAmount: quote.amountOut.toString(),
    minToAmount: quote.minOutput.toString(),
    ...(slippage && { slippage: { percent: toPercent(slippage.ppm), reason: slippage.reason } }),
    gasEstimate: quote.gasEstimate.toString(),
    simulationBlock: block.number,
    blockHash: block.hash,
    ...(query.block === undefined && { expiresAtBlock: quote.expiresAtBlock }),
    quoteId: quote.id,
    priceImpact: quote.priceImpactPpm === null ? null : toPercent(quote.priceImpactPpm),
    gasCharged: quote.gasCharged.toString(),
    gasChargedAtDeadline: quote.gasChargedAtDeadline.toString(),
    gasCost: {
      native: quote.gasCostWei.toString(),
      usd: quote.gasCostUsd,
      l1Fee: quote.l1FeeWei?.toString() ?? null,
    },
    netToAmount: quote.netAmountOut?.toString() ?? null,
    optimalityGap: route.optimalityGapBps,
    optimalityGapNet: route.optimalityGapNetBps,
    ...(quote.poolsPending && { poolsPending: true }),
    ...(quote.proof !== undefined && { proof: quote.proof as QuoteResponse['proof'] }),
    warnings: [...quote.warnings, ...sourceWarnings(query, chain)],
    swaps: swapsOf(route, chain),
  }
}

const familyIds: ReadonlySet<string> = new Set(families.map(({ id }) => id.toLowerCase()))

/**
 * Returns a warning for each named source that is neither a DEX family nor a DEX of the chain: it is probably a typo.
 */
function sourceWarnings(query: QuoteQuery, { dexes }: Chain): string[] {
  const isKnown = (name: string) => familyIds.has(name) || dexes.some(({ brand }) => brand.toLowerCase() === name)
  return (['includeSources', 'excludeSources'] as const).flatMap((field) =>
    (query[field] ?? [])
      .filter((name) => !isKnown(name))
      .map((name) => `${field} names ${name}, which is neither a DEX family nor a DEX of this chain`),
  )
}

/** Returns the body of `/aggregator` if no route exists, in error version A (`ERROR_VERSION`). */
export function noRouteResponse(query: QuoteQuery, block: number): SwapNoRoute {
  return {
    src: query.src.input,
    dst: query.dst.input,
    fromAmount: (query.amount ?? 0n).toString(),
    toAmount: '0',
    gasEstimate: '0',
    simulationBlock: block,
    swaps: null,
  }
}

/** Converts the legs of a route. A route that only wraps or unwraps has one leg. */
export function swapsOf(route: RoutePlan, chain: Chain): LegResponse[] {
  return route.legs.length > 0 ? legResponses(route, chain) : [wrapLegResponse(route, chain)]
}

function legResponses(route: RoutePlan, chain: Chain): LegResponse[] {
  const wrappedNative = chain.wrappedNative?.address
  // A NATIVE input can be sold both in pools of the native token and in pools of the wrapped native token. Both count
  // as one token, so that the shares of all these legs add up to 100.
  const inputTokenOf = ({ tokenIn }: Leg) =>
    route.tokenIn === NATIVE && (tokenIn === ZERO_ADDRESS || tokenIn === wrappedNative) ? NATIVE : tokenIn
  const amountInByToken = new Map<string, bigint>()
  for (const leg of route.legs)
    amountInByToken.set(inputTokenOf(leg), (amountInByToken.get(inputTokenOf(leg)) ?? 0n) + leg.amountIn)
  return route.legs.map((leg) => ({
    pool: leg.pool.id,
    protocol: leg.pool.family,
    dex: leg.pool.dex,
    tokenIn: tokenText(leg.tokenIn),
    tokenOut: tokenText(leg.tokenOut),
    amountIn: leg.amountIn.toString(),
    amountOut: leg.amountOut.toString(),
    share: sharePercent(leg, amountInByToken.get(inputTokenOf(leg))!),
    gas: Math.round(leg.gas).toString(),
  }))
}

/** Returns a leg's share of its input token in percent with 2 decimals. */
function sharePercent({ amountIn }: Leg, total: bigint): number {
  return total === 0n ? 0 : Number((amountIn * 10_000n + total / 2n) / total) / 100
}

function tokenText(token: string): string {
  return token === ZERO_ADDRESS || token === NATIVE ? NATIVE_TEXT : token
}

function wrapLegResponse({ tokenIn, tokenOut, amountIn, amountOut, gas }: RoutePlan, chain: Chain): LegResponse {
  return {
    pool: chain.wrappedNative?.address ?? '',
    protocol: WRAPPER_FAMILY,
    dex: chain.wrappedNative?.symbol ?? '',
    tokenIn: tokenText(tokenIn),
    tokenOut: tokenText(tokenOut),
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    share: 100,
    gas: gas.toString(),
  }
}
