/** Finds the largest amount with a route by a bounded number of quotes, if the service does not report it. */
import { ClientError } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { retry, sluice } from '../service/client.ts'
import type { TypedRequest } from './use-quote.ts'

/** Maximum divisions by ten until an amount has a route, then bisection steps. */
const TENTHS = 12
const HALVES = 5
/** Significant digits of the proposed amount, rounded down. */
const DIGITS = 3

export function useLargest(request: TypedRequest | undefined, isRequested: boolean) {
  return useQuery({
    queryKey: ['largest', request],
    enabled: isRequested && request !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry,
    queryFn: async () => String(await search(request!)),
  })
}

async function search({ chainId, from: _, amount, amountOut, ...terms }: TypedRequest): Promise<bigint> {
  const routes = (base: bigint) =>
    sluice
      .get(`/quote/${chainId}`, { ...terms, [amountOut === undefined ? 'amount' : 'amountOut']: base } as never)
      .then(
        () => true,
        (error) => {
          // A service that is busy says nothing about the amount.
          if (error instanceof ClientError && error.retryable) throw error
          return false
        },
      )
  let high = BigInt(amountOut ?? amount ?? 0)
  let low = 0n
  for (let k = 0; k < TENTHS && low === 0n; k++) {
    const next = high / 10n
    if (next === 0n) return 0n
    if (await routes(next)) low = next
    else high = next
  }
  if (low === 0n) return 0n
  for (let k = 0; k < HALVES; k++) {
    const middle = (low + high) / 2n
    if (await routes(middle)) low = middle
    else high = middle
  }
  const cut = 10n ** BigInt(Math.max(0, String(low).length - DIGITS))
  return (low / cut) * cut
}
