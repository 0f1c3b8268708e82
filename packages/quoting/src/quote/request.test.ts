import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { cacheKeyOf, type QuoteRequest, quoteRequest } from './request.ts'

const [tokenIn, tokenOut, from] = ['aa', 'bb', 'cc'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
const fields = { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: 1_000n, from: from! }

test('requests that get the same answer have the same key, and others do not', () => {
  const key = (change: Partial<QuoteRequest> = {}) => cacheKeyOf(quoteRequest({ ...fields, ...change }))
  expect(key({ slippagePpm: 5_000n, minimumBlock: 7, excludePools: new Set() })).toBe(key())
  // All fields but `minimumBlock`, so that a new field is not forgotten.
  const changes: Required<Omit<QuoteRequest, 'minimumBlock'>> = {
    ...{ tokenIn: from!, tokenOut: from!, from: tokenIn!, recipient: tokenIn! },
    ...{ amountIn: 1_001n, amountOut: 1_000n, slippagePpm: 5_100n, feePpm: 1n, feeRecipient: from! },
    ...{ deadline: 1_800_000_000, gasPriceWei: 1n, maxHops: 2, maxSplits: 2, intermediates: 'any' },
    ...{ maxPriceImpactPpm: 1n, withCalls: true, withProof: true },
    ...{ excludePools: new Set(['a']), sources: { include: new Set(['a']) } },
    permit: { kind: 'eip2612', amount: 1n, nonce: 0n, deadline: 1n, signature: '0x' },
  }
  const others: readonly Partial<QuoteRequest>[] = [
    ...Object.entries(changes).map(([field, value]) => ({ [field]: value })),
    { sources: { exclude: new Set(['a']) } },
    { permit: { ...changes.permit!, nonce: 1n } },
  ]
  expect(new Set([...others.map(key), key()]).size).toBe(others.length + 1)
})
