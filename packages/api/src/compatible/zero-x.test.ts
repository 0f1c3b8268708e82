/** Tests of the adapter for 0x's API. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SwapResponse } from '../responses.ts'
import type { ResponseFacts } from './dialect.ts'
import { zeroX } from './zero-x.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const query = { sellToken: address('1'), buyToken: address('2'), sellAmount: '1000', taker: address('3') }

/** Parses a percentage to basis points without floating point. */
function basisPoints(percent: string): bigint {
  const [whole, decimals = ''] = percent.split('.') as [string, string?]
  expect(decimals.length).toBeLessThanOrEqual(2)
  return BigInt(whole) * 100n + BigInt(decimals.padEnd(2, '0'))
}

test('slippage and fee in basis points keep their value as percentages', () => {
  const single = zeroX('swap').toParameters({ ...query, slippageBps: '5', swapFeeBps: '7' })
  expect(single).toMatchObject({ slippage: '0.05', convenienceFee: '0.07' })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 1_000 }), (slippageBps, swapFeeBps) => {
      const sent = { ...query, slippageBps: `${slippageBps}`, swapFeeBps: `${swapFeeBps}` }
      for (const kind of ['swap', 'quote'] as const) {
        const { slippage, convenienceFee } = zeroX(kind).toParameters(sent) as Record<string, string>
        expect(basisPoints(slippage!)).toBe(BigInt(slippageBps))
        expect(basisPoints(convenienceFee!)).toBe(BigInt(swapFeeBps))
      }
    }),
  )
})

test('another recipient is passed on', () => {
  const recipient = address('4')
  expect(zeroX('swap').toParameters({ ...query, recipient })).toMatchObject({ recipient })
  expect(zeroX('swap').toParameters(query)).not.toHaveProperty('recipient')
})

test('the taker is the sender, whom a price does not need', () => {
  expect(zeroX('swap').toParameters(query)).toMatchObject({ from: query.taker })
  const { taker: _, ...withoutTaker } = query
  expect(zeroX('quote').toParameters(withoutTaker)).not.toHaveProperty('from')
  expect(zeroX('quote').toParameters(query)).toMatchObject({ from: query.taker })
  expect(() => zeroX('swap').toParameters(withoutTaker)).toThrow('taker')
})

test('the default slippage of 0x is one percent, and no fee is taken unless requested', () => {
  const parameters = zeroX('quote').toParameters(query) as Record<string, string>
  expect(basisPoints(parameters.slippage!)).toBe(100n)
  expect(parameters).not.toHaveProperty('convenienceFee')
})

test('the allowance is an issue only if the sender has to approve before the swap', () => {
  const spender = address('4')
  const tx = { to: spender, data: '0x12', value: '0' }
  const bodyWith = (calls: readonly object[]) => {
    const route = { gasEstimate: '100', swaps: [], gasCost: { native: '5' }, tx, calls } as unknown as SwapResponse
    const facts = { routerAddress: spender, requestId: 'id', gasPriceWei: 7n, chainId: 1 } as ResponseFacts
    return zeroX('swap').toBody(route, facts, {}) as { readonly issues: object; readonly transaction: object }
  }
  expect(bodyWith([tx])).toMatchObject({ issues: { allowance: null }, transaction: { gas: '120', gasPrice: '7' } })
  expect(bodyWith([{}, tx])).toMatchObject({ issues: { allowance: { actual: '0', spender } } })
})

test.each([
  ['a fee in another token', { swapFeeToken: address('1') }, 'swapFeeToken'],
  ['the whole balance', { sellEntireBalance: 'true' }, 'sellEntireBalance'],
  ['the whole balance as Python writes it', { sellEntireBalance: 'True' }, 'sellEntireBalance'],
  ['the whole balance as a number', { sellEntireBalance: '1' }, 'sellEntireBalance'],
])('refuses %s, which the service cannot honor', (_, change, field) => {
  expect(() => zeroX('swap').toParameters({ ...query, ...change })).toThrow(field)
})

test.each(['false', 'False', '0', ''])('sells the given amount if sellEntireBalance is "%s"', (sellEntireBalance) => {
  expect(zeroX('swap').toParameters({ ...query, sellEntireBalance })).toMatchObject({ amount: query.sellAmount })
})
