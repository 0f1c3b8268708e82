/** Tests of the response body of the referee. */
import { type Chain, toAddress } from '@sluice/chains'
import type { SwapVerdict } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { refereeResponse, verdictResponse } from './referee-response.ts'

const at = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [A, B, TRADER, ROUTER, OTHER] = ['a', 'b', '1', '2', '3'].map(at) as [
  ...[Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0], Chain['hubs'][0]],
]
const chain = { chainId: 1, wrappedNative: null } as Chain
const hash = `0x${'ab'.repeat(32)}` as const
const leg = {
  pool: { id: 'pool', family: 'uniswap-v2', dex: 'Uniswap' },
  ...{ tokenIn: A, tokenOut: B, amountIn: 100n, amountOut: 210n, gas: 9.6 },
}
const comparison = {
  state: 'position',
  best: {
    ...{ id: '1-7-ab', amountOut: 210n, netAmountOut: -5n, gasCostWei: 1n, poolsPending: false, pools: ['pool'] },
    route: { tokenIn: A, tokenOut: B, amountIn: 100n, legs: [leg] },
  },
  ...{ bound: 220n, leftBps: 12.5, leftAtMostBps: 40, leftNetBps: -3 },
}
const trade = {
  ...{ trader: TRADER, recipient: OTHER, tokenIn: A, tokenOut: B, amountIn: 100n, amountOut: 200n },
  ...{ netAmountOut: -7n, paidAtParent: 201n, fees: [{ account: OTHER, token: A, amount: 3n }] },
  comparisons: [comparison],
}
const mined = {
  ...{ block: 7, blockHash: `0x${'07'.repeat(32)}`, index: 3, from: TRADER, to: ROUTER },
  ...{ gasUsed: 50_000n, gasPriceWei: 9n, costWei: 450_001n },
}
const verdict = (change: object = {}) =>
  ({
    hash,
    outcome: 'swap',
    reason: null,
    mined,
    trades: [trade],
    sandwich: null,
    gaps: [],
    ...change,
  }) as unknown as SwapVerdict

describe('the body of a verdict', () => {
  test('has the transaction, its trades, and their comparisons, with amounts as text', () => {
    const body = verdictResponse(verdict(), chain)
    expect(refereeResponse.parse(body)).toEqual(body)
    const { trades, ...rest } = body
    expect(rest).toEqual({
      ...{ hash, outcome: 'swap', reason: null, reasonCode: null, block: 7, blockHash: mined.blockHash, index: 3 },
      ...{ from: TRADER, to: ROUTER, gasUsed: '50000', gasPrice: '9', gasCost: '450001', sandwich: null },
      ...{ gaps: [], unknown: [] },
    })
    expect(trades).toMatchObject([
      {
        ...{ trader: TRADER, recipient: OTHER, src: A, dst: B, fromAmount: '100', toAmount: '200', netToAmount: '-7' },
        ...{ toAmountAtParent: '201', fees: [{ account: OTHER, token: A, amount: '3' }] },
        comparisons: [
          {
            ...{ state: 'position', toAmount: '210', netToAmount: '-5', quoteId: '1-7-ab', pools: ['pool'] },
            ...{ bound: '220', leftBps: 12.5, leftAtMostBps: 40, leftNetBps: -3 },
            swaps: [{ pool: 'pool', tokenIn: A, tokenOut: B, amountIn: '100', amountOut: '210' }],
          },
        ],
      },
    ])
    expect(trades[0]!.comparisons[0]).not.toHaveProperty('poolsPending')
  })

  test('has null for what is unknown, and pools that are still searched for', () => {
    const unknown = {
      ...{ ...trade, netAmountOut: null, paidAtParent: null, fees: [] },
      comparisons: [
        { ...comparison, bound: null, best: { ...comparison.best, netAmountOut: null, poolsPending: true } },
      ],
    }
    const [body] = verdictResponse(verdict({ trades: [unknown] }), chain).trades
    expect(body).toMatchObject({ netToAmount: null, toAmountAtParent: null })
    expect(body!.comparisons[0]).toMatchObject({ netToAmount: null, bound: null, poolsPending: true })
  })

  test('of no swap has its reason, and no transaction where none is known', () => {
    const reason = { code: 'UNKNOWN', message: 'the node does not know it' }
    const body = verdictResponse(verdict({ outcome: 'unknown', reason, mined: null, trades: [] }), chain)
    expect(body).toMatchObject({ outcome: 'unknown', reason: reason.message, reasonCode: 'UNKNOWN', trades: [] })
    for (const name of ['block', 'blockHash', 'index', 'from', 'to', 'gasUsed', 'gasPrice', 'gasCost'] as const)
      expect(body[name]).toBeNull()
  })

  test('names gaps and a sandwich', () => {
    const position = (index: number) => ({ hash, index })
    const sandwich = { pool: A, front: position(2), back: position(4), by: OTHER, token: B, gain: -5n }
    const gaps = [{ code: 'BALANCES', message: 'balances', details: 'more' }]
    const body = verdictResponse(verdict({ sandwich, gaps }), chain)
    expect(body.sandwich).toEqual({ ...sandwich, gain: '-5' })
    expect([body.gaps, body.unknown]).toEqual([[{ code: 'BALANCES', message: 'balances' }], ['balances']])
  })
})
