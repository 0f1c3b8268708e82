import { expect, test } from 'vitest'
import { slippageToSign } from './slippage.ts'

test.each([
  [0.1022, '0.0922'],
  ['0.5', '0.49'],
  [0.05, '0.045'],
  ['50', '49.99'],
  [0.0001, '0.0001'],
  [0, '0'],
])('%s percent is signed as %s percent', (shown, signed) => {
  expect(slippageToSign(shown)).toBe(signed)
})
