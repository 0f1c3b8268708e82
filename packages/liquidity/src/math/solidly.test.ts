/** Tests of stable pairs at the ends of their curve, against results of real contracts. */
import { expect, test } from 'vitest'
import { PoolRefusal } from '../family.ts'
import { keepsInvariant, quoteSolidly, type SolidlyState, solveVelodrome } from './solidly.ts'

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

test('an input that overflows 256 bits is refused', () => {
  expect(() => quoteSolidly(stable, true, 1n << 150n, solveVelodrome)).toThrow(PoolRefusal)
})

test('a swap must not decrease the invariant', () => {
  const { state } = quoteSolidly(stable, true, 10n ** 21n, solveVelodrome)
  expect(keepsInvariant(stable, state)).toBe(true)
  expect(keepsInvariant(stable, { ...state, reserve1: state.reserve1 - 10n ** 6n })).toBe(false)
})
