/** Adapter for the parts of 1inch's `/swap/v6.0` API that docs/compatible.md lists. */
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { address, gasPrice, percent, text, uint } from '../parameters.ts'
import { read } from '../requests.ts'
import { type Dialect, isSet } from './dialect.ts'
import { toSourceNames, withGasBuffer } from './zero-x.ts'

const sharedFields = {
  src: address('src', { native: true }),
  dst: address('dst', { native: true }),
  amount: uint('amount'),
  fee: text('fee').optional(),
  excludedProtocols: text('excludedProtocols').optional(),
  gasPrice: gasPrice(uint).optional(),
}
const quoteQuery = z.object(sharedFields)
const swapQuery = z.object({
  ...sharedFields,
  from: address('from', { isSender: true }),
  slippage: percent('slippage'),
  referrer: address('referrer').optional(),
  receiver: address('receiver').optional(),
  destReceiver: text('destReceiver').optional(),
  permit: text('permit').optional(),
  usePermit2: text('usePermit2').optional(),
  minReturn: text('minReturn').optional(),
})

/** Creates the adapter. @param kind - the endpoint: `/swap` or `/quote` */
export function oneInch(kind: 'swap' | 'quote'): Dialect {
  return {
    toParameters: (query) => {
      const { src, dst, amount, fee, excludedProtocols, gasPrice } = read(quoteQuery, query)
      if (kind === 'swap') refuseUnsupported(read(swapQuery, query))
      const { from, slippage, referrer, receiver } = query
      return {
        ...{ src: src.input, dst: dst.input, amount: amount.toString() },
        ...(kind === 'swap' && { from, slippage, ...(receiver !== undefined && { recipient: receiver }) }),
        // The amount of a quote must be net of the fee, although only a swap pays it. So a quote needs no real fee
        // recipient.
        ...(fee && { convenienceFee: fee, convenienceFeeRecipient: referrer ?? UNOWNED_ADDRESS }),
        ...(excludedProtocols && { excludeSources: toSourceNames(excludedProtocols) }),
        ...(gasPrice !== undefined && { gasPrice: String(gasPrice) }),
      }
    },
    toBody: (route, { gasPriceWei }, { includeGas }) => ({
      dstAmount: route.toAmount,
      ...(kind === 'quote' && isSet(includeGas) && { gas: Number(route.gasEstimate) }),
      ...('tx' in route && {
        tx: { ...route.tx, gas: Number(withGasBuffer(route.gasEstimate)), gasPrice: gasPriceWei.toString() },
      }),
    }),
    toNoRouteBody: undefined,
    toErrorBody: ({ status, message }, requestId) => ({
      error: STATUS_CODES[status],
      description: message,
      statusCode: status,
      requestId,
      meta: [],
    }),
  }
}

/** Fee recipient in quotes without `referrer`: an address whose private key nobody knows. */
const UNOWNED_ADDRESS = '0x000000000000000000000000000000000000dead'

/**
 * Refuses parameters that this service cannot honor. A permit is signed for 1inch's contract. The transaction would not
 * enforce `minReturn`. `destReceiver` is the name of `receiver` in earlier versions of the API. A fee needs a
 * recipient.
 */
function refuseUnsupported(query: z.output<typeof swapQuery>): void {
  const { permit, usePermit2, minReturn, fee, referrer, destReceiver } = query
  if (fee && Number(fee) > 0 && !referrer) throw new ApiError('INVALID_PARAMETER', 'referrer must be provided with fee')
  if (permit) throw new ApiError('INVALID_PARAMETER', 'permit must be left out: approve the spender instead')
  if (isSet(usePermit2))
    throw new ApiError('INVALID_PARAMETER', 'usePermit2 must be false: approve the spender instead')
  if (destReceiver)
    throw new ApiError('INVALID_PARAMETER', 'destReceiver must be left out: receiver names the recipient')
  if (minReturn) throw new ApiError('INVALID_PARAMETER', 'minReturn must be left out: slippage sets the minimum')
}
