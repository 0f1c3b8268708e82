import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { cacheKeyOf, type QuoteRequest, quoteRequest } from './request.ts'

const [tokenIn, tokenOut, from] = ['aa', 'bb', 'cc'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
const fields = { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: 1_000n, from: from! }

test('requests that get the same answer have the same key, and others do not', () => {
  const key = (change: Partial<QuoteRequest> = {}) => cacheKeyOf(quoteRequest({ ...fields, ...change }))
  expect(key({ slippagePpm: 5_000n, minimumBlock: 7, excludePools: new Set() })).toBe(key())
  const others: readonly Partial<QuoteRequest>[] = [
    { amountIn: 1_001n },
    { from: tokenIn! },
    { slippagePpm: 5_100n },
    { sources: { exclude: new Set(['a']) } },
    { sources: { include: new Set(['a']) } },
    { excludePools: new Set(['a']) },
    { gasPriceWei: 1n },
  ]
  expect(new Set([...others.map(key), key()]).size).toBe(others.length + 1)
})
