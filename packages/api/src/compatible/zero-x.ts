/** Converts between this API and the parts of 0x's `/swap/allowance-holder` that docs/compatible.md lists. */
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { address, gasPrice, smallInteger, text, uint } from '../parameters.ts'
import { read } from '../requests.ts'
import type { QuoteResponse, SwapResponse } from '../responses.ts'
import { type Dialect, isSet, type ResponseFacts } from './dialect.ts'

/** Basis points per percent. */
const BPS_PER_PERCENT = 100
const bpsToPercent = (bps: number) =>
  `${Math.floor(bps / BPS_PER_PERCENT)}.${String(bps % BPS_PER_PERCENT).padStart(2, '0')}`

const sharedFields = {
  sellToken: address('sellToken', { native: true }),
  buyToken: address('buyToken', { native: true }),
  sellAmount: uint('sellAmount'),
  slippageBps: smallInteger('slippageBps', 0, 9_999).prefault('100'),
  swapFeeBps: smallInteger('swapFeeBps', 0, 1_000).optional(),
  swapFeeRecipient: address('swapFeeRecipient').optional(),
  swapFeeToken: address('swapFeeToken', { native: true }).optional(),
  excludedSources: text('excludedSources').optional(),
  gasPrice: gasPrice(uint).optional(),
  recipient: address('recipient').optional(),
  sellEntireBalance: text('sellEntireBalance').optional(),
}
const priceQuery = z.object({ ...sharedFields, taker: address('taker', { isSender: true }).optional() })
const quoteQuery = z.object({ ...sharedFields, taker: address('taker', { isSender: true }) })

/** Creates the adapter. @param kind - `swap` for 0x's `/quote`, which returns a transaction; `quote` for `/price` */
export function zeroX(kind: 'swap' | 'quote'): Dialect {
  return {
    toParameters: (query) => {
      const { sellToken, buyToken, sellAmount, taker, ...filters } = read(
        kind === 'swap' ? quoteQuery : priceQuery,
        query,
      )
      if (filters.swapFeeToken && filters.swapFeeToken.address !== buyToken.address)
        throw new ApiError('INVALID_PARAMETER', 'swapFeeToken must be buyToken')
      if (isSet(filters.sellEntireBalance)) throw new ApiError('INVALID_PARAMETER', 'sellEntireBalance must be false')
      return {
        ...{ src: sellToken.input, dst: buyToken.input, amount: sellAmount.toString() },
        ...(taker && { from: taker.input }),
        ...(filters.recipient && { recipient: filters.recipient.input }),
        slippage: bpsToPercent(filters.slippageBps),
        ...(filters.swapFeeBps !== undefined && { convenienceFee: bpsToPercent(filters.swapFeeBps) }),
        ...(filters.swapFeeRecipient && { convenienceFeeRecipient: filters.swapFeeRecipient.input }),
        ...(filters.excludedSources && { excludeSources: toSourceNames(filters.excludedSources) }),
        ...(filters.gasPrice !== undefined && { gasPrice: String(filters.gasPrice) }),
        calls: '1',
      }
    },
    toBody: (route, facts) => bodyOf(route, facts, kind === 'swap'),
    toNoRouteBody: (requestId) => ({ liquidityAvailable: false, zid: requestId }),
    toErrorBody: ({ code, message }: ApiError, requestId) => ({ name: code, message, data: { zid: requestId } }),
  }
}

/** Converts source names of 0x and 1inch, with underscores, to names of this service, with hyphens. */
export function toSourceNames(sources: string): string {
  return sources.replaceAll('_', '-')
}

function bodyOf(route: SwapResponse | QuoteResponse, facts: ResponseFacts, withTransaction: boolean) {
  const { routerAddress: spender, requestId: zid, gasPriceWei, chainId } = facts
  const gasPrice = gasPriceWei.toString()
  const approvalCount = 'calls' in route ? route.calls!.length - 1 : 0
  return {
    liquidityAvailable: true,
    chainId,
    blockNumber: String(route.simulationBlock),
    sellToken: route.src,
    buyToken: route.dst,
    sellAmount: route.fromAmount,
    buyAmount: route.toAmount,
    minBuyAmount: route.minToAmount,
    allowanceTarget: spender,
    fees: { integratorFee: null, zeroExFee: null, gasFee: null },
    gas: route.gasEstimate,
    gasPrice,
    issues: {
      allowance: approvalCount > 0 ? { actual: '0', spender } : null,
      balance: null,
      simulationIncomplete: false,
      invalidSourcesPassed: [],
    },
    route: {
      fills: route.swaps.map(({ tokenIn, tokenOut, dex, share }) => ({
        from: tokenIn,
        to: tokenOut,
        source: dex,
        proportionBps: String(Math.round(share * BPS_PER_PERCENT)),
      })),
    },
    totalNetworkFee: route.gasCost.native,
    ...(withTransaction &&
      'tx' in route && {
        transaction: {
          to: route.tx.to,
          data: route.tx.data,
          value: route.tx.value,
          gas: withGasBuffer(route.gasEstimate),
          gasPrice,
        },
      }),
    zid,
  }
}

/** Returns the recommended gas limit: 20 % above the estimate. */
export function withGasBuffer(gasEstimate: string): string {
  return ((BigInt(gasEstimate) * 12n) / 10n).toString()
}
