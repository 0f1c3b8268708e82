import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Leg, Route } from '@sluice/routing'
import type { ChainService } from '../chain/chain-service.ts'
import { NATIVE_TEXT, type SwapQuery } from '../requests.ts'
import type { SwapLeg, SwapNoRoute, SwapResponse } from '../responses.ts'
import { toPercent } from './amounts.ts'
import type { Quote } from './judge.ts'

/** The body of a found route. Addresses of the request are echoed as they were sent. */
export function swapResponse(query: SwapQuery, quote: Quote, chain: ChainService): SwapResponse {
  const { route, swap, block } = quote
  return {
    src: query.src.sent,
    dst: query.dst.sent,
    fromAmount: query.amount.toString(),
    toAmount: quote.amountOut.toString(),
    minToAmount: quote.minOutput.toString(),
    gasEstimate: quote.gasEstimate.toString(),
    simulationBlock: block.number,
    blockHash: block.hash,
    priceImpact: quote.priceImpactPpm === null ? null : toPercent(quote.priceImpactPpm),
    gasCost: {
      native: quote.gasCostWei.toString(),
      usd: quote.gasCostUsd,
      l1Fee: quote.l1FeeWei?.toString() ?? null,
    },
    netToAmount: quote.netAmountOut?.toString() ?? null,
    optimalityGap: route.optimalityGapBps,
    warnings: [...quote.warnings],
    swaps: route.legs.length > 0 ? legs(route, chain) : [wrapLeg(route, chain)],
    tx: { from: query.from.sent, to: chain.routerAddress, data: swap.data, value: swap.value.toString() },
  }
}

/** Version A's answer where there is no route. */
export function noRouteResponse(query: SwapQuery, block: number): SwapNoRoute {
  return {
    src: query.src.sent,
    dst: query.dst.sent,
    fromAmount: query.amount.toString(),
    toAmount: '0',
    gasEstimate: '0',
    simulationBlock: block,
    swaps: null,
  }
}

function legs(route: Route, { wrappedNative }: ChainService): SwapLeg[] {
  // Of NATIVE input, pools of the native token and of its wrapper take their shares alike.
  const taken = ({ tokenIn }: Leg) =>
    route.tokenIn === NATIVE && (tokenIn === ZERO_ADDRESS || tokenIn === wrappedNative) ? NATIVE : tokenIn
  const flow = new Map<string, bigint>()
  for (const leg of route.legs) flow.set(taken(leg), (flow.get(taken(leg)) ?? 0n) + leg.amountIn)
  return route.legs.map((leg) => ({
    pool: leg.pool.id,
    protocol: leg.pool.family,
    dex: leg.pool.dex,
    tokenIn: tokenText(leg.tokenIn),
    tokenOut: tokenText(leg.tokenOut),
    amountIn: leg.amountIn.toString(),
    amountOut: leg.amountOut.toString(),
    share: sharePercent(leg, flow.get(taken(leg))!),
    gas: Math.round(leg.gas).toString(),
  }))
}

/** 2 decimals. */
function sharePercent({ amountIn }: Leg, total: bigint): number {
  return total === 0n ? 0 : Number((amountIn * 10_000n + total / 2n) / total) / 100
}

function tokenText(token: string): string {
  return token === ZERO_ADDRESS || token === NATIVE ? NATIVE_TEXT : token
}

function wrapLeg({ tokenIn, tokenOut, amountIn, amountOut, gas }: Route, chain: ChainService): SwapLeg {
  return {
    pool: chain.wrappedNative ?? '',
    protocol: 'wrapped-native',
    dex: chain.chain.wrappedNative?.symbol ?? '',
    tokenIn: tokenText(tokenIn),
    tokenOut: tokenText(tokenOut),
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    share: 100,
    gas: gas.toString(),
  }
}
