/** Tests both roundings of Aave V3 against amounts computed by hand, and each limit on both sides. */
import { expect, test } from 'vitest'
import { NO_LIMIT } from '../../math/capacity.ts'
import { type AaveV3State, approximateMaxInput, quote } from './math.ts'

const RAY = 10n ** 27n
/** A scaled unit is worth one and a half units. */
const reserve = (change: Partial<AaveV3State>): AaveV3State => ({
  ...{ active: true, frozen: false, income: (3n * RAY) / 2n, scaledSupply: 1_000n, treasury: 0n },
  ...{ cap: 0n, cash: 10_000n, floors: false },
  ...change,
})
const refusal = (code: string) => expect.objectContaining({ code })

test.each([
  // 100 is 66.67 scaled units. 67 of them are worth 100.5, and 66 are worth 99.
  ['half up', false, true, 100n, 101n, { scaledSupply: 1_067n, cash: 10_100n }],
  ['down', true, true, 100n, 99n, { scaledSupply: 1_066n, cash: 10_100n }],
  // 98 is 65.33 scaled units; 65 are worth 97.5, and 66 are worth 99, which burns 66 again.
  ['half up', false, false, 98n, 98n, { scaledSupply: 935n, cash: 9_902n }],
  ['in favor of the market', true, false, 98n, 99n, { scaledSupply: 934n, cash: 9_901n }],
] as const)('rounding %s (floors: %s), supply: %s', (_, floors, supply, amountIn, amountOut, after) => {
  expect(quote(reserve({ floors }), supply, amountIn)).toMatchObject({ amountOut, state: after })
})

test('an amount worth no scaled unit is too small, and one worth a unit is not', () => {
  const state = reserve({ income: 3n * RAY, floors: true })
  expect(() => quote(state, true, 2n)).toThrow(refusal('TOO_SMALL'))
  expect(quote(state, true, 3n).amountOut).toBe(3n)
  expect(() => quote(reserve({ income: 3n * RAY }), false, 1n)).toThrow(refusal('TOO_SMALL'))
  expect(quote(reserve({ income: 3n * RAY }), false, 2n).amountOut).toBe(3n)
})

test('all of the cash and all of the supply can be withdrawn, and no more', () => {
  expect(quote(reserve({ income: RAY, cash: 70n }), false, 70n).state).toMatchObject({ cash: 0n, scaledSupply: 930n })
  expect(() => quote(reserve({ income: RAY, cash: 69n }), false, 70n)).toThrow(refusal('TOO_LARGE'))
  const all = quote(reserve({ income: RAY, scaledSupply: 70n }), false, 70n)
  expect(all.state).toMatchObject({ cash: 9_930n, scaledSupply: 0n })
  expect(() => quote(reserve({ income: RAY, scaledSupply: 69n }), false, 70n)).toThrow(refusal('TOO_LARGE'))
})

test.each([true, false])('the cap counts the treasury, and can be reached (floors: %s)', (floors) => {
  const state = reserve({ income: RAY, treasury: 30n, cap: 1_100n, floors })
  expect(quote(state, true, 70n).amountOut).toBe(70n)
  expect(approximateMaxInput(state, true)).toBe(70n)
  let thrown: unknown
  try {
    quote(state, true, 71n)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'TOO_LARGE', isModelLimit: true })
})

test('newer releases compare the supply after rounding with the cap', () => {
  // 1,000 and 67 scaled units are worth 1,600.5; 1,500 and 101 are 1,601. 66.67 scaled units are minted as 66: 1,599.
  expect(quote(reserve({ cap: 1_599n, floors: true }), true, 100n).amountOut).toBe(99n)
  expect(() => quote(reserve({ cap: 1_599n }), true, 100n)).toThrow(refusal('TOO_LARGE'))
  expect(quote(reserve({ cap: 1_600n }), true, 100n).amountOut).toBe(101n)
})

test('a reserve that is inactive takes nothing, and one that is frozen pays out only', () => {
  for (const supply of [true, false])
    expect(() => quote(reserve({ active: false }), supply, 100n)).toThrow(refusal('PAUSED'))
  expect(() => quote(reserve({ frozen: true }), true, 100n)).toThrow(refusal('PAUSED'))
  expect(quote(reserve({ frozen: true }), false, 99n).amountOut).toBe(99n)
})

test('the limit is the rest of the cap, or the smaller of cash and supply', () => {
  expect(approximateMaxInput(reserve({}), true)).toBe(NO_LIMIT)
  expect(approximateMaxInput(reserve({}), false)).toBe(1_500n)
  expect(approximateMaxInput(reserve({ cash: 1_499n }), false)).toBe(1_499n)
})
