/** Stable pairs at the ends of their curve, as genuine pairs answered. */
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

test('a drained pair reverts where its own function scales by decimals what is scaled already', () => {
  const { amountOut, state } = quoteSolidly(stable, true, DRAIN, solveVelodrome)
  expect(amountOut).toBe(746_999_998_184n)
  expect(() => quoteSolidly(state, false, 3n, solveVelodrome)).toThrow(PoolRefusal)
})

test('what is too large for a word is refused', () => {
  expect(() => quoteSolidly(stable, true, 1n << 150n, solveVelodrome)).toThrow(PoolRefusal)
})

test('a pair is not left with less', () => {
  const { state } = quoteSolidly(stable, true, 10n ** 21n, solveVelodrome)
  expect(keepsInvariant(stable, state)).toBe(true)
  expect(keepsInvariant(stable, { ...state, reserve1: state.reserve1 - 10n ** 6n })).toBe(false)
})
