import { toAddress } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import { expect, test } from 'vitest'
import { findAmountRefusal } from './amount-refusal.ts'

const [tokenIn, tokenOut] = ['1', '2'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  RouteRequest['tokenIn'],
  RouteRequest['tokenOut'],
]
const terms = { tokenIn, tokenOut, wrappedNative: null, gasPriceWei: 0n, maxAlternatives: 3 }
const withInput = (amountIn: bigint) => ({ ...terms, amountIn }) as RouteRequest
const withOutput = (amountOut: bigint) => ({ ...terms, amountOut }) as unknown as ExactOutputRequest

/** Pools that route sizes within a range; records the sizes that are searched. */
function pools(routes: (size: bigint) => boolean) {
  const searchedSizes: bigint[] = []
  const search = async (request: RouteRequest | ExactOutputRequest) => {
    expect(request).not.toHaveProperty('maxAlternatives')
    const size = 'amountIn' in request ? request.amountIn : request.amountOut
    searchedSizes.push(size)
    return { ok: routes(size) } as RouteResult
  }
  return { searchedSizes, search }
}

test.each([1n, 7n, 999n])(
  '%d units that buy nothing are too small, and the result is about the smallest amount with a route',
  async (amount) => {
    const smallest = 50_000n
    const { search, searchedSizes } = pools((size) => size >= smallest)
    const refusal = await findAmountRefusal(withInput(amount), search)
    expect(refusal?.kind).toBe('too small')
    const { min } = refusal as { readonly min: bigint }
    expect(min).toBeGreaterThanOrEqual(smallest)
    expect(min).toBeLessThanOrEqual((smallest * 102n) / 100n)
    expect(searchedSizes.length).toBeLessThanOrEqual(1 + 12)
  },
)

test.each([
  ['input', withInput(10n ** 24n)],
  ['output', withOutput(10n ** 24n)],
] as const)(
  'more than the pools can take is too large, and the result is about the largest %s with a route',
  async (_, request) => {
    const largest = 10n ** 20n
    const { search, searchedSizes } = pools((size) => size > 0n && size <= largest)
    const refusal = await findAmountRefusal(request, search)
    expect(refusal?.kind).toBe('too large')
    const { max } = refusal as { readonly max: bigint }
    expect(max).toBeLessThanOrEqual(largest)
    expect(max).toBeGreaterThanOrEqual((largest * 7n) / 10n)
    expect(searchedSizes.length).toBeLessThanOrEqual(2 + 6)
  },
)

test.each([2, 4, 6])('a maximum %d steps away is as exact as one that is one step away', async (steps) => {
  const largest = 5n * 10n ** 7n
  const { search } = pools((size) => size > 0n && size <= largest)
  const refusal = await findAmountRefusal(withInput(10n ** BigInt(6 * steps + 2)), search)
  expect(refusal?.kind).toBe('too large')
  const { max } = refusal as { readonly max: bigint }
  expect(max).toBeLessThanOrEqual(largest)
  expect(max).toBeGreaterThanOrEqual((largest * 8n) / 10n)
})

test('up to six steps of a million are tried, larger inputs before smaller ones', async () => {
  const { search, searchedSizes } = pools(() => false)
  expect(await findAmountRefusal(withInput(10n ** 13n), search)).toBeUndefined()
  const step = 10n ** 6n
  // Amounts of 2^128 and more, and of less than one unit, are skipped.
  expect(searchedSizes).toEqual([10n ** 19n, 10n ** 7n, 10n ** 25n, 10n, 10n ** 31n, 10n ** 37n])
  expect(
    searchedSizes.filter((size) => size > 10n ** 13n).every((size, k) => size === 10n ** 13n * step ** BigInt(k + 1)),
  ).toBe(true)
})

test('an exact output is only reduced, because a larger one cannot have a route', async () => {
  const { search, searchedSizes } = pools(() => false)
  expect(await findAmountRefusal(withOutput(10n ** 13n), search)).toBeUndefined()
  expect(searchedSizes).toEqual([10n ** 7n, 10n])
})

test('the bisection ends at adjacent amounts', async () => {
  const { search, searchedSizes } = pools((size) => size >= 3n)
  expect(await findAmountRefusal(withInput(2n), search)).toMatchObject({ kind: 'too small' })
  expect(new Set(searchedSizes).size).toBe(searchedSizes.length)
})
