import { toAddress } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import { expect, test } from 'vitest'
import { amountRefusal } from './amount-refusal.ts'

const [tokenIn, tokenOut] = ['1', '2'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  RouteRequest['tokenIn'],
  RouteRequest['tokenOut'],
]
const terms = { tokenIn, tokenOut, wrappedNative: null, gasPriceWei: 0n, mostRivals: 3 }
const withInput = (amountIn: bigint) => ({ ...terms, amountIn }) as RouteRequest
const withOutput = (amountOut: bigint) => ({ ...terms, amountOut }) as unknown as ExactOutputRequest

/** Pools that route sizes of a range; which sizes were asked for is kept. */
function pools(routes: (size: bigint) => boolean) {
  const asked: bigint[] = []
  const search = async (request: RouteRequest | ExactOutputRequest) => {
    expect(request).not.toHaveProperty('mostRivals')
    const size = 'amountIn' in request ? request.amountIn : request.amountOut
    asked.push(size)
    return { ok: routes(size) } as RouteResult
  }
  return { asked, search }
}

test.each([1n, 7n, 999n])(
  '%d units that buy nothing are too small: about the least that routes is found',
  async (amount) => {
    const least = 50_000n
    const { search, asked } = pools((size) => size >= least)
    const found = await amountRefusal(withInput(amount), search)
    expect(found?.kind).toBe('too small')
    const { min } = found as { readonly min: bigint }
    expect(min).toBeGreaterThanOrEqual(least)
    expect(min).toBeLessThanOrEqual((least * 13n) / 10n)
    expect(asked.length).toBeLessThanOrEqual(1 + 6)
  },
)

test.each([
  ['input', withInput(10n ** 24n)],
  ['output', withOutput(10n ** 24n)],
] as const)('more than pools can take is too large: about the most %s that routes is found', async (_, request) => {
  const most = 10n ** 20n
  const { search, asked } = pools((size) => size > 0n && size <= most)
  const found = await amountRefusal(request, search)
  expect(found?.kind).toBe('too large')
  const { max } = found as { readonly max: bigint }
  expect(max).toBeLessThanOrEqual(most)
  expect(max).toBeGreaterThanOrEqual((most * 7n) / 10n)
  expect(asked.length).toBeLessThanOrEqual(2 + 6)
})

test('steps of a million are tried up to six times, larger inputs before smaller ones', async () => {
  const { search, asked } = pools(() => false)
  expect(await amountRefusal(withInput(10n ** 13n), search)).toBeUndefined()
  const step = 10n ** 6n
  // No token has 2^128 base units, and less than one is no amount.
  expect(asked).toEqual([10n ** 19n, 10n ** 7n, 10n ** 25n, 10n, 10n ** 31n, 10n ** 37n])
  expect(
    asked.filter((size) => size > 10n ** 13n).every((size, k) => size === 10n ** 13n * step ** BigInt(k + 1)),
  ).toBe(true)
})

test('an output is never asked for in a larger size: what pays less than one unit is no reason', async () => {
  const { search, asked } = pools(() => false)
  expect(await amountRefusal(withOutput(10n ** 13n), search)).toBeUndefined()
  expect(asked).toEqual([10n ** 7n, 10n])
})

test('amounts next to one another end the search', async () => {
  const { search, asked } = pools((size) => size >= 3n)
  expect(await amountRefusal(withInput(2n), search)).toMatchObject({ kind: 'too small' })
  expect(new Set(asked).size).toBe(asked.length)
})
