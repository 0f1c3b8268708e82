/** Property tests of the route layout. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphOf, type RouteToDraw, stripsOf } from './graph.ts'
import { computeLayout } from './layout.ts'

const address = (index: number) => `0x${String(index).padStart(40, '0')}`

/**
 * Routes that lead forward over up to six tokens, like the service's: the legs of every token but the last have shares
 * that add up.
 */
const route = fc
  .integer({ min: 2, max: 6 })
  .chain((tokens) =>
    fc.record({
      tokens: fc.constant(tokens),
      legs: fc.array(
        fc.record({
          from: fc.integer({ min: 0, max: tokens - 2 }),
          hop: fc.integer({ min: 1, max: tokens - 1 }),
          weight: fc.integer({ min: 1, max: 1_000 }),
        }),
        { minLength: 0, maxLength: 30 },
      ),
    }),
  )
  .map(({ tokens, legs }): RouteToDraw => {
    // One path visits all tokens, so that every token has a leg.
    const path = Array.from({ length: tokens - 1 }, (_, from) => ({ from, hop: 1, weight: 500 }))
    const all = [...path, ...legs].map(({ from, hop, weight }) => ({
      from,
      to: Math.min(tokens - 1, from + hop),
      weight,
    }))
    const sum = (from: number) => all.reduce((total, leg) => total + (leg.from === from ? leg.weight : 0), 0)
    const swaps = all.map(({ from, to, weight }, index) => ({
      ...{ pool: `0x${index.toString(16).padStart(40, 'a')}`, protocol: 'uniswap-v3', dex: `Dex ${index}` },
      ...{ tokenIn: address(from), tokenOut: address(to), amountIn: '1', amountOut: '1', gas: '1' },
      share: (100 * weight) / sum(from),
    }))
    return { src: address(0), dst: address(tokens - 1), swaps }
  })

test('the whole order arrives, each part once', () => {
  fc.assert(
    fc.property(route, (drawn) => {
      const { tokens, targetId } = graphOf(drawn)
      expect(tokens.find(({ id }) => id === targetId)!.flow).toBeCloseTo(1, 9)
      for (const { incoming, outgoing, flow, id } of tokens) {
        if (incoming.length > 0) expect(incoming.reduce((sum, leg) => sum + leg.flow, 0)).toBeCloseTo(flow, 9)
        if (id !== targetId) expect(outgoing.reduce((sum, leg) => sum + leg.flow, 0)).toBeCloseTo(flow, 9)
      }
    }),
  )
})

test('gates of a column have separate rows inside the drawing, and bands have finite coordinates', () => {
  fc.assert(
    fc.property(route, fc.integer({ min: 600, max: 1_400 }), (drawn, width) => {
      const { gates, bars, bands, height } = computeLayout(drawn, { width })
      expect(bands).toHaveLength(gates.length)
      for (const { path } of bands) expect(path).not.toMatch(/NaN|Infinity/)
      for (const bar of bars) expect(bar.x).toBeLessThanOrEqual(width)
      const columns = Map.groupBy(gates, ({ x }) => x)
      for (const column of columns.values()) {
        const middles = column.map(({ y, height }) => y + height / 2).sort((a, b) => a - b)
        for (let k = 1; k < middles.length; k++) expect(middles[k]! - middles[k - 1]!).toBeGreaterThan(23.9)
        for (const gate of column) {
          expect(gate.y).toBeGreaterThanOrEqual(-0.1)
          expect(gate.y + gate.height).toBeLessThanOrEqual(height + 0.1)
        }
      }
    }),
  )
})

test('folding keeps the total flow, and unfolding shows every leg', () => {
  fc.assert(
    fc.property(route, (drawn) => {
      const folded = computeLayout(drawn, { width: 900, maxGatesPerPair: 3 }).gates.map(({ leg }) => leg)
      const whole = computeLayout(drawn, { width: 900, isUnfolded: true }).gates.map(({ leg }) => leg)
      const sum = (legs: readonly { readonly flow: number }[]) => legs.reduce((total, { flow }) => total + flow, 0)
      expect(whole).toHaveLength(drawn.swaps.length)
      expect(sum(folded)).toBeCloseTo(sum(whole), 9)
    }),
  )
})

test('strips contain every leg once', () => {
  fc.assert(
    fc.property(route, (drawn) => {
      const indices = stripsOf(graphOf(drawn)).flatMap(({ legs }) => legs.map(({ index }) => index))
      expect(indices.sort((a, b) => a - b)).toEqual(drawn.swaps.map((_, index) => index))
    }),
  )
})

test('the bar of the output token is last, also with native ends that are wrapped outside of the legs', () => {
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const leg = {
    pool: address(9),
    protocol: 'uniswap-v2',
    dex: 'D',
    amountIn: '1',
    amountOut: '1',
    gas: '1',
    share: 100,
  }
  const { sourceId, targetId } = graphOf({
    src: native,
    dst: address(2),
    swaps: [{ ...leg, tokenIn: address(1), tokenOut: address(2) }],
  })
  expect([sourceId, targetId]).toEqual([address(1), address(2)])
})

test('legs of the native token and of its wrapper share the source and the target by their shares', () => {
  const [native, wrapped, usd] = [address(1), address(2), address(3)]
  const leg = (tokenIn: string, tokenOut: string, share: number) => ({
    ...{
      pool: `0x${share}`,
      protocol: 'p',
      dex: 'd',
      tokenIn,
      tokenOut,
      amountIn: '1',
      amountOut: '1',
      share,
      gas: '1',
    },
  })
  const selling = graphOf({ src: native, dst: usd, swaps: [leg(native, usd, 60), leg(wrapped, usd, 40)] })
  expect(selling.legs.map(({ flow }) => flow)).toEqual([0.6, 0.4])
  expect(selling.tokens.map(({ id, flow }) => [id, flow])).toEqual([
    [native, 1],
    [usd, 1],
  ])
  const buying = graphOf({ src: usd, dst: native, swaps: [leg(usd, native, 60), leg(usd, wrapped, 40)] })
  expect(buying.tokens.map(({ id, flow }) => [id, flow])).toEqual([
    [usd, 1],
    [native, 1],
  ])
  // The wrapper as a token in between stays a token of its own.
  const between = [
    leg(usd, wrapped, 100),
    leg(wrapped, native, 50),
    leg(wrapped, address(4), 50),
    leg(address(4), native, 100),
  ]
  expect(graphOf({ src: usd, dst: native, swaps: between }).tokens).toHaveLength(4)
})
