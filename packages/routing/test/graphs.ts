/** Small graphs of Uniswap V2 pools for tests of the search. */
import { type Address, toAddress } from '@sluice/chains'
import type { Pool, Snapshot, UniswapV2State } from '@sluice/liquidity'
import type { RouteRequest } from '../src/types.ts'

export const E18 = 10n ** 18n

export const address = (index: number): Address => toAddress(`0x${index.toString(16).padStart(40, '0')}`)
export const token = (index: number): Address => address(0x1000 + index)

export type PairSpec = {
  readonly a: number
  readonly b: number
  readonly reserveA: bigint
  readonly reserveB: bigint
  readonly feePpm?: number
}

export function pair(index: number, { a, b, reserveA, reserveB, feePpm = 3000 }: PairSpec): Pool<UniswapV2State> {
  const tokens = [token(a), token(b)]
  const state = { reserve0: reserveA, reserve1: reserveB, feePpm }
  return { id: address(index), address: address(index), family: 'uniswap-v2', dex: 'test', tokens, state }
}

export function snapshotOf(pools: readonly Pool[], changed: readonly string[] | null = null): Snapshot {
  const block = {
    number: 1,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 0,
    gasLimit: 30_000_000n,
    baseFeePerGas: 0n,
    miner: address(0),
  } as const
  return { chainId: 1, block, pools: new Map(pools.map((pool) => [pool.id, pool])), changedIds: changed }
}

export const request = (over: Partial<RouteRequest> = {}): RouteRequest => ({
  tokenIn: token(1),
  tokenOut: token(2),
  amountIn: E18,
  wrappedNative: token(0),
  gasPriceWei: 0n,
  ...over,
})

/** A reproducible generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const toBig = (value: number): bigint => {
  const shift = Math.max(0, Math.floor(Math.log2(value)) - 52)
  return BigInt(Math.floor(value / 2 ** shift)) << BigInt(shift)
}

/** Pools whose prices agree within their fees, so that no cycle is profitable. */
export function fairPools(seed: number, count: number, tokens = 6): Pool<UniswapV2State>[] {
  return randomPools(seed, count, { tokens, disagreement: 0.8 * 0.003 })
}

/** @param disagreement - maximum relative deviation of prices, in both directions */
export function randomPools(
  seed: number,
  count: number,
  { tokens, disagreement }: { readonly tokens: number; readonly disagreement: number },
): Pool<UniswapV2State>[] {
  const random = seeded(seed)
  const price = Array.from({ length: tokens }, () => Math.exp((random() - 0.5) * 8))
  return Array.from({ length: count }, (_, index) => {
    const a = index === 0 ? 1 : Math.floor(random() * tokens)
    const b = index === 0 ? 2 : (a + 1 + Math.floor(random() * (tokens - 1))) % tokens
    const depth = 1e18 * Math.exp(random() * 10)
    const noise = Math.exp((random() - 0.5) * 2 * disagreement)
    return pair(index + 1, { a, b, reserveA: toBig((depth / price[a]!) * noise), reserveB: toBig(depth / price[b]!) })
  })
}
