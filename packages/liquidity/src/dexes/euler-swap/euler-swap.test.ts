/** Tests of rounding and limits that the vectors do not cover; expected values computed independently from CurveLib. */
import { IEulerSwapRegistry__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { type Pool, PoolRefusal } from '../../family.ts'
import { MAX_RESERVE, reserveX, reserveY } from './curve.ts'
import { eulerSwap } from './index.ts'
import { limitsFromContract, quote } from './math.ts'
import type { EulerSwapState } from './types.ts'

const ONE = 10n ** 18n
const UNIT = { priceX: 1n, priceY: 1n, x0: 1n, y0: 0n, concentration: ONE }
const [asset0, asset1, address, account] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
]

describe('the inverse of the curve', () => {
  test.each([
    // The root rounds up if b is negative.
    [6n, 1n, 1n, 649_037_107_316_853_453_566_312_041_152_520n, 5n, ONE, 649_037_107_316_853_453_566_312_041_152_520n],
    // The same number of bits is dropped as in the contract, here 1 and 2.
    [3_384_127_297_638n, ONE, ONE, 154_742_504_910_672_534_362_390_533n, 5n, ONE, 154_742_504_910_669_150_235_092_900n],
    [6n, 1n, 1_000_000n, 309_485_009_821_345_068_724_781_064n, 5n, ONE, 309_485_009_821_345_068_723_781_064n],
    // The root rounds down if b is positive, and the quotient up.
    [114_811_106_224_488n, 1n, 1n, MAX_RESERVE - 2n, 0n, 1n, 5_192_296_858_534_827_628_415_685_222_995_606n],
    // One less if rounding passes the equilibrium.
    [5n, 579_122_944_022_247_213_422_424n, 10n ** 24n, MAX_RESERVE - 1n, 5n, 1n, MAX_RESERVE - 1n],
  ])('at %i, prices %i and %i', (y, priceX, priceY, x0, y0, concentration, x) => {
    expect(reserveX(y, { priceX, priceY, x0, y0, concentration })).toBe(x)
  })

  test('a straight curve ends at zero', () => {
    expect(reserveX(1n, { ...UNIT })).toBe(0n)
    expect(reserveX(2n, { ...UNIT })).toBe(0n)
  })
})

test('a reserve above 112 bits is null', () => {
  const half = { ...UNIT, x0: MAX_RESERVE, y0: 1n, concentration: ONE }
  expect(reserveY(1n, half)).toBe(MAX_RESERVE)
  expect(reserveY(1n, { ...half, y0: 2n })).toBeNull()
})

const state: EulerSwapState = {
  open: true,
  reserves: [1000n * ONE, 1000n * ONE],
  equilibrium: [1000n * ONE, 1000n * ONE],
  prices: [ONE, ONE],
  concentrations: [9n * 10n ** 17n, 9n * 10n ** 17n],
  fees: [10n ** 15n, 2n * 10n ** 15n],
  limits: [
    { in: 100n * ONE, out: 90n * ONE },
    { in: 500n * ONE, out: 400n * ONE },
  ],
}
const pool: Pool<EulerSwapState> = {
  id: address,
  family: 'euler-swap',
  dex: 'test',
  address,
  tokens: [asset0, asset1],
  fixed: { account },
  state,
}
const refusal = (code: string) => expect.objectContaining({ code })

describe('limits', () => {
  test('apply after the fee, and shrink by each trade in their direction', () => {
    const { amountOut, state: after } = quote(state, 0, 50n * ONE)
    const netIn = 50n * ONE - 5n * 10n ** 16n
    expect(after.limits).toEqual([{ in: 100n * ONE - netIn, out: 90n * ONE - amountOut }, state.limits[1]])
    expect(after.reserves).toEqual([1000n * ONE + netIn, 1000n * ONE - amountOut])
    expect(() => quote(state, 0, 101n * ONE)).toThrow(refusal('TOO_LARGE'))
    expect(() => quote({ ...state, limits: [{ in: 100n * ONE, out: 10n * ONE }, null] }, 0, 50n * ONE)).toThrow(
      refusal('TOO_LARGE'),
    )
    expect(quote(state, 1, 50n * ONE).state.limits[0]).toEqual(state.limits[0])
  })

  test('add the unit that the contract subtracts from its output limit, unless it pays nothing', () => {
    expect(limitsFromContract(5n, 7n)).toEqual({ in: 5n, out: 8n })
    expect(limitsFromContract(5n, 0n)).toEqual({ in: 5n, out: 1n })
    expect(limitsFromContract(0n, 0n)).toEqual({ in: 0n, out: 0n })
  })
})

test.each([
  ['PAUSED', { open: false }],
  ['PAUSED', { fees: [ONE, 0n] }],
  ['UNSUPPORTED', { limits: [null, null] }],
] as const)('%s, case %#', (code, change) => {
  expect(() => quote({ ...state, ...change } as EulerSwapState, 0, ONE)).toThrow(refusal(code))
})

test('zero and amounts above a reserve are refused', () => {
  expect(() => quote(state, 0, 0n)).toThrow(refusal('TOO_SMALL'))
  const wide = { ...state, limits: [{ in: 1n << 200n, out: 1n << 200n }, null] } as const
  expect(() => quote(wide, 0, MAX_RESERVE + 1n)).toThrow(refusal('TOO_LARGE'))
  expect(() => quote({ ...wide, fees: [0n, 0n] }, 0, MAX_RESERVE)).toThrow(PoolRefusal)
})

test('both curves start at the price after the fee, and the output limits are the reserves', () => {
  const curve = eulerSwap.priceCurve(pool, asset0, asset1)
  expect(curve.sqrtPrice[0]! ** 2 * curve.keepIn).toBeCloseTo(0.999, 3)
  expect(eulerSwap.reserves(pool)).toEqual([400n * ONE, 90n * ONE])
  expect(eulerSwap.dependsOn!(pool)).toEqual([account])
})

test('a pool is found by its registration log; rows of version 1 are not served', () => {
  const vaults = [asset0, asset1, address, address, account, address]
  const log = IEulerSwapRegistry__factory.createInterface().encodeEventLog('PoolRegistered', [
    ...[asset0, asset1, account, address, vaults, 5n],
  ])
  const row = { family: 'euler-swap', brand: 'test', role: 'registry', version: '2', address: account }
  expect(eulerSwap.creationTopics).toEqual([log.topics[0]])
  const { topics, data } = log as { topics: Hex[]; data: Hex }
  expect(eulerSwap.createdPool!(row, { address: account, topics, data } as unknown as Log)).toEqual({
    ...pool,
    state: null,
  })
  expect(eulerSwap.rowsOf!(row)).toEqual([row])
  expect(eulerSwap.rowsOf!({ ...row, version: '1' })).toEqual([])
})
