/** Tests how the result of the lens becomes a state. */
import { expect, test } from 'vitest'
import { toState } from './state.ts'

const ONE = 10n ** 18n
const lensResult = {
  ...{ killed: false, version: '', balances: [ONE, 2n * ONE], precisions: [1n, 1n], priceScale: [ONE] },
  ...{ a: 400_000n, gamma: 10n ** 14n, invariant: 3n * ONE, timestamp: 1_000n, futureTime: 0n },
  ...{ midFee: 3n, outFee: 4n, fee: 3n, feeGamma: 5n, virtualPrice: ONE, totalSupply: ONE },
  ...{ profit: ONE, allowedExtraProfit: 6n, samples: [1n, 1n], quotes: [1n, 1n] },
}
const stateOf = (change: object = {}) => toState({ ...lensResult, ...change } as never)

test('the kind follows from the number of coins and the version', () => {
  const three = { balances: [ONE, ONE, ONE], precisions: [1n, 1n, 1n], priceScale: [ONE, ONE] }
  expect(stateOf()).toMatchObject({ kind: 'two', rangeByGamma: false, midFeeE10: 3n, outFeeE10: 4n })
  expect(stateOf(three)).toMatchObject({ kind: 'tri' })
  expect(stateOf({ ...three, version: 'v2.0.0' })).toMatchObject({ kind: 'tri-ng', rangeByGamma: false })
  expect(stateOf({ version: 'v2.0.0' })).toMatchObject({ kind: 'two-ng', rangeByGamma: false })
  expect(stateOf({ version: 'v2.1.0' })).toMatchObject({ kind: 'two-ng', rangeByGamma: true })
})

test('a killed pool, one with an empty balance, and one of four coins are not read', () => {
  for (const change of [{ killed: true }, { balances: [ONE, 0n] }, { balances: [ONE, ONE, ONE, ONE] }])
    expect(stateOf(change)).toBeNull()
})

test('an old pool counts as ramping until its end is cleared; a new one until the end has passed', () => {
  const rampOf = (version: string, futureTime: bigint) => {
    const { ramping, moves = false } = stateOf({ version, futureTime })!
    return [ramping, moves]
  }
  expect([0n, 1_000n, 1_001n].map((end) => rampOf('', end))).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ])
  expect([0n, 1_000n, 1_001n].map((end) => rampOf('v2.0.0', end))).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ])
})
