/** Tests of stable pairs at the ends of their curve, against results of real contracts. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { familyOf } from '../dexes/index.ts'
import { PoolRefusal } from '../family.ts'
import { keepsInvariant, quoteSolidly, type SolidlyState, solveSolidly, solveVelodrome } from './solidly.ts'

const stable: SolidlyState = {
  reserve0: 750_000n * 10n ** 18n,
  reserve1: 747_000n * 10n ** 6n,
  unit0: 10n ** 18n,
  unit1: 10n ** 6n,
  stable: true,
  feePpm: 100,
}
const DRAIN = 701_222_243_217_746_152_510_601_383n

test('a drained pair reverts because its contract scales reserves by decimals twice', () => {
  const { amountOut, state } = quoteSolidly(stable, true, DRAIN, solveVelodrome)
  expect(amountOut).toBe(746_999_998_184n)
  expect(() => quoteSolidly(state, false, 3n, solveVelodrome)).toThrow(PoolRefusal)
})

test('Newton’s method ends at the first change of at most one unit, as in the contract', () => {
  const ONE = 10n ** 18n
  const pair = { ...stable, unit1: ONE, feePpm: 0, reserve0: 689_874n * 10n ** 12n, reserve1: 482_911_800_000_000_001n }
  // A further step would change the result by one unit.
  expect(quoteSolidly(pair, true, 95_241n * 10n ** 12n, solveSolidly).amountOut).toBe(91_805_337_041_601_854n)
})

test('the fee is rounded down, as the contract rounds it', () => {
  const volatile = { ...stable, reserve0: 10n ** 9n, reserve1: 10n ** 9n, stable: false, feePpm: 3_000 }
  const { state } = quoteSolidly(volatile, true, 1_001n, solveVelodrome)
  // The fee of 3.003 units is 3 units.
  expect(state.reserve0 - volatile.reserve0).toBe(998n)
})

test('an input that overflows 256 bits is refused', () => {
  expect(() => quoteSolidly(stable, true, 1n << 150n, solveVelodrome)).toThrow(PoolRefusal)
})

test('a swap must not decrease the invariant', () => {
  const { state } = quoteSolidly(stable, true, 10n ** 21n, solveVelodrome)
  expect(keepsInvariant(stable, state)).toBe(true)
  expect(keepsInvariant(stable, { ...state, reserve1: state.reserve1 - 10n ** 6n })).toBe(false)
})

test('a pair with one empty reserve, which anyone can make, accepts nothing in either direction', () => {
  const [token0, token1, address] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`))
  for (const id of ['solidly', 'velodrome-v2', 'camelot-v2'])
    for (const [reserve0, reserve1] of [
      [0n, 1n],
      [1n, 0n],
      [0n, 0n],
    ]) {
      const state = { ...stable, fee0Ppm: 100, fee1Ppm: 100, reserve0, reserve1 }
      const pool = { id: address!, family: id, dex: '', address: address!, tokens: [token0!, token1!], state }
      for (const [from, to] of [
        [token0!, token1!],
        [token1!, token0!],
      ] as const) {
        expect(familyOf(id)!.maxInput(pool, from, to)).toBe(0n)
        expect(familyOf(id)!.priceCurve(pool, from, to).liquidity).toHaveLength(0)
      }
    }
})

test('a second swap is refused where the fee may have stayed in the pair', () => {
  const [token0, token1, address] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`))
  const secondSwap = (id: string, feePpm: number) => {
    const state = { ...stable, stable: false, feePpm }
    const pool = { id: address!, family: id, dex: '', address: address!, tokens: [token0!, token1!], state }
    const quote = (of: unknown) =>
      familyOf(id)!.quoteExactInput({ ...pool, state: of } as never, token0!, token1!, 10n ** 20n)
    return () => quote(quote(state).state).amountOut
  }
  expect(secondSwap('solidly', 3_000)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
  // Without a fee nothing may have stayed, and Velodrome sends the fee away at once.
  expect(secondSwap('solidly', 0)()).toBeGreaterThan(0n)
  expect(secondSwap('velodrome-v2', 3_000)()).toBeGreaterThan(0n)
})
