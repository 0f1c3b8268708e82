/** Gas refunds of routes, counted by storage slot. */
import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import type { GasLeg } from './parts.ts'
import { slotRefund, transactionRefund } from './refunds.ts'

const token = (k: number): Address => toAddress(`0x${k.toString(16).padStart(40, '0')}`)
const WETH = token(0xee)

function leg(family: string, tokenIn: Address, tokenOut: Address): GasLeg {
  const id = `${family} ${tokenIn} ${tokenOut}`
  const pool: Pool = { id, family, dex: 'test', address: token(99), tokens: [tokenIn, tokenOut], state: {} }
  return { pool, tokenIn, tokenOut, gas: 0 }
}
const refund = (...legs: readonly GasLeg[]) =>
  slotRefund({ tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut, legs, wrappedNative: WETH })

test("a single hop empties the Guard's balance, and a lock is reset", () => {
  expect(refund(leg('uniswap-v3', token(1), token(2)))).toBe(19_900)
  expect(refund(leg('uniswap-v2', token(1), token(2)))).toBe(22_700)
})

test('the Executor holds the token between two hops, unless the first hop pays the second pool', () => {
  const first = leg('uniswap-v3', token(1), token(2))
  expect(refund(first, leg('uniswap-v3', token(2), token(3)))).toBe(2 * 19_900)
  expect(refund(first, leg('uniswap-v2', token(2), token(3)))).toBe(19_900 + 2_800)
})

test('hops of one call move no token between them', () => {
  expect(refund(leg('uniswap-v4', token(1), token(2)), leg('uniswap-v4', token(2), token(3)))).toBe(19_900)
})

test('a family that pulls its input and forwards its output uses the Executor at both ends', () => {
  expect(refund(leg('curve-stable', token(1), token(2)))).toBe(4 * 19_900)
})

test('a balance that a contract holds before the swap is restored instead of emptied', () => {
  const swap = { tokenIn: token(1), tokenOut: token(3), wrappedNative: WETH }
  const legs = [leg('curve-stable', token(1), token(2)), leg('curve-stable', token(2), token(3))]
  const refundWith = (guard: Address[], executor: Address[]) =>
    slotRefund({ ...swap, legs }, false, { guard: new Set(guard), executor: new Set(executor) })
  const all = refundWith([], [])
  expect(all).toBe(slotRefund({ ...swap, legs }))
  const less = 19_900 - 2_800
  expect(refundWith([token(3)], [])).toBe(all - less)
  expect(refundWith([token(1), token(2)], [])).toBe(all)
  for (const k of [1, 2, 3]) expect(refundWith([], [token(k)]), `token ${k}`).toBe(all - less)
})

test('a native output empties no balance', () => {
  const legs = [leg('uniswap-v4', token(1), ZERO_ADDRESS)]
  expect(slotRefund({ tokenIn: token(1), tokenOut: NATIVE, legs, wrappedNative: WETH })).toBe(0)
})

test("a route whose last pools pay the sender does not use the Guard's balance, also at the limit of refunds", () => {
  const swap = { tokenIn: token(1), tokenOut: token(2), wrappedNative: WETH }
  const route = { ...swap, legs: [leg('curve-stable', token(1), token(2))] }
  expect(slotRefund(route) - slotRefund(route, true)).toBe(19_900)
  // EIP-3529: at most a fifth of the gas, which the remaining slots still exceed.
  expect(transactionRefund(route, 200_000, true)).toBe(transactionRefund(route, 200_000, false))
  expect(transactionRefund(route, 1_000_000, false) - transactionRefund(route, 1_000_000, true)).toBe(19_900)
})

test('the Executor empties its balance of the wrapped token at a native end, and a native input uses no allowance', () => {
  const gross = 1_000_000
  const allowance = transactionRefund({ tokenIn: token(1), tokenOut: NATIVE, legs: [], wrappedNative: null }, 0, false)
  const refundOf = (tokenIn: Address, tokenOut: Address, ...legs: readonly GasLeg[]) =>
    transactionRefund({ tokenIn, tokenOut, legs, wrappedNative: WETH }, gross, false)
  expect(allowance).toBeGreaterThan(0)
  expect(refundOf(NATIVE, token(1), leg('uniswap-v3', WETH, token(1)))).toBe(2 * 19_900)
  expect(refundOf(NATIVE, token(1), leg('uniswap-v4', ZERO_ADDRESS, token(1)))).toBe(19_900)
  expect(refundOf(token(1), NATIVE, leg('uniswap-v3', token(1), WETH))).toBe(19_900 + allowance)
  expect(refundOf(token(1), NATIVE, leg('uniswap-v4', token(1), ZERO_ADDRESS))).toBe(allowance)
  expect(refundOf(NATIVE, WETH)).toBe(2 * 19_900)
  expect(refundOf(WETH, NATIVE)).toBe(19_900 + allowance)
})
