import { type Address, type Chain, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { atOnce } from '@sluice/rpc'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TokenGraph } from './graph.ts'
import type { PricedToken, TokenPrice } from './token.ts'
import { type FixedLevels, fixedLevelsOf, TokenLevels } from './token-levels.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const ANCHOR = account(1)
const chain = { wrappedNative: null } as unknown as Chain

/** Creates two-token pools with given rates, and the levels computed from them. */
function framed() {
  const graph = new TokenGraph(chain, new Set([ANCHOR]))
  const frame = new TokenLevels()
  /** @param mid - units of b per unit of a */
  const put = (id: string, a: Address, b: Address, backing: number, mid = 1) => {
    const pool = { id, tokens: [a, b] } as unknown as Pool
    const pairs = backing > 0 ? [{ i: 0, j: 1, midPrice: mid, backingI: backing / mid, backingJ: backing }] : []
    frame.enqueuePool(graph.addOrUpdate(pool, { reserves: [backing, backing], fee: 0, pairs }, graph.findPool(id)))
  }
  const remove = (id: string) => {
    const gone = graph.remove(id)
    if (gone) frame.enqueuePool(gone)
  }
  const token = (address: Address): PricedToken => graph.findToken(address)!
  const anchor = () => {
    const anchorPrice: TokenPrice = { price: 1, evidence: Number.POSITIVE_INFINITY }
    frame.setFixedLevels(fixedLevelsOf(new Map([[token(ANCHOR), anchorPrice]])))
  }
  const assign = () => atOnce(frame.assignLevels())
  return { graph, frame, put, remove, token, anchor, assign }
}

const [ONE, TWO, THREE] = [account(2), account(3), account(4)]
/** Returns the level of a token with the given backing in one pool with the anchor. */
function levelOf(backing: number): number {
  const { put, anchor, assign, token } = framed()
  put('p', ONE, ANCHOR, backing)
  anchor()
  assign()
  return token(ONE).level
}

describe('the level of a token', () => {
  test('is the evidence behind it in eighths of a doubling, from 150 dollars on', () => {
    expect([0, 149.9].map(levelOf)).toEqual([0, 0])
    expect(levelOf(151)).toBe(1)
    expect(levelOf(302) - levelOf(151)).toBe(8)
    expect(levelOf(1e9)).toBeGreaterThan(levelOf(1e6))
  })

  test('is that of its best pool, however many there are, and no higher than below its weakest link', () => {
    const { put, anchor, assign, token } = framed()
    put('p', ONE, ANCHOR, 1_000)
    put('q', ONE, ANCHOR, 50_000)
    put('r', ONE, ANCHOR, 2_000)
    put('s', TWO, ONE, 1e9)
    anchor()
    assign()
    expect(token(ONE).level).toBe(levelOf(50_000))
    expect(token(TWO).level).toBe(levelOf(50_000) - 1)
    expect([token(ONE).finalLevel, token(TWO).finalLevel]).toEqual([token(ONE).level, token(TWO).level])
  })

  test('is none without a way from an anchor', () => {
    const { put, anchor, assign, token, remove } = framed()
    put('p', ONE, TWO, 1e9)
    put('q', THREE, ANCHOR, 1_000)
    anchor()
    assign()
    expect([ONE, TWO].map((address) => token(address).level)).toEqual([0, 0])
    expect(token(ONE).referencePrice).toBeNaN()
    put('r', TWO, ANCHOR, 5_000)
    assign()
    expect(token(TWO).level).toBe(levelOf(5_000))
    expect(token(ONE).level).toBe(levelOf(5_000) - 1)
    remove('r')
    assign()
    expect([ONE, TWO].map((address) => token(address).level)).toEqual([0, 0])
  })

  test('comes from the evidence where the token is a measure of others itself', () => {
    const { put, frame, assign, token } = framed()
    put('p', ONE, ANCHOR, 1_000)
    const sources = (evidence: number) => fixedLevelsOf(new Map([[token(ANCHOR), { price: 2, evidence }]]))
    frame.setFixedLevels(sources(10_000))
    assign()
    expect(token(ANCHOR)).toMatchObject({ level: levelOf(10_000), referencePrice: 2 })
    // Dollars: a thousand units at two each.
    expect(token(ONE).level).toBe(levelOf(2_000))
    frame.setFixedLevels(sources(100))
    assign()
    expect([token(ANCHOR).level, token(ONE).level]).toEqual([0, 0])
    frame.setFixedLevels(sources(10_000))
    assign()
    frame.setFixedLevels(new Map() as FixedLevels)
    assign()
    expect([token(ANCHOR).level, token(ONE).level]).toEqual([0, 0])
  })
})

describe('the reference price of a token', () => {
  test('is the nearest eighth of a doubling to the median of its pools by their weight', () => {
    const { put, anchor, assign, token } = framed()
    put('p', ONE, ANCHOR, 1_000, 100)
    put('q', ONE, ANCHOR, 5_000, 2.02)
    put('r', ONE, ANCHOR, 3_000, 2.01)
    anchor()
    assign()
    expect(token(ONE).referencePrice).toBe(2)
  })

  test('hears a pool at most by the dollars behind its other token', () => {
    const { put, anchor, assign, token } = framed()
    put('t', TWO, ANCHOR, 10_000)
    for (const id of ['p', 'q', 'r']) put(id, ONE, ANCHOR, 6_000, 2)
    put('s', ONE, TWO, 1e9, 64)
    anchor()
    assign()
    expect([token(TWO).level, token(ONE).level]).toEqual([levelOf(10_000), levelOf(10_000) - 1])
    expect(token(ONE).referencePrice).toBe(2)
  })

  test('does not hear those below it', () => {
    const { put, anchor, assign, token } = framed()
    put('p', ONE, ANCHOR, 1_000, 2)
    put('q', TWO, ANCHOR, 200, 1)
    for (const id of ['r', 's', 't']) put(id, ONE, TWO, 1e9, 64)
    anchor()
    assign()
    expect(token(ONE).referencePrice).toBe(2)
  })
})

test('the reference price does not depend on tokens of the same level', () => {
  const { put, anchor, assign, token } = framed()
  put('p', ONE, ANCHOR, 1_000, 2)
  put('q', TWO, ANCHOR, 1_000, 1)
  for (const id of ['r', 's', 't']) put(id, ONE, TWO, 1e9, 64)
  anchor()
  assign()
  expect(token(ONE).level).toBe(token(TWO).level)
  expect([token(ONE).referencePrice, token(TWO).referencePrice]).toEqual([2, 1])
})

describe('a word that is sudden', () => {
  /** Two pools of the previous block, the second of which changed now. */
  function jumped(before: number, now: number, mid = 1) {
    const frames = framed()
    frames.put('p', ONE, ANCHOR, 1_000)
    if (before > 0) frames.put('q', ONE, ANCHOR, before)
    else frames.put('q', TWO, ANCHOR, 1_000)
    frames.anchor()
    frames.assign()
    frames.graph.startBlock()
    frames.put(before > 0 ? 'q' : 'new', ONE, ANCHOR, now, mid)
    frames.assign()
    return frames
  }

  test('gives no level beyond that of the block before', () => {
    const { token, graph } = jumped(5_000, 1e9)
    expect(graph.hasNoJumps).toBe(false)
    expect(token(ONE).level).toBe(levelOf(5_000))
    // A pool that had less backing counts with that, if another pool did not jump.
    expect(jumped(500, 1e9).token(ONE).level).toBe(levelOf(1_000))
    expect(jumped(5_000, 200).token(ONE).level).toBe(levelOf(5_000))
  })

  test('gives the lowest level where nothing was there before, and no more', () => {
    expect(jumped(0, 1e9).token(ONE).level).toBe(levelOf(1_000))
    const alone = framed()
    alone.put('p', TWO, ANCHOR, 1_000)
    alone.anchor()
    alone.assign()
    alone.graph.startBlock()
    alone.put('q', THREE, ANCHOR, 1e9)
    alone.assign()
    expect(alone.token(THREE).level).toBe(1)
  })

  test('is heard as of the block before in the reference', () => {
    expect(jumped(5_000, 5_000, 64).token(ONE).referencePrice).toBe(1)
  })

  test('is one as any other when the next block begins', () => {
    const { graph, frame, token, assign } = jumped(500, 1e6)
    for (const pricedPool of graph.startBlock()) frame.enqueuePool(pricedPool)
    assign()
    expect(graph.hasNoJumps).toBe(true)
    expect(token(ONE).level).toBe(levelOf(1e6))
  })

  test('is passed on as of the block before', () => {
    const { put, graph, anchor, assign, token } = framed()
    put('p', ONE, ANCHOR, 1e6)
    put('q', TWO, ONE, 5_000)
    anchor()
    assign()
    graph.startBlock()
    put('q', TWO, ONE, 1e6)
    put('p', ONE, ANCHOR, 4e6)
    assign()
    expect(token(TWO).level).toBe(levelOf(5_000))
  })

  test('gives the level of the block before to a token whose other token becomes an anchor', () => {
    const { put, graph, anchor, assign, token } = framed()
    put('p', ONE, ANCHOR, 10_000)
    assign()
    graph.startBlock()
    put('p', ONE, ANCHOR, 15_000, 1.5)
    assign()
    expect([graph.hasNoJumps, token(ONE).level]).toEqual([false, 0])
    anchor()
    assign()
    expect(token(ONE).level).toBe(levelOf(10_000))
  })
})

describe('levels after any changes', () => {
  const TOKENS = [ANCHOR, ONE, TWO, THREE, account(5), account(6)]
  const change = fc.record({
    id: fc.constantFrom(...'abcdefgh'),
    a: fc.nat({ max: TOKENS.length - 1 }),
    b: fc.nat({ max: TOKENS.length - 1 }),
    backing: fc.constantFrom(0, 100, 300, 1_000, 5_000, 40_000, 1e6),
    mid: fc.constantFrom(0.25, 1, 3),
    isRemoved: fc.boolean(),
    steps: fc.nat({ max: 6 }),
  })

  test('are those of a fresh look at the same pools, also where changes interrupt the work', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (changes) => {
        const followed = framed()
        followed.put('anchor', ANCHOR, account(7), 1e6)
        followed.anchor()
        const now = new Map<string, readonly [Address, Address, number, number]>()
        for (const { id, a, b, backing, mid, isRemoved, steps } of changes) {
          // A pool never changes its tokens.
          const current = now.get(id)
          if (isRemoved) {
            followed.remove(id)
            now.delete(id)
          } else if (a !== b) {
            const [one, other] = current ?? [TOKENS[a]!, TOKENS[b]!]
            now.set(id, [one, other, backing, mid])
            followed.put(id, one, other, backing, mid)
          }
          const work = followed.frame.assignLevels()
          for (let step = 0; step < steps; step++) work.next()
        }
        followed.assign()
        const fresh = framed()
        fresh.put('anchor', ANCHOR, account(7), 1e6)
        for (const [id, [a, b, backing, mid]] of now) fresh.put(id, a, b, backing, mid)
        fresh.anchor()
        fresh.assign()
        const placementsOf = ({ graph }: typeof fresh) =>
          TOKENS.map((address) => graph.findToken(address)).map(
            (token) => token && [token.level, token.referencePrice, token.finalLevel],
          )
        expect(placementsOf(followed)).toEqual(placementsOf(fresh))
      }),
      { numRuns: 300 },
    )
  })
})

test('the pools of one token are visited in steps of a thousand', () => {
  /** Steps per token of a star of pools around one token. */
  const stepsOf = (count: number) => {
    const { put, anchor, frame } = framed()
    put('p', ONE, ANCHOR, 1e9)
    for (let k = 0; k < count; k++) put(`${k}`, account(100 + k), ONE, 1_000)
    anchor()
    return [...frame.assignLevels()].length - count
  }
  expect(stepsOf(2_100) - stepsOf(900)).toBe(2)
})
