/** Tests of the identification of integrators. */
import { expect, test } from 'vitest'
import { BoundedLabels, integratorOf } from './referer.ts'

test.each([
  [undefined, 'none'],
  ['', 'none'],
  ['https://app.example.org/swap?key=secret', 'app.example.org'],
  ['http://localhost:5173', 'localhost'],
  ['javascript:alert(1)', 'invalid'],
  ['not an address', 'invalid'],
  [`https://${'a'.repeat(300)}.example`, 'invalid'],
])('%s is counted as %s', (referer, host) => {
  expect(integratorOf(referer)).toBe(host)
})

test('labels beyond the limit are counted together', () => {
  const labels = new BoundedLabels(2)
  expect(['a', 'b', 'c', 'a', 'd'].map((label) => labels.labelFor(label))).toEqual(['a', 'b', 'other', 'a', 'other'])
})
