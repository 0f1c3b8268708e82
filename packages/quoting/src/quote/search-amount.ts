/** Amount that a search is asked for: an input as it is, an output as it must leave the pools. */
import { NATIVE } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import type { TaxRecords } from '../tokens/taxes.ts'
import { grossFor, leftOf, minOutputOf, outputFor } from './amounts.ts'
import type { DecidedRequest, QuoteRequest } from './request.ts'

type Known = Pick<TaxRecords, 'transferPpm' | 'isStuck'>
export type SearchAmount = Pick<RouteRequest, 'amountIn'> | Pick<ExactOutputRequest, 'amountOut'>

/**
 * True if the Executor pays the sender itself, so that a tax on the way from the Guard is spared, or a second transfer that the
 * token would refuse. Nothing is paid so of a pure wrap, which no tax touches.
 */
export function paysDirectly({ tokenOut, feePpm }: QuoteRequest, taxes: Known): boolean {
  return (taxes.transferPpm(tokenOut) > 0n || taxes.isStuck(tokenOut)) && feePpm === 0n && tokenOut !== NATIVE
}

/** Parts per million that the Guard's own payment to the sender loses. */
export function releaseTaxPpm(request: QuoteRequest, taxes: Known): bigint {
  return paysDirectly(request, taxes) ? 0n : taxes.transferPpm(request.tokenOut)
}

/** Amount that the sender must get, when nothing moves, for the transaction to pay at least what is wanted when all slips. */
export function targetOf(amountOut: bigint, { slippagePpm }: DecidedRequest): bigint {
  return outputFor(amountOut, slippagePpm)
}

/** @param paidPpm - what simulations have paid of what was settled, at least: more is asked of the pools where that is less */
export function searchAmount(
  request: DecidedRequest,
  taxes: Known,
  lift: readonly [bigint, bigint] = [1n, 1n],
): SearchAmount {
  if (request.amountOut === undefined) return { amountIn: request.amountIn! }
  const gross = grossFor(targetOf(request.amountOut, request), request.feePpm, releaseTaxPpm(request, taxes))
  const [more, than] = lift
  return { amountOut: more === than ? gross : (gross * more) / than + 1n }
}

/** The largest `amountOut` of a request that so much out of the pools can meet. */
export function wantedFor(gross: bigint, request: DecidedRequest, taxes: Known): bigint {
  return minOutputOf(leftOf(gross, request.feePpm, releaseTaxPpm(request, taxes)), request.slippagePpm)
}
