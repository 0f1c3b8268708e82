/**
 * Computes the amount of a route search. An exact input is searched as requested. For an exact output, the search
 * amount is larger than the requested amount by fee, tax, and slippage.
 */
import { NATIVE, PPM } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import { QuotingError } from '../errors.ts'
import type { TaxRecords } from '../tokens/taxes.ts'
import { grossFor, minOutputOf, netOf, outputFor } from './amounts.ts'
import type { QuoteRequest, ResolvedRequest } from './request.ts'

export type TaxLookup = Pick<TaxRecords, 'transferPpm' | 'isStuck'>
export type SearchAmount = Pick<RouteRequest, 'amountIn'> | Pick<ExactOutputRequest, 'amountOut'>

/**
 * Returns true if the Executor (our contract that swaps) pays the sender directly. Otherwise the Guard, our entry
 * contract, pays the sender by a second transfer, which some tokens tax or reject. A native output is always paid by
 * the Guard.
 */
export function paysDirectly({ tokenOut, feePpm }: QuoteRequest, taxes: TaxLookup): boolean {
  return (taxes.transferPpm(tokenOut) > 0n || taxes.isStuck(tokenOut)) && feePpm === 0n && tokenOut !== NATIVE
}

/**
 * Returns taxes with which the Executor pays every ERC-20 output without a fee directly. Some tokens cannot be held by
 * the Guard: they have not allow-listed it, block it, or call a method of each contract that receives them.
 */
export function withDirectPayment(taxes: TaxLookup): TaxLookup {
  return { transferPpm: (token) => taxes.transferPpm(token), isStuck: () => true }
}

/** Returns the tax in ppm on the Guard's payment of the output to the sender; 0 if the Executor pays the sender. */
export function releaseTaxPpm(request: QuoteRequest, taxes: TaxLookup): bigint {
  return paysDirectly(request, taxes) ? 0n : taxes.transferPpm(request.tokenOut)
}

/**
 * Returns the output that the sender must receive in the simulation, so that the output after the maximum slippage is
 * at least `amountOut`.
 */
export function outputBeforeSlippage(amountOut: bigint, { slippagePpm }: ResolvedRequest): bigint {
  return outputFor(amountOut, slippagePpm)
}

/**
 * Returns the amount that a route search needs.
 *
 * @param shortfallFactor - factor on an exact output. Each simulation that paid too little multiplies it by expected
 *   output / paid output.
 * @throws QuotingError `ROUTE_REVERTED` if no output is large enough, because the output token has a tax of 100 %
 */
export function searchAmount(
  request: ResolvedRequest,
  taxes: TaxLookup,
  shortfallFactor: readonly [numerator: bigint, denominator: bigint] = [1n, 1n],
): SearchAmount {
  if (request.amountOut === undefined) return { amountIn: request.amountIn! }
  const taxPpm = releaseTaxPpm(request, taxes)
  if (taxPpm >= PPM)
    throw new QuotingError('ROUTE_REVERTED', 'dst takes all of what the Guard pays on: leave out the convenience fee', {
      reasons: [],
    })
  const grossOut = grossFor(outputBeforeSlippage(request.amountOut, request), request.feePpm, taxPpm)
  const [numerator, denominator] = shortfallFactor
  return { amountOut: numerator === denominator ? grossOut : (grossOut * numerator) / denominator + 1n }
}

/** Returns the largest `amountOut` that a request can demand of a route with the output `grossOut`. */
export function maxAmountOutFor(grossOut: bigint, request: ResolvedRequest, taxes: TaxLookup): bigint {
  return minOutputOf(netOf(grossOut, request.feePpm, releaseTaxPpm(request, taxes)), request.slippagePpm)
}
