/** Amount of a route search: the exact input as requested, or the exact output before fee, tax, and slippage. */
import { NATIVE } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import type { TaxRecords } from '../tokens/taxes.ts'
import { grossFor, minOutputOf, netOf, outputFor } from './amounts.ts'
import type { QuoteRequest, ResolvedRequest } from './request.ts'

type TaxLookup = Pick<TaxRecords, 'transferPpm' | 'isStuck'>
export type SearchAmount = Pick<RouteRequest, 'amountIn'> | Pick<ExactOutputRequest, 'amountOut'>

/**
 * True if the Executor pays the sender directly. This avoids a transfer from the Guard, which the token would tax or
 * reject. A native output is never paid this way.
 */
export function paysDirectly({ tokenOut, feePpm }: QuoteRequest, taxes: TaxLookup): boolean {
  return (taxes.transferPpm(tokenOut) > 0n || taxes.isStuck(tokenOut)) && feePpm === 0n && tokenOut !== NATIVE
}

/** Parts per million of the output that the Guard's payment to the sender loses to the token's tax. */
export function releaseTaxPpm(request: QuoteRequest, taxes: TaxLookup): bigint {
  return paysDirectly(request, taxes) ? 0n : taxes.transferPpm(request.tokenOut)
}

/**
 * Output that the sender must receive without slippage, so that it is at least `amountOut` with the maximum slippage.
 */
export function outputBeforeSlippage(amountOut: bigint, { slippagePpm }: ResolvedRequest): bigint {
  return outputFor(amountOut, slippagePpm)
}

/**
 * @param targetFactor - factor on the exact output as a fraction: the settled over the paid amounts of simulations that fell
 *   short
 */
export function searchAmount(
  request: ResolvedRequest,
  taxes: TaxLookup,
  targetFactor: readonly [bigint, bigint] = [1n, 1n],
): SearchAmount {
  if (request.amountOut === undefined) return { amountIn: request.amountIn! }
  const gross = grossFor(
    outputBeforeSlippage(request.amountOut, request),
    request.feePpm,
    releaseTaxPpm(request, taxes),
  )
  const [numerator, denominator] = targetFactor
  return { amountOut: numerator === denominator ? gross : (gross * numerator) / denominator + 1n }
}

/** Largest `amountOut` of a request that the pools' output `gross` can fulfill. */
export function maxAmountOutFor(gross: bigint, request: ResolvedRequest, taxes: TaxLookup): bigint {
  return minOutputOf(netOf(gross, request.feePpm, releaseTaxPpm(request, taxes)), request.slippagePpm)
}
