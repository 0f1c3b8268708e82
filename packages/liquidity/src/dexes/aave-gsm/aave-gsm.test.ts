/** Tests of rounding and limits that the vectors do not cover; expected values computed by hand from Gsm.sol. */
import { AaveGsmLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { type Pool, PoolRefusal } from '../../family.ts'
import { aaveGsm } from './index.ts'
import { type AaveGsmState, quote, tradeForPurchase, tradeForSale } from './math.ts'

const even: AaveGsmState = {
  stopped: false,
  unit: 10n,
  ratio: 7n,
  sellFee: 0n,
  buyFee: 0n,
  exposure: 1000n,
  liquidity: 1000n,
  capacity: 1000n,
  level: 500n,
}

describe('a price that does not divide', () => {
  test('a sale takes only the asset amount that its GHO is worth', () => {
    // 9 · 0.7 = 6.3, paid as 6, which is worth 8.57 units: 9 are taken. 8 · 0.7 = 5.6, paid as 5: 7.14, so 8.
    expect(tradeForSale(even, 9n)).toEqual({ asset: 9n, gho: 6n, grossGho: 6n })
    expect(tradeForSale(even, 8n)).toEqual({ asset: 8n, gho: 5n, grossGho: 5n })
    // At 1.9 GHO per unit: 3 · 1.9 = 5.7, paid as 5.
    expect(tradeForSale({ ...even, ratio: 19n }, 3n)).toEqual({ asset: 3n, gho: 5n, grossGho: 5n })
    // Fees round up: 9 · 0.7 = 6, less a fee of 1; 5 / 0.9999 rounds up to 6.
    expect(tradeForSale({ ...even, sellFee: 1n }, 9n)).toEqual({ asset: 9n, gho: 5n, grossGho: 6n })
    // 2 · 0.7 = 1.4, paid as 1, which is worth 1.43 units: 2 are taken.
    expect(tradeForSale(even, 2n)).toEqual({ asset: 2n, gho: 1n, grossGho: 1n })
    // 13 · 0.7 = 9.1, paid as 9 with a fee of half: net 4 is gross 8, which is worth 11.4 units: one less is taken.
    expect(tradeForSale({ ...even, sellFee: 5000n }, 13n)).toEqual({ asset: 12n, gho: 4n, grossGho: 8n })
  })

  test('a purchase rounds its cost up', () => {
    // 9 · 0.7 = 6.3: 7 are paid, which are worth 10 units.
    expect(tradeForPurchase(even, 9n)).toEqual({ asset: 10n, gho: 7n, grossGho: 7n })
    // 8 · 0.7 = 5.6: 6 are paid, which are worth 8.57 units.
    expect(tradeForPurchase(even, 8n)).toEqual({ asset: 8n, gho: 6n, grossGho: 6n })
    // Plus a fee of one: 7 / 1.0001 is 6.
    expect(tradeForPurchase({ ...even, buyFee: 1n }, 8n)).toEqual({ asset: 8n, gho: 7n, grossGho: 6n })
  })

  test('a GHO amount buys the whole units that it pays for', () => {
    // 6 GHO are worth 8.57: 8 units, which cost all 6; 7 are worth 10.
    expect(quote(even, false, 6n).amountOut).toBe(8n)
    expect(quote(even, false, 7n).amountOut).toBe(10n)
    // 6 / 1.0001 = 5.99: 5, worth 7.14 units, which cost 4.9: 5, plus a fee of one.
    expect(quote({ ...even, buyFee: 1n }, false, 6n)).toMatchObject({ amountOut: 7n, state: { level: 495n } })
  })
})

describe('limits', () => {
  const par = { ...even, ratio: 10n }
  const tooMuch = expect.objectContaining({ code: 'TOO_LARGE' })

  test('exposure and liquidity can be used up to the last unit', () => {
    expect(quote({ ...par, exposure: 5n }, true, 5n)).toMatchObject({ amountOut: 5n, state: { exposure: 0n } })
    expect(() => quote({ ...par, exposure: 5n }, true, 6n)).toThrow(tooMuch)
    expect(quote({ ...par, liquidity: 5n }, false, 5n)).toMatchObject({ amountOut: 5n, state: { liquidity: 0n } })
    expect(() => quote({ ...par, liquidity: 5n }, false, 6n)).toThrow(tooMuch)
  })

  test('GHO is minted up to the capacity before the fee, and burned down to zero', () => {
    expect(quote(par, true, 500n)).toMatchObject({ amountOut: 500n, state: { level: 1000n } })
    expect(() => quote(par, true, 501n)).toThrow(tooMuch)
    expect(() => quote({ ...par, sellFee: 5000n }, true, 502n)).toThrow(tooMuch)
    expect(quote(par, false, 500n)).toMatchObject({ amountOut: 500n, state: { level: 0n } })
    expect(() => quote(par, false, 501n)).toThrow(tooMuch)
  })

  test('a stopped module and an output of zero are refused', () => {
    expect(() => quote({ ...par, stopped: true }, true, 5n)).toThrow(expect.objectContaining({ code: 'PAUSED' }))
    expect(() => quote(even, true, 1n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
    expect(() => quote(par, true, 0n)).toThrow(PoolRefusal)
  })
})

test('both curves start at the price after the fee', () => {
  const [asset, gho, address] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
    never,
    never,
    never,
  ]
  const deep = { ...even, unit: 10n ** 6n, ratio: 10n ** 18n, exposure: 10n ** 12n, liquidity: 10n ** 12n }
  const state = { ...deep, capacity: 10n ** 30n, level: 10n ** 29n, sellFee: 20n, buyFee: 10n }
  const pool: Pool<AaveGsmState> = {
    id: address,
    family: 'aave-gsm',
    dex: 'test',
    address,
    tokens: [asset, gho],
    state,
  }
  expect(aaveGsm.priceCurve(pool, asset, gho).sqrtPrice[0]! ** 2 / 1e12).toBeCloseTo(0.998, 6)
  expect(aaveGsm.priceCurve(pool, gho, asset).sqrtPrice[0]! ** 2 * 1e12).toBeCloseTo(1 / 1.001, 6)
})

test('discovery finds the modules of a pair, and none for other pairs', () => {
  const [asset, gho, other, module, registry] = ['a', 'b', 'c', 'd', 'e'].map((digit) =>
    toAddress(`0x${digit.repeat(40)}`),
  ) as [Address, Address, Address, Address, Address]
  const row: DexRow = { family: 'aave-gsm', brand: 'test', role: 'registry', address: registry }
  const answer = AaveGsmLens__factory.createInterface().encodeFunctionResult('find', [[{ gsm: module, asset, gho }]])
  const findFor = (...pair: readonly [Address, Address]) => {
    const reads = aaveGsm.findPools!(row, [pair])
    expect(reads.next([]).done).toBe(false)
    return reads.next([answer as Hex]).value
  }
  expect(findFor(gho, asset)).toMatchObject([{ id: module, tokens: [asset, gho] }])
  expect(findFor(gho, other)).toEqual([])
})
