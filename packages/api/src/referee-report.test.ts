/** Tests of the text of a verdict. */
import { expect, test } from 'vitest'
import { formatReport } from './referee-report.ts'
import type { RefereeResponse } from './referee-response.ts'

const comparison = {
  ...{ state: 'position', toAmount: '210', pools: ['p', 'q'], bound: '220' },
  ...{ leftBps: 12.5, leftAtMostBps: 40, leftNetBps: -3 },
}
const trade = {
  ...{ trader: 'Ann', recipient: 'Ann', src: 'SRC', dst: 'DST', fromAmount: '100', toAmount: '200' },
  ...{ toAmountAtParent: null, fees: [] as unknown[], comparisons: [comparison] as unknown[] },
}
const verdict = { hash: '0xab', outcome: 'swap', block: 7, index: 3, trades: [trade], sandwich: null, unknown: [] }
const linesOf = (change: object) =>
  formatReport({ ...verdict, ...change } as unknown as RefereeResponse, (amount, token) => `${amount} ${token}`).split(
    '\n',
  )

test('a trade has its amounts, and what the best route left', () => {
  expect(linesOf({})).toEqual([
    'Transaction 0xab in block 7, position 3',
    'Trade of Ann',
    '  gave                 100 SRC',
    '  received             200 DST',
    'At the state in its position in the block',
    '  best simulated       210 DST (2 pools)',
    '  proven bound         220 DST',
    '  left on the table    12.5 bps, at most 40 bps',
    '  net of gas           -3 bps',
    'No sandwich was seen around it.',
  ])
})

test('a trade for another account has its fees, and its output at the block before', () => {
  const fees = [{ account: 'Fee', token: 'SRC', amount: '3' }]
  const [, title, , , ...more] = linesOf({
    trades: [{ ...trade, recipient: 'Bob', fees, toAmountAtParent: '201', comparisons: [] }],
  })
  expect([title, ...more.slice(0, 2)]).toEqual([
    'Trade of Ann, for Bob',
    '  fee, it seems        3 SRC to Fee',
    '  at the block before  201 DST',
  ])
})

test('a comparison may be at the block before, with figures that are not known, and pools that are missing', () => {
  const unknown = { bound: null, leftBps: null, leftAtMostBps: null, leftNetBps: null }
  const lines = linesOf({
    trades: [{ ...trade, comparisons: [{ ...comparison, ...unknown, state: 'parent', poolsPending: true }] }],
  })
  expect(lines.slice(4, -1)).toEqual([
    'At the end of the block before',
    '  best simulated       210 DST (2 pools)',
    '  proven bound         not known',
    '  left on the table    not known, at most not known',
    '  net of gas           not known',
    '  caveat               pools are still being searched for',
  ])
})

test('a sandwich and gaps are named', () => {
  const position = (hash: string, index: number) => ({ hash, index })
  const sandwich = {
    ...{ pool: 'Pool', front: position('0x1', 2), back: position('0x2', 4), by: 'Eve', token: 'TOK', gain: '-5' },
  }
  expect(linesOf({ sandwich, unknown: ['balances', 'prices'] }).slice(-3)).toEqual([
    'Looks like a sandwich: 0x1 (position 2) and 0x2 (position 4) of Eve trade around it in Pool, and take -5 base units of TOK out of it.',
    'Not known: balances.',
    'Not known: prices.',
  ])
})

test('a transaction that is no swap has its reason, and its block if it has one', () => {
  expect(linesOf({ outcome: 'wrap', reason: 'it wraps' })).toEqual([
    'No swap to judge: it wraps (block 7, position 3).',
  ])
  expect(linesOf({ outcome: 'pending', reason: 'it waits', block: null })).toEqual(['No swap to judge: it waits.'])
})
