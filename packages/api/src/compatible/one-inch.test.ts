/** Tests of the adapter for 1inch's API. */
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import type { SwapResponse } from '../responses.ts'
import { oneInch } from './one-inch.ts'

const [src, dst, from, other] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
]
const quote = { src, dst, amount: '100' }
const swap = { ...quote, from, slippage: '1' }
const failureOf = (kind: 'swap' | 'quote', query: object) => {
  try {
    oneInch(kind).toParameters(query as never)
  } catch (error) {
    return (error as ApiError).message
  }
  return undefined
}

describe('parameters', () => {
  test('become those of this service', () => {
    expect(oneInch('quote').toParameters(quote)).toEqual({ src, dst, amount: '100' })
    expect(oneInch('swap').toParameters(swap)).toEqual({ src, dst, amount: '100', from, slippage: '1' })
    expect(oneInch('swap').toParameters({ ...swap, receiver: other })).toMatchObject({ recipient: other })
    const optionalParameters = { fee: '0.5', referrer: other, excludedProtocols: 'UNISWAP_V3,CURVE', gasPrice: '7' }
    expect(oneInch('swap').toParameters({ ...swap, ...optionalParameters })).toEqual({
      ...{ src, dst, amount: '100', from, slippage: '1', convenienceFee: '0.5', convenienceFeeRecipient: other },
      ...{ excludeSources: 'UNISWAP-V3,CURVE', gasPrice: '7' },
    })
  })

  test('of a quote may have a fee without a recipient', () => {
    expect(oneInch('quote').toParameters({ ...quote, fee: '1' })).toMatchObject({
      convenienceFee: '1',
      convenienceFeeRecipient: expect.stringMatching(/dead$/),
    })
  })

  test('that are missing or unsupported are refused', () => {
    expect(failureOf('swap', { ...swap, fee: '1' })).toBe('referrer must be provided with fee')
    expect(failureOf('swap', { ...swap, fee: '0' })).toBeUndefined()
    expect(failureOf('swap', { ...swap, permit: '0x12' })).toContain('permit must be left out')
    expect(failureOf('swap', { ...swap, usePermit2: 'true' })).toContain('usePermit2 must be false')
    expect(failureOf('swap', { ...swap, usePermit2: 'True' })).toContain('usePermit2 must be false')
    expect(failureOf('swap', { ...swap, usePermit2: 'False' })).toBeUndefined()
    expect(failureOf('swap', { ...swap, destReceiver: other })).toContain('destReceiver must be left out')
    expect(failureOf('swap', { ...swap, minReturn: '7' })).toContain('minReturn must be left out')
    expect(failureOf('swap', { ...quote, slippage: '1' })).toBe('from must be provided')
    expect(failureOf('quote', { src, dst })).toBe('amount must be provided')
  })
})

test('responses contain the output, and the gas or the transaction', () => {
  const route = {
    toAmount: '99',
    gasEstimate: '100001',
    tx: { from, to: other, data: '0x', value: '0' },
  } as SwapResponse
  const facts = { chainId: 1, routerAddress: other, requestId: 'id', gasPriceWei: 9n }
  const { tx, ...quoted } = route
  expect(oneInch('quote').toBody(quoted as never, facts, {})).toEqual({ dstAmount: '99' })
  expect(oneInch('quote').toBody(quoted as never, facts, { includeGas: 'true' })).toEqual({
    dstAmount: '99',
    gas: 100_001,
  })
  expect(oneInch('swap').toBody(route, facts, { includeGas: 'true' })).toEqual({
    dstAmount: '99',
    // The gas limit is 1.2 times the estimate, rounded down.
    tx: { ...tx, gas: 120_001, gasPrice: '9' },
  })
})

test('errors name the status in words', () => {
  expect(oneInch('swap').toErrorBody(new ApiError('UNSUPPORTED_CHAIN', 'chain 5'), 'id')).toEqual({
    ...{ error: 'Not Found', description: 'chain 5', statusCode: 404, requestId: 'id', meta: [] },
  })
  expect(oneInch('swap').toNoRouteBody).toBeUndefined()
})
