/**
 * Hook that finds the largest amount with a route by a bounded number of quotes. Used for errors in which the service
 * does not report this amount.
 */
import { ClientError } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { shouldRetry, sluice } from '../service/client.ts'
import type { OrderRequest } from './use-quote.ts'

/** Maximum number of times that the amount is divided by ten until it has a route. */
const MAX_DIVISIONS = 12
/** Number of bisections between the amount with a route and ten times this amount. */
const BISECTION_STEPS = 5
/** Significant digits of the result, which is rounded down. */
const SIGNIFICANT_DIGITS = 3

export function useLargestAmount(request: OrderRequest | undefined, isRequested: boolean) {
  return useQuery({
    queryKey: ['largest', request],
    enabled: isRequested && request !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: shouldRetry,
    queryFn: async () => String(await searchLargest(request!)),
  })
}

async function searchLargest({ chainId, from: _, amount, amountOut, ...terms }: OrderRequest): Promise<bigint> {
  const hasRoute = (amountToTry: bigint) =>
    sluice
      .get(`/quote/${chainId}`, { ...terms, [amountOut === undefined ? 'amount' : 'amountOut']: amountToTry } as never)
      .then(
        () => true,
        (error) => {
          // A temporary error does not show whether the amount has a route.
          if (error instanceof ClientError && error.retryable) throw error
          return false
        },
      )
  let amountWithoutRoute = BigInt(amountOut ?? amount ?? 0)
  let amountWithRoute = 0n
  for (let k = 0; k < MAX_DIVISIONS && amountWithRoute === 0n; k++) {
    const next = amountWithoutRoute / 10n
    if (next === 0n) return 0n
    if (await hasRoute(next)) amountWithRoute = next
    else amountWithoutRoute = next
  }
  if (amountWithRoute === 0n) return 0n
  for (let k = 0; k < BISECTION_STEPS; k++) {
    const middle = (amountWithRoute + amountWithoutRoute) / 2n
    if (await hasRoute(middle)) amountWithRoute = middle
    else amountWithoutRoute = middle
  }
  const truncationUnit = 10n ** BigInt(Math.max(0, String(amountWithRoute).length - SIGNIFICANT_DIGITS))
  return (amountWithRoute / truncationUnit) * truncationUnit
}
