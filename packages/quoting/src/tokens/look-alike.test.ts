import { expect, test } from 'vitest'
import { looksLike } from './look-alike.ts'

test.each(['usdc', 'USDС', '$USDC', 'U S D C', 'ＵＳＤＣ', 'ÚSDC', 'USD.C', 'UЅDC'])('%s passes for USDC', (symbol) => {
  expect(looksLike(symbol)).toBe(looksLike('USDC'))
})

test.each(['USDT', 'USDCE', 'DAI', 'USD'])('%s does not', (symbol) => {
  expect(looksLike(symbol)).not.toBe(looksLike('USDC'))
})
