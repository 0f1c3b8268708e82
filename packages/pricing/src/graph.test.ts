/** Tests the tokens, edges, and price jumps of a graph after changes of its pools. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { edgeOf, graphWith } from '../test/graph.ts'
import { address } from '../test/pools.ts'
import { canonicalToken, hasOtherTokens } from './graph.ts'

const [A, B, C, WRAPPED] = [address(1), address(2), address(3), address(9)]
const wrappedNative = { address: WRAPPED }

describe('the native token', () => {
  test('is the wrapped native token, or the zero address if the chain has none', () => {
    for (const native of [NATIVE, ZERO_ADDRESS]) {
      expect(canonicalToken(native, { wrappedNative } as never)).toBe(WRAPPED)
      expect(canonicalToken(native, { wrappedNative: null } as never)).toBe(ZERO_ADDRESS)
    }
    expect(canonicalToken(A, { wrappedNative } as never)).toBe(A)
  })

  test('is found and listed by each of its addresses', () => {
    const { graph, put, tokenAt } = graphWith({ wrappedNative, listed: [WRAPPED] })
    put('p', [ZERO_ADDRESS, A], [{ rate: 2, backing: 10 }])
    for (const native of [NATIVE, ZERO_ADDRESS, WRAPPED]) {
      expect([graph.findToken(native)?.address, graph.isListed(native)]).toEqual([WRAPPED, true])
    }
    expect([graph.isListed(A), tokenAt(A).isListed, tokenAt(WRAPPED).isListed]).toEqual([false, false, true])
  })
})

test.each([
  ['the same list', [A, B], [A, B], false],
  ['another order', [A, B], [B, A], true],
  ['another token', [A, B], [A, C], true],
  ['more tokens', [A, B], [A, B, C], true],
  ['fewer tokens', [A, B, C], [A, B], true],
])('a pool with %s has other tokens or not', (_, old, tokens, expected) =>
  expect(hasOtherTokens({ tokens: old } as never, { tokens } as never)).toBe(expected),
)

describe('the pools of a token', () => {
  test('contain a pool once, even if it holds the token twice', () => {
    const { put, tokenAt, graph } = graphWith()
    const pool = put('p', [A, A, B], [{ rate: 1, backing: 5 }])
    expect(tokenAt(A).pricedPools).toEqual([pool])
    expect(pool.edges).toEqual([])
    graph.remove('p')
    expect(graph.findToken(A)).toBeUndefined()
  })

  test('lose a removed pool, and only that one', () => {
    const { graph, put, tokenAt } = graphWith()
    const [first, second, third] = ['p', 'q', 'r'].map((id) => put(id, [A, B], [{ rate: 1, backing: 5 }]))
    tokenAt(A).sufficientPool = second
    tokenAt(B).sufficientPool = first
    expect(graph.remove('q')).toBe(second)
    expect(new Set(tokenAt(A).pricedPools)).toEqual(new Set([first, third]))
    expect([tokenAt(A).sufficientPool, tokenAt(B).sufficientPool]).toEqual([undefined, first])
    expect([tokenAt(A).edges.length, graph.findPool('q'), graph.remove('q')]).toEqual([2, undefined, undefined])
    graph.remove('p')
    graph.remove('r')
    expect([graph.findToken(A), graph.findToken(B)]).toEqual([undefined, undefined])
  })

  test('are indexed by another listed token once there are more than 256', () => {
    const { graph, put, tokenAt } = graphWith({ listed: [A, B] })
    const listedPool = put('listed', [A, B], [])
    for (let n = 1; n < 256; n++) put(`p${n}`, [A, address(0x100 + n)], [])
    expect([tokenAt(A).pricedPools.length, tokenAt(A).listedPools]).toEqual([256, undefined])
    put('p256', [A, address(0x200)], [])
    expect(tokenAt(A).listedPools).toEqual(new Set([listedPool]))
    const laterPool = put('later', [C, A, B], [])
    expect(tokenAt(A).listedPools).toEqual(new Set([listedPool, laterPool]))
    graph.remove('listed')
    expect(tokenAt(A).listedPools).toEqual(new Set([laterPool]))
    expect(tokenAt(B).listedPools).toBeUndefined()
  })
})

describe('the edges of a pool', () => {
  test('have its rate in both directions, with the liquidity of the other token', () => {
    const { put } = graphWith()
    const pool = put('p', [A, B], [{ rate: 4, backing: 100 }], { reserves: [30, 110], fee: 0.003 })
    const [forward, backward] = [edgeOf(pool, A, B), edgeOf(pool, B, A)]
    expect([forward.rate, forward.backing, backward.rate, backward.backing]).toEqual([4, 100, 0.25, 25])
    expect([forward.reverse, backward.reverse, pool.edges.length]).toEqual([backward, forward, 2])
    expect([pool.reserves, pool.fee]).toEqual([[30, 110], 0.003])
  })

  test('are updated in place while its pairs are the same', () => {
    const { put, graph } = graphWith()
    const pool = put('p', [A, B], [{ rate: 4, backing: 100 }])
    const edges = pool.edges
    const next = put('p', [A, B], [{ rate: 5, backing: 50 }], { reserves: [1, 2], fee: 0.01 })
    expect([next, next.edges, next.reserves, next.fee]).toEqual([pool, edges, [1, 2], 0.01])
    const [forward, backward] = [edgeOf(pool, A, B), edgeOf(pool, B, A)]
    expect(forward).toBe(edges[0])
    expect([forward.rate, forward.backing, backward.rate, backward.backing]).toEqual([5, 50, 0.2, 10])
    expect(graph.findPool('p')).toBe(pool)
  })

  test.each([
    [
      'fewer pairs',
      [{ rate: 2, backing: 10, i: 0, j: 1 }],
      [
        [A, B],
        [B, A],
      ],
    ],
    [
      'other pairs',
      [
        { rate: 2, backing: 10, i: 0, j: 1 },
        { rate: 3, backing: 10, i: 0, j: 2 },
      ],
      [
        [A, B],
        [B, A],
        [A, C],
        [C, A],
      ],
    ],
    ['no pairs', [], []],
  ])('are replaced if it has %s now', (_, rates, expected) => {
    const { put, tokenAt } = graphWith()
    put(
      'p',
      [A, B, C],
      [
        { rate: 2, backing: 10, i: 0, j: 1 },
        { rate: 3, backing: 10, i: 1, j: 2 },
      ],
    )
    const pool = put('p', [A, B, C], rates)
    expect(pool.edges.map(({ token, otherToken }) => [token.address, otherToken.address])).toEqual(expected)
    const edgeCount = [A, B, C].reduce((sum, token) => sum + tokenAt(token).edges.length, 0)
    expect(edgeCount).toBe(expected.length)
  })

  test('leave out a pair of a token with itself, such as the native token and its wrapper', () => {
    const { put } = graphWith({ wrappedNative })
    const rates = [
      { rate: 1, backing: 10, i: 0, j: 1 },
      { rate: 2, backing: 20, i: 0, j: 2 },
    ]
    const { edges } = put('p', [ZERO_ADDRESS, WRAPPED, B], rates)
    expect(edges.map(({ rate }) => rate)).toEqual([2, 0.5])
    expect(put('p', [ZERO_ADDRESS, WRAPPED, B], rates).edges).toBe(edges)
  })
})

describe('a price jump', () => {
  const world = (rate = 1) => {
    const graph = graphWith()
    const put = (id: string, rate: number, backing = 100) => graph.put(id, [A, B], [{ rate, backing }])
    put('p', rate)
    return { ...graph, put, before: () => edgeOf(graph.graph.findPool('p')!, A, B).rateBeforeJump?.rate }
  }

  test('is detected from the second block on', () => {
    const { graph, put, before } = world()
    put('p', 2)
    expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
    graph.startBlock()
    put('p', 3)
    expect([before(), graph.hasNoJumps]).toEqual([2, false])
  })

  test('is a move of more than 2 % since the last block, in one step or several', () => {
    const { graph, put, before } = world()
    graph.startBlock()
    put('p', 1.015)
    expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
    put('p', 1.03)
    expect([before(), graph.hasNoJumps]).toEqual([1, false])
    put('p', 1.01)
    expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
  })

  test('is not a move of 2 % or less per block', () => {
    const { graph, put, before } = world()
    for (const rate of [1.015, 1.03, 1.045]) {
      graph.startBlock()
      put('p', rate)
      expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
    }
  })

  test('is not the lower liquidity after a report of missing balances, even if the pool moves again', () => {
    const { graph, put, before } = world()
    graph.startBlock()
    const pool = put('p', 1.01)
    const backing = 10
    const pairs = [{ i: 0, j: 1, midPrice: 1.01, backingI: backing / 1.01, backingJ: backing }]
    graph.correct(pool, { reserves: [backing, backing], fee: 0, pairs })
    put('p', 1.012, backing)
    expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
    put('p', 1.03, backing)
    expect([before(), graph.hasNoJumps]).toEqual([1, false])
  })

  test('counts from the next block on', () => {
    const { graph, put, before } = world()
    graph.startBlock()
    const pool = put('p', 2)
    expect(graph.startBlock()).toEqual([pool])
    expect([before(), graph.hasNoJumps, edgeOf(pool, A, B).rate]).toEqual([undefined, true, 2])
    expect(graph.startBlock()).toEqual([])
  })

  test('is not the return from a jump of the last block', () => {
    const { graph, put, before } = world()
    graph.startBlock()
    put('p', 2)
    graph.startBlock()
    put('p', 1)
    expect([before(), graph.hasNoJumps]).toEqual([undefined, true])
  })

  test('of one pair of several is one of the pool', () => {
    const { graph, put } = graphWith()
    const pool = (second: number) =>
      put(
        'p',
        [A, B, C],
        [
          { rate: 1, backing: 100, i: 0, j: 1 },
          { rate: second, backing: 100, i: 0, j: 2 },
        ],
      )
    pool(1)
    graph.startBlock()
    const { edges } = pool(2)
    expect(edges.map(({ rateBeforeJump }) => rateBeforeJump?.rate)).toEqual([undefined, undefined, 1, 1])
    expect(graph.hasNoJumps).toBe(false)
  })

  test('of a new pool is from no liquidity', () => {
    const { graph, put } = world()
    graph.startBlock()
    expect(edgeOf(put('new', 1), A, B).rateBeforeJump).toEqual({ rate: Number.NaN, backing: 0 })
    expect(graph.startBlock()).toHaveLength(1)
    expect(edgeOf(put('new', 1.01), A, B).rateBeforeJump).toBeUndefined()
  })

  test('of a pool without a price that gets one is from no liquidity', () => {
    const { graph, put } = graphWith()
    put('p', [A, B], [])
    graph.startBlock()
    const pool = put('p', [A, B], [{ rate: 4, backing: 100 }])
    expect(edgeOf(pool, A, B).rateBeforeJump).toEqual({ rate: Number.NaN, backing: 0 })
  })

  test('of a removed pool that comes back is from its last rate', () => {
    const { graph, put, before } = world()
    graph.startBlock()
    graph.remove('p')
    put('p', 1.01)
    expect(before()).toBeUndefined()
    put('p', 3)
    expect(before()).toBe(1)
    graph.remove('p')
    expect(graph.hasNoJumps).toBe(true)
    graph.startBlock()
    put('p', 1.01)
    expect(before()).toBeUndefined()
  })

  test('keeps a pair that ended with its last rate for one block', () => {
    const { graph, put } = graphWith()
    put('p', [A, B], [{ rate: 4, backing: 100 }])
    graph.startBlock()
    const pool = put('p', [A, B], [])
    expect([pool.edges.length, edgeOf(pool, A, B).backing, edgeOf(pool, B, A).backing]).toEqual([2, 0, 0])
    expect(edgeOf(pool, A, B).rateBeforeJump).toMatchObject({ rate: 4, backing: 100 })
    expect(edgeOf(pool, B, A).rateBeforeJump).toMatchObject({ rate: 0.25, backing: 25 })
    expect(graph.startBlock()).toEqual([pool])
    expect([edgeOf(pool, A, B).rateBeforeJump, edgeOf(pool, A, B).backing]).toEqual([undefined, 0])
  })

  test('keeps the ended pair of a pool whose other pairs go on', () => {
    const { graph, put } = graphWith()
    const first = { rate: 4, backing: 100, i: 0, j: 1 }
    put('p', [A, B, C], [first, { rate: 5, backing: 50, i: 1, j: 2 }])
    graph.startBlock()
    const pool = put('p', [A, B, C], [first])
    expect(pool.edges).toHaveLength(4)
    expect(edgeOf(pool, A, B).rateBeforeJump).toBeUndefined()
    expect(edgeOf(pool, B, C)).toMatchObject({ backing: 0, rateBeforeJump: { rate: 5, backing: 50 } })
  })
})

test('a new block costs nothing for pools that stayed the same for three blocks, or moved little since', () => {
  const { graph } = graphWith()
  let reads = 0
  const pool = {
    tokens: [A, B],
    get id() {
      reads++
      return 'p'
    },
  } as unknown as Pool
  const view = (midPrice: number) => ({
    ...{ reserves: [1, 1], fee: 0 },
    pairs: [{ i: 0, j: 1, midPrice, backingI: 1, backingJ: 1 }],
  })
  graph.startBlock()
  graph.addOrUpdate(pool, view(1), undefined)
  for (let block = 0; block < 4; block++) graph.startBlock()
  reads = 0
  graph.startBlock()
  expect(reads).toBe(0)
  graph.addOrUpdate(pool, view(1.01), graph.findPool('p'))
  reads = 0
  graph.startBlock()
  expect(reads).toBe(0)
  graph.addOrUpdate(pool, view(2), graph.findPool('p'))
  reads = 0
  graph.startBlock()
  expect(reads).toBeGreaterThan(0)
})
