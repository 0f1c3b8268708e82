/** Compares the edges of a token, and their numbers in contiguous arrays, with a plain list. */
import { describe, expect, test } from 'vitest'
import { type PricedPool, type PricedToken, PriceEdge } from './token.ts'

const tokenNamed = (address: string) =>
  ({ address, edges: [], otherTokens: [], edgeData: [], jumpedEdgeCount: 0 }) as unknown as PricedToken
const token = tokenNamed('0x1')
const edgeTo = (name: string) => new PriceEdge({} as PricedPool, token, tokenNamed(name))

describe('the edges of a token', () => {
  test('are the same as in a plain list after each change', () => {
    const expected = new Map<PriceEdge, readonly [number, number, number]>()
    const edges = Array.from({ length: 12 }, (_, k) => edgeTo(`0x${k}`))
    const check = () => {
      expect(new Set(token.edges)).toEqual(new Set(expected.keys()))
      expect(token.edges.length).toBe(expected.size)
      for (const [edge, [rate, backing, tokenBacking]] of expected) {
        expect(token.edges[edge.index]).toBe(edge)
        expect(token.otherTokens[edge.index]).toBe(edge.otherToken)
        expect([edge.rate, edge.backing, token.edgeData[3 * edge.index + 2]]).toEqual([rate, backing, tokenBacking])
      }
      expect(token.edgeData.length).toBe(3 * expected.size)
      for (const edge of edges) if (!expected.has(edge)) expect(edge.index).toBe(-1)
    }
    check()
    let changes = 0
    // Each step attaches, changes, or detaches an edge, in an order without a pattern.
    for (let step = 1; step <= 200; step++) {
      const edge = edges[(step * step + 7 * step) % 11]!
      const numbers = [step, step + 0.5, step + 0.25] as const
      if (!expected.has(edge)) {
        edge.attach(...numbers)
        expected.set(edge, numbers)
      } else if (step % 3 === 0) {
        edge.setRate(...numbers)
        expected.set(edge, numbers)
      } else {
        edge.detach()
        expected.delete(edge)
      }
      changes++
      check()
    }
    expect(changes).toBe(200)
  })

  test('count their price jumps, and forget them when they are detached', () => {
    const counted = tokenNamed('0x2')
    const edges = ['0x3', '0x4'].map((name) => new PriceEdge({} as PricedPool, counted, tokenNamed(name)))
    for (const edge of edges) edge.attach(1, 1, 1)
    edges[0]!.rateBeforeJump = { rate: 2, backing: 2 }
    edges[0]!.rateBeforeJump = { rate: 3, backing: 3 }
    edges[1]!.rateBeforeJump = { rate: 4, backing: 4 }
    expect(counted.jumpedEdgeCount).toBe(2)
    edges[1]!.rateBeforeJump = undefined
    expect(counted.jumpedEdgeCount).toBe(1)
    edges[0]!.detach()
    expect([counted.jumpedEdgeCount, edges[0]!.rateBeforeJump]).toEqual([0, undefined])
  })
})
