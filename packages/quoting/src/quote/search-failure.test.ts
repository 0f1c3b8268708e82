import { type Address, toAddress } from '@sluice/chains'
import type { RouteRequest, RouteResult } from '@sluice/routing'
import { describe, expect, test } from 'vitest'
import { quoteRequest, resolveSlippage } from './request.ts'
import { errorOfFailedSearch, type FailedSearch } from './search-failure.ts'

const [src, dst, from] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const reasons = Array.from({ length: 51 }, (_, k) => ({ source: `${k}`, reason: 'thin' }))
type Failure = Extract<RouteResult, { ok: false }>
const failure = (overrides: Partial<Failure> = {}): Failure =>
  ({ ok: false, code: 'NO_ROUTE', message: 'no route', reasons, ...overrides }) as Failure

/** A failed search over pools that route amounts within a range. */
function failed(amounts: object, routes: (amount: bigint) => boolean) {
  const searchedAmounts: bigint[] = []
  const request = resolveSlippage(quoteRequest({ tokenIn: src, tokenOut: dst, from, slippagePpm: 10_000n, ...amounts }))
  const search = {
    ...{ searchRequest: amounts as RouteRequest, request, view: { snapshot: { block: { number: 7 } } } },
    taxes: { transferPpm: () => 0n, isStuck: () => false },
    searchAgain: async (other: RouteRequest) => {
      const amount = 'amountIn' in other ? other.amountIn : (other as { amountOut: bigint }).amountOut
      searchedAmounts.push(amount)
      return { ok: routes(amount) }
    },
  } as unknown as FailedSearch
  return { search, searchedAmounts }
}

describe('the error of a request without a route', () => {
  test('is the error of the search with at most fifty reasons, if no other amount has a route', async () => {
    const { search, searchedAmounts } = failed({ amountIn: 1_000n }, () => false)
    const error = await errorOfFailedSearch(failure(), search)
    expect(error).toMatchObject({ code: 'NO_ROUTE', message: 'no route' })
    expect(error.details).toEqual({ reasons: reasons.slice(0, 50), block: 7 })
    expect(searchedAmounts.length).toBeGreaterThan(1)
  })

  test('contains the smallest amount with a route, if the amount buys nothing', async () => {
    const { search } = failed({ amountIn: 1_000n }, (amount) => amount >= 50_000n)
    const { code, message, details } = await errorOfFailedSearch(failure(), search)
    expect(code).toBe('AMOUNT_TOO_SMALL')
    const minAmount = Number(details.minRoutableAmount)
    expect(minAmount).toBeGreaterThanOrEqual(50_000)
    expect(minAmount).toBeLessThan(100_000)
    expect(message).toBe(`1000 buys less than one unit of the output; about ${minAmount} routes`)
    expect(details).toMatchObject({ block: 7, reasons: reasons.slice(0, 50) })
  })

  test('contains the largest amount with a route, if the amount is too large', async () => {
    const { search } = failed({ amountIn: 10n ** 12n }, (amount) => amount <= 10n ** 9n)
    const { code, message, details } = await errorOfFailedSearch(failure(), search)
    expect(code).toBe('INSUFFICIENT_LIQUIDITY')
    const maxAmount = Number(details.maxRoutableAmount)
    expect(maxAmount).toBeLessThanOrEqual(1e9)
    expect(maxAmount).toBeGreaterThan(5e8)
    expect(message).toBe(`the pools cannot take 1000000000000; about ${maxAmount} can be routed`)
  })

  test('contains the output after slippage for an exact output', async () => {
    const { search } = failed({ amountOut: 10n ** 12n }, (amount) => amount <= 10n ** 9n)
    const { message, details } = await errorOfFailedSearch(failure(), search)
    const maxAmount = Number(details.maxRoutableAmount)
    expect(maxAmount).toBeLessThanOrEqual(0.99e9)
    expect(message).toBe(`the pools cannot pay 1000000000000; about ${maxAmount} can be routed`)
  })

  test('needs no further search for a code other than NO_ROUTE', async () => {
    const { search, searchedAmounts } = failed({ amountIn: 1_000n }, () => true)
    const short = failure({
      code: 'INSUFFICIENT_LIQUIDITY',
      message: 'thin',
      maxRoutableAmount: 900n,
      maxOutputAmount: 5n,
    })
    const error = await errorOfFailedSearch(short, search)
    expect(error).toMatchObject({
      code: 'INSUFFICIENT_LIQUIDITY',
      message: 'thin',
      details: { maxRoutableAmount: '900' },
    })
    expect((await errorOfFailedSearch(failure({ code: 'UNKNOWN_TOKEN' }), search)).details).not.toHaveProperty(
      'maxRoutableAmount',
    )
    expect(searchedAmounts).toEqual([])
  })

  test('of an exact output contains the largest output that was found', async () => {
    const { search } = failed({ amountOut: 1_000n }, () => true)
    const short = failure({ code: 'INSUFFICIENT_LIQUIDITY', maxRoutableAmount: 900n, maxOutputAmount: 10_000n })
    expect((await errorOfFailedSearch(short, search)).details.maxRoutableAmount).toBe('9900')
    const none = failure({ code: 'INSUFFICIENT_LIQUIDITY', maxRoutableAmount: 900n })
    expect((await errorOfFailedSearch(none, search)).details).not.toHaveProperty('maxRoutableAmount')
  })
})
