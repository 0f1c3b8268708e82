import { NATIVE, toAddress } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import { expect, test } from 'vitest'
import { chargedGas } from './charged-gas.ts'

const [weth, token] = [toAddress(`0x${'3'.repeat(40)}`), toAddress(`0x${'4'.repeat(40)}`)]
const leg = { pool: { id: 'p', family: 'uniswap-v2' }, tokenIn: token, tokenOut: weth, gas: 90_000 }
const swap = { tokenIn: token, tokenOut: weth, legs: [leg] } as unknown as RoutePlan
const wrap = { tokenIn: NATIVE, tokenOut: weth, legs: [] } as unknown as RoutePlan
const data = '0x'
/** Intrinsic gas of empty calldata. */
const INTRINSIC = 21_000n
const GAS_USED = 300_000
const gross = INTRINSIC + BigInt(GAS_USED)

const refundOf = (route: RoutePlan, direct = false) => {
  const simulation = { gasUsed: GAS_USED }
  return Number(gross - chargedGas({ route, data, simulation, direct }, weth))
}

test("the Guard's balance slot is refunded, unless the pool pays the sender directly", () => {
  expect(refundOf(swap) - refundOf(swap, true)).toBe(19_900)
})

test('a wrap without legs passes through the Guard too', () => {
  expect(refundOf(wrap)).toBeGreaterThanOrEqual(19_900)
})

test('refunds do not lower the gas below the floor of the calldata', () => {
  // A floor of 40 gas per byte (EIP-7623) exceeds 16 gas per byte and a cheap call.
  const longData = `0x${'ff'.repeat(1_000)}` as const
  const simulation = { gasUsed: 24_000 }
  expect(chargedGas({ route: swap, data: longData, simulation }, weth)).toBe(INTRINSIC + 40_000n)
})
