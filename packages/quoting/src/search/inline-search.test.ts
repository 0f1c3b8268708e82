/** Tests that a search on the main thread ends at its work limit, for any request. */
import { type Address, toAddress } from '@sluice/chains'
import { type Pool, PoolMap, type Snapshot } from '@sluice/liquidity'
import { buildGraph, type RouteRequest } from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { searchInline } from './inline-search.ts'

/** Maximum work units on the main thread: about ten milliseconds. */
const LIMIT = 1_000_000
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const block: BlockHeader = {
  ...({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 0 } as const),
  ...{ gasLimit: 1n, baseFeePerGas: 0n, miner: at(1) },
}

/** A pool between every two of the tokens, with different reserves. */
function graphOf(tokenCount: number) {
  const tokens = Array.from({ length: tokenCount }, (_, k) => at(100 + k))
  const pools = tokens.flatMap((first, i) =>
    tokens.slice(i + 1).map((second, k): Pool => {
      const n = 1_000 * (i + 1) + k
      const reserve = 10n ** 21n * BigInt(1 + ((n * 7_919) % 13))
      const state = { reserve0: reserve, reserve1: reserve + BigInt(n) * 10n ** 15n, feePpm: 500 }
      return { id: at(n), address: at(n), family: 'uniswap-v2', dex: 'test', tokens: [first, second], state }
    }),
  )
  const snapshot: Snapshot = { chainId: 1, block, pools: PoolMap.empty.with(pools), changedIds: null }
  return buildGraph(snapshot)
}
const request: RouteRequest = {
  ...{ tokenIn: at(100), tokenOut: at(101), amountIn: 10n ** 21n, wrappedNative: null, gasPriceWei: 0n },
}

test('a small search ends within the limit, and reports its work', () => {
  const { result, work } = searchInline(graphOf(3), request)
  expect(result?.ok).toBe(true)
  expect(work).toBeGreaterThan(0)
  expect(work).toBeLessThan(LIMIT)
})

test('a search has no result beyond the limit, even if its request allows more', () => {
  const { result, work } = searchInline(graphOf(40), { ...request, work: 100 * LIMIT })
  expect(result).toBeNull()
  expect(work).toBeGreaterThan(LIMIT / 2)
  expect(work).toBeLessThanOrEqual(LIMIT)
})

test('a lower limit of the request holds', () => {
  const { result, work } = searchInline(graphOf(3), { ...request, work: 10 })
  expect(result).toBeNull()
  expect(work).toBeLessThanOrEqual(10)
})
