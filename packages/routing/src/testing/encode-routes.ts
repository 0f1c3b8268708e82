/** Builds pools, legs, routes, and their transactions for tests of the encoder. */
import { toAddress } from '@sluice/chains'
import { families, type Pool } from '@sluice/liquidity'
import { type EncodedSwap, type EncodeRequest, encodeSwap } from '../encode/index.ts'
import type { Leg, RoutePlan } from '../types.ts'

export const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
export const [guard, executor, sender, weth] = [address('a'), address('b'), address('c'), address('3')]
export const [tokenA, tokenB, tokenC] = [address('1'), address('2'), address('4')]

export const pool = (family: string, id: string, token0: Pool['address'], token1: Pool['address']): Pool => ({
  id,
  family,
  dex: family,
  address: address(id),
  tokens: [token0, token1],
  state: family === 'uniswap-v2' ? { reserve0: 10n ** 24n, reserve1: 10n ** 24n, feePpm: 3000 } : {},
})
export const leg = (
  pool: Pool,
  tokenIn: Pool['address'],
  tokenOut: Pool['address'],
  amountIn: bigint,
  num = 1n,
  den = 1n,
): Leg => ({
  pool,
  tokenIn,
  tokenOut,
  num,
  den,
  amountIn,
  amountOut: 1n,
  gas: 0,
})
export const route = (
  tokenIn: Pool['address'],
  tokenOut: Pool['address'],
  amountIn: bigint,
  legs: Leg[],
): RoutePlan => ({
  tokenIn,
  tokenOut,
  amountIn,
  amountOut: 1n,
  legs,
  gas: 0,
  gasCostOut: null,
  midAmountOut: null,
  optimalityGapBps: null,
  optimalityGapNetBps: null,
})
export const encode = (route: RoutePlan, overrides: Partial<EncodeRequest> = {}): EncodedSwap =>
  encodeSwap({
    from: sender,
    route,
    guard,
    executor,
    wrappedNative: weth,
    families: new Map(families.map((family) => [family.id, family])),
    minOutput: 7n,
    deadline: 99n,
    ...overrides,
  })
