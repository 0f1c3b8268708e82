/** Tests of pasted input and of links. */
import { expect, test } from 'vitest'
import { decodeUri, fragmentOf, readPasted } from './input.ts'

const data = '0x2dfcad7600ff'
const to = `0x${'a'.repeat(40)}`

test.each([
  ['', 'nothing'],
  ['  \n', 'nothing'],
  [data, 'transaction'],
  [` ${data.slice(0, 8)}\n${data.slice(8)} `, 'transaction'],
  [`0x${'0'.repeat(64)}`, 'hash'],
  ['0x123', 'wrong'],
  ['hello', 'wrong'],
  ['{"to": 1', 'wrong'],
  ['{"to": "0x1"}', 'wrong'],
  [`{"data": "${data}", "value": "1.5"}`, 'wrong'],
  [`0x${'00'.repeat(300_000)}`, 'wrong'],
])('%j is %s', (text, kind) => {
  expect(readPasted(text.slice(0, 700_000)).kind).toBe(kind)
})

test('a service response, a node transaction, and a link have the same result', () => {
  const tx = { data, to, value: '16' }
  const expected = { kind: 'transaction', tx }
  expect(readPasted(JSON.stringify({ toAmount: '1', tx }))).toEqual(expected)
  expect(readPasted(JSON.stringify({ input: data, to, value: '0x10' }))).toEqual(expected)
  expect(readPasted(`https://swap.example/app/explain?chain=1#${fragmentOf(tx as never)}`)).toEqual(expected)
})

test('invalid addresses are omitted', () => {
  expect(readPasted(JSON.stringify({ data, to: 'javascript:alert(1)' }))).toEqual({ kind: 'transaction', tx: { data } })
})

test('text with a percent sign that encodes nothing is kept', () => {
  expect(decodeUri('data%3D0x')).toBe('data=0x')
  for (const text of ['50%', '%zz', '%ff']) expect(decodeUri(text)).toBe(text)
})
