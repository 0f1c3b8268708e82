/** Tests of CryptoSwap math. */
import { describe, expect, test } from 'vitest'
import { PoolRefusal } from '../../family.ts'
import { approximateMaxInput, balancesAtPriceScale, computeOutput, feeOf, quote, tradingFunction } from './math.ts'
import { geometricMean, newtonInvariant, ONE } from './newton.ts'
import type { CryptoKind, CurveCryptoState } from './types.ts'

const coinsOf = (kind: CryptoKind) => (kind.startsWith('two') ? 2 : 3)
const kinds = ['two', 'tri', 'two-ng', 'tri-ng'] as const
const WHOLE = 10n ** 6n * ONE

/** A pool with a million of each coin at price one, and shares worth one each. */
function poolOf(kind: CryptoKind, overrides: Partial<CurveCryptoState> = {}): CurveCryptoState {
  const coins = coinsOf(kind)
  const [a, gamma] = coins === 2 ? [400_000n, 145n * 10n ** 12n] : [1_707_629n, 11_809_167_828_997n]
  const balances = Array.from({ length: coins }, () => WHOLE)
  const invariant = newtonInvariant(kind, a, gamma, balances, 0n)
  const balanced = balances.map(() => invariant / BigInt(coins))
  return {
    kind,
    balances,
    a,
    gamma,
    invariant,
    rangeByGamma: false,
    ramping: false,
    settled: true,
    precisions: balances.map(() => 1n),
    priceScale: balances.slice(1).map(() => ONE),
    midFeeE10: 3n * 10n ** 7n,
    outFeeE10: 3n * 10n ** 7n,
    feeGamma: ONE / 1_000n,
    virtualPrice: ONE,
    totalSupply: geometricMean(kind, balanced),
    profit: ONE,
    allowedExtraProfit: ONE,
    ...overrides,
  }
}
const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(PoolRefusal)
    return (error as PoolRefusal).code
  }
  return 'accepted'
}

describe.each(kinds)('a pool of the kind %s', (kind) => {
  test('pays about the price less the fee, and a worse rate for a larger input', () => {
    const [small, large] = [ONE, WHOLE / 2n].map((amount) => [
      amount,
      computeOutput(poolOf(kind), 0, 1, amount).amountOut,
    ])
    const rate = ([amount, paid]: readonly bigint[]) => Number(paid) / Number(amount)
    expect(rate(small!)).toBeCloseTo(0.997, 4)
    expect(rate(large!)).toBeLessThan(rate(small!))
    expect(quote(poolOf(kind), 0, 1, ONE).amountOut).toBe(small![1])
  })

  test('refuses inputs that are zero, buy nothing, or leave the range', () => {
    expect([0n, -1n, 1n].map((amount) => refusal(() => quote(poolOf(kind), 0, 1, amount)))).toEqual([
      ...['TOO_SMALL', 'TOO_SMALL', 'TOO_SMALL'],
    ])
    expect(refusal(() => quote(poolOf(kind), 0, 1, WHOLE * 10n ** 6n))).toBe('TOO_LARGE')
    const limit = approximateMaxInput(poolOf(kind), 0, 1)
    expect(refusal(() => quote(poolOf(kind), 0, 1, limit / 2n))).toBe('accepted')
    expect(refusal(() => quote(poolOf(kind), 0, 1, limit * 3n))).toBe('TOO_LARGE')
  })

  test('keeps its price scale after a swap only if its allowed extra profit is known', () => {
    const isNg = kind.endsWith('ng')
    const { state } = quote(poolOf(kind), 0, 1, WHOLE / 100n)
    expect(state.settled).toBe(isNg)
    expect(refusal(() => quote(state, 0, 1, ONE))).toBe(isNg ? 'accepted' : 'UNSUPPORTED')
    expect(state.balances[0]).toBe(WHOLE + WHOLE / 100n)
    expect(state.virtualPrice).toBeGreaterThan(ONE)
    expect(state.profit).toBe(state.virtualPrice)
    // Without allowed extra profit, or during a ramp, the pool may have moved the price scale.
    expect(quote(poolOf(kind, { allowedExtraProfit: 0n }), 0, 1, WHOLE / 100n).state.settled).toBe(false)
    expect(quote(poolOf(kind, { ramping: true }), 0, 1, WHOLE / 100n).state.settled).toBe(false)
  })

  test('refuses a swap that lowers the value of a share, except during a ramp', () => {
    const highPrice = { virtualPrice: 2n * ONE, profit: 2n * ONE }
    expect(refusal(() => quote(poolOf(kind, highPrice), 0, 1, ONE))).toBe('TOO_SMALL')
    expect(refusal(() => quote(poolOf(kind, { ...highPrice, ramping: true }), 0, 1, ONE))).toBe('accepted')
  })

  test('has a trading function while it is settled and no balance is empty', () => {
    expect(tradingFunction(poolOf(kind))).not.toBeNull()
    expect(tradingFunction(poolOf(kind, { settled: false }))).toBeNull()
    expect(tradingFunction(poolOf(kind, { balances: poolOf(kind).balances.with(0, 0n) }))).toBeNull()
  })

  test('has a fee between mid and out fee, depending on the balances', () => {
    const pool = poolOf(kind, { midFeeE10: 100n, outFeeE10: 10_000n })
    const even = pool.balances.map(() => ONE)
    expect(feeOf(pool, even)).toBe(100n)
    const uneven = feeOf(pool, even.with(0, 2n * ONE))
    expect(uneven).toBeGreaterThan(100n)
    expect(feeOf(pool, even.with(0, 1_000n * ONE))).toBeGreaterThan(uneven)
    expect(feeOf(pool, even.with(0, 10n ** 9n * ONE))).toBeLessThanOrEqual(10_000n)
  })
})

test('balances are scaled to 18 decimals and to the first coin', () => {
  const pool = poolOf('two', { precisions: [10n ** 12n, 10n ** 10n], priceScale: [3n * ONE] })
  expect(balancesAtPriceScale(pool, [5n, 7n])).toEqual([5n * 10n ** 12n, 21n * 10n ** 10n])
})
