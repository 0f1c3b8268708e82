import { expect, test } from 'vitest'
import { suggestedBlockCount } from './log-range.ts'

test.each([
  // Both ends of a range are in it.
  ['this block range should work: [0x0, 0xd043b8]', 13_648_825],
  ['try [0x10,0x10]', 1],
  ['try [ 0xA , 0x13 ]', 10],
  ['try [0xa, 0x9]', undefined],
  ['retry with the range 6000000-6000509', 510],
  ['the range 7  -  9', 3],
  ['the range 9-7', undefined],
  ['block range is too wide (5000 > 3000)', 3_000],
  ['too wide ( 51  >  20 )', 20],
])('%s grants %s blocks', (text, blocks) => {
  expect(suggestedBlockCount(text, undefined)).toBe(blocks)
})

test.each([
  ['eth_getLogs is limited to a 10,000 range', 10_000],
  ['limit 5.000', 5_000],
  ['limited to 77', 77],
  ['maximum is set to 2048', 2_048],
  ['max is 10k blocks', 10_000],
  ['max 3 K blocks', 3_000],
  ['max 3 kilo', 3],
  ['up to a 500 block range', 500],
  ['at most 64', 64],
  ['ranges over 10000 blocks', 10_000],
  ['greater than 12', 12],
  ['smaller than 13', 13],
  ['bigger than 14', 14],
  ['exceed 15', 15],
  ['exceeds limit of 16', 16],
  ['allowed: 17', 17],
  ['distance 18', 18],
  ['narrow your filter to 19', 19],
  ['MAXIMUM 20', 20],
  ['maximal 21', undefined],
  ['maxima 22', undefined],
  ['limiter 23', undefined],
  ['unlimited 23', undefined],
  ['moreover 24', undefined],
  ['some 25 blocks', undefined],
  ['limit 0', undefined],
  ['limit 9007199254740991', 9_007_199_254_740_991],
  ['limit 9007199254740992', undefined],
  // The smallest of several limits holds.
  ['limit 300, up to 200, at most 250', 200],
])('"%s" limits a request to %s blocks', (text, blocks) => {
  expect(suggestedBlockCount(text, undefined)).toBe(blocks)
})

test('a number counts up to forty characters after the word, and not behind other brackets or digits', () => {
  expect(suggestedBlockCount(`limit${'-'.repeat(40)}8`, undefined)).toBe(8)
  expect(suggestedBlockCount(`limit${'-'.repeat(41)}8`, undefined)).toBeUndefined()
  expect(suggestedBlockCount('limit [8', undefined)).toBeUndefined()
  expect(suggestedBlockCount('limit ]8', undefined)).toBeUndefined()
  expect(suggestedBlockCount('distance8', undefined)).toBe(8)
  expect(suggestedBlockCount('limit8', undefined)).toBeUndefined()
})

test.each(['results', 'logs', 'bytes', 'response', 'seconds', 'filters', '  logs', 'k logs', ' k logs', ' K  logs'])(
  'a limit of "9%s" is none of blocks',
  (unit) => {
    expect(suggestedBlockCount(`up to 9 ${unit}`, undefined)).toBeUndefined()
    expect(suggestedBlockCount(`up to 9 ${unit}, limit of 7 blocks`, undefined)).toBe(7)
  },
)

test('a unit that comes later in the text does not count', () => {
  expect(suggestedBlockCount('up to 9 blocks of logs', undefined)).toBe(9)
})

test.each([
  'query returned more than 10000 results, limit 5',
  'more than 20 logs, limit 5',
  'too many logs, limit 5',
  'exceeds max results 5',
  'logs matched, limit 5',
  'answer too big, limit 5',
])('"%s" limits the answer and not the blocks', (text) => {
  expect(suggestedBlockCount(text, undefined)).toBeUndefined()
})

test.each([
  [{ from: '0x1', to: '0x2' }, 2],
  [{ from: 5, to: 9 }, 5],
  [{ from: '0x2', to: '0x1' }, undefined],
  [{ from: '0x1', to: 'end' }, undefined],
  [{ from: '0x1' }, undefined],
  [{ to: '0x1' }, undefined],
  [null, undefined],
  ['from to', undefined],
  [undefined, undefined],
])('the data %j grants %s blocks', (data, blocks) => {
  expect(suggestedBlockCount('', data)).toBe(blocks)
})

test('a range in brackets comes before data, data before a range with a dash, that before a comparison and a limit', () => {
  const data = { from: '0x1', to: '0x2' }
  const dashed = 'the range 11-13'
  const compared = 'too wide (50 > 4)'
  const limit = 'limit 5'
  const all = `${limit}, ${compared}, ${dashed}`
  expect(suggestedBlockCount(`${all}, [0x1, 0x1]`, data)).toBe(1)
  expect(suggestedBlockCount(all, data)).toBe(2)
  expect(suggestedBlockCount(all, undefined)).toBe(3)
  expect(suggestedBlockCount(`${limit}, ${compared}`, undefined)).toBe(4)
  expect(suggestedBlockCount(`more than 9 logs, ${compared}`, undefined)).toBe(4)
  expect(suggestedBlockCount(limit, undefined)).toBe(5)
})
