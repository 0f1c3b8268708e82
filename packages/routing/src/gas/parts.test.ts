/** Splitting the gas of routes into parts. */
import { type Address, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { GAS_TABLE, type Pool, tokenGas } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import type { Leg } from '../types.ts'
import { gasParts } from './parts.ts'

const token = (k: number): Address => toAddress(`0x${k.toString(16).padStart(40, '0')}`)
/** A token with transfers through a proxy, which cost more. */
const USDC = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')

function leg(family: string, tokenIn: Address, tokenOut: Address, writes?: readonly string[]): Leg {
  const id = `${family} ${tokenIn} ${tokenOut}`
  const pool: Pool = { id, family, dex: 'test', address: token(99), tokens: [tokenIn, tokenOut], state: {} }
  const gas = GAS_TABLE[family as keyof typeof GAS_TABLE].hop + tokenGas(tokenIn) + tokenGas(tokenOut)
  return { pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas, ...(writes && { writes }) }
}

const partsOf = (...legs: readonly Leg[]) =>
  Object.fromEntries(
    gasParts({ tokenIn: legs[0]!.tokenIn, tokenOut: legs.at(-1)!.tokenOut, legs, wrappedNative: null }),
  )

test('a token with higher gas is counted once, however many legs move it', () => {
  const parts = partsOf(leg('uniswap-v3', token(1), USDC), leg('uniswap-v3', USDC, token(2)))
  expect(parts).toEqual({ route: 1, 'hop:uniswap-v3': 2, [`token:${USDC}`]: 1 })
})

test('no token moves between two hops of one call', () => {
  const parts = partsOf(leg('uniswap-v4', token(1), USDC), leg('uniswap-v4', USDC, token(2)))
  expect(parts).toEqual({ route: 1, 'hop:uniswap-v4': 2, joined: 1 })
})

test('the native token is forwarded only between hops of different calls', () => {
  const joined = partsOf(leg('uniswap-v4', token(1), ZERO_ADDRESS), leg('uniswap-v4', ZERO_ADDRESS, token(2)))
  expect(joined).toEqual({ route: 1, 'hop:uniswap-v4': 2, joined: 1 })
  const apart = partsOf(leg('uniswap-v4', token(1), ZERO_ADDRESS), leg('fluid-dex', ZERO_ADDRESS, token(2)))
  expect(apart).toMatchObject({ nativeBetween: 1 })
})

test('an oracle write is counted for the leg that makes it', () => {
  const parts = partsOf(leg('uniswap-v3', token(1), token(2), ['oracle']), leg('uniswap-v3', token(2), token(3)))
  expect(parts).toEqual({ route: 1, 'hop:uniswap-v3': 2, 'oracle:uniswap-v3': 1 })
})
