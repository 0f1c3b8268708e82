/** Tests of the swap's terms. */
import { expect, test } from 'vitest'
import { readSwapParams } from './params.ts'
import { problemsOf, termParametersOf } from './terms.ts'

const OTHER = '0x00000000000000000000000000000000000b0b03'

test.each([
  [{ fee: 1, feeTo: '0x123' }, 'Integrator fee recipient “0x123” is not an address.'],
  [{ fee: 1 }, 'The integrator fee has no recipient.'],
  [{ fee: 10.5, feeTo: OTHER }, 'Integrator fee “10.5” is not a number from 0 to 10.'],
  [{ slippage: {} }, 'Slippage tolerance “{}” is not a number from 0 to 50.'],
  [{ slippage: 51 }, 'Slippage tolerance “51” is not a number from 0 to 50.'],
  [{ impact: '1e2' }, 'Max price impact “1e2” is not a number from 0 to 100.'],
  [{ recipient: '\u202e0x12' }, 'Recipient “0x12” is not an address.'],
])('an invalid term of a link is a problem, and never ignored: %j', (search, words) => {
  expect(problemsOf(readSwapParams(search))).toEqual([words])
})

test('terms of a link are sent in the request as shown', () => {
  const terms = readSwapParams({ fee: '10', feeTo: OTHER, slippage: 50, impact: 100, recipient: OTHER })
  expect(problemsOf(terms)).toEqual([])
  expect(termParametersOf(terms)).toEqual({
    slippage: '50',
    maxPriceImpact: '100',
    recipient: OTHER,
    convenienceFee: '10',
    convenienceFeeRecipient: OTHER,
  })
  expect(termParametersOf(readSwapParams({ fee: '', feeTo: null }))).toEqual({ slippage: 'auto' })
})
