/** Tests which moves of a pool's rate are jumps, and how long the rates of past blocks are kept. */
import { describe, expect, test } from 'vitest'
import { address } from '../test/pools.ts'
import { isSimilar, PoolHistory } from './pool-history.ts'
import type { PricedPool, PriceEdge } from './token.ts'

const [A, B, C] = [address(1), address(2), address(3)]
type Rate = { readonly rate: number; readonly backing: number }

const edgeWith = ({ rate, backing }: Rate, token = A, otherToken = B) =>
  ({ token: { address: token }, otherToken: { address: otherToken }, rate, backing }) as unknown as PriceEdge
const poolWith = (...edges: readonly PriceEdge[]) => ({ edges }) as unknown as PricedPool
const ratesWith = ({ rate, backing }: Rate) => [{ token: A, otherToken: B, rate, backing }]
/** History of a pool with the given rates at the end of the last three blocks, the oldest first. */
function historyOf(threeBlocksAgo: Rate, twoBlocksAgo: Rate, oneBlockAgo: Rate): PoolHistory {
  const history = new PoolHistory(ratesWith(threeBlocksAgo))
  for (const rate of [twoBlocksAgo, oneBlockAgo]) {
    history.hasChanged = true
    history.startBlock(poolWith(edgeWith(rate)))
  }
  return history
}
const at = (rate: number, backing = 100): Rate => ({ rate, backing })

describe('two rates', () => {
  test.each([
    ['2 % apart', at(1.02), at(1), true],
    ['more than 2 % apart', at(1.0201), at(1), false],
    ['almost 2 % apart downward', at(1), at(1.0199), true],
    ['more than 2 % apart downward', at(1), at(1.0201), false],
    ['of twice the liquidity', at(1, 200), at(1, 100), true],
    ['of more than twice the liquidity', at(1, 201), at(1, 100), false],
    ['of half the liquidity', at(1, 50), at(1, 100), true],
    ['of less than half the liquidity', at(1, 49), at(1, 100), false],
    ['both without liquidity', at(Number.NaN, 0), at(1, 0), true],
    ['of which the first has no liquidity', at(1, 0), at(1), false],
    ['of which the second has no liquidity', at(1), at(1, 0), false],
  ])('%s are similar or not', (_, a, b, expected) => expect(isSimilar(a, b)).toBe(expected))
})

describe('the rate before a jump', () => {
  test.each([
    ['is none without a jump', [1, 1, 1], 1.02, undefined],
    ['is that of the last block', [1, 1, 1], 1.03, 1],
    ['is none if the jump lasted for a block', [1, 1, 2], 2, undefined],
    ['is none after the return from a jump', [1, 1, 2], 1, undefined],
    ['is that before the first of two jumps', [1, 1, 2], 3, 1],
    ['is that of the last block if the rate had not lasted two blocks', [1, 2, 3], 4, 3],
    ['is that of the last block on the return to a rate that had not lasted', [1, 2, 3], 2, 3],
    ['is that of the last block if that had lasted', [1, 2, 2], 1, 2],
  ] as const)('%s', (_, past, current, expected) => {
    const [oldest, middle, newest] = past.map((rate) => at(rate)) as [Rate, Rate, Rate]
    expect(historyOf(oldest, middle, newest).rateBeforeJump(edgeWith(at(current)))?.rate).toBe(expected)
  })

  test('of a pair that the pool did not have has no liquidity', () => {
    const history = historyOf(at(1), at(1), at(1))
    for (const [token, otherToken] of [
      [A, C],
      [C, B],
      [B, A],
    ] as const) {
      expect(history.rateBeforeJump(edgeWith(at(1), token, otherToken))).toEqual({ rate: Number.NaN, backing: 0 })
      expect(history.rateBeforeJump(edgeWith(at(1, 0), token, otherToken))).toBeUndefined()
    }
  })

  test('is that of its own pair', () => {
    const edges = [edgeWith(at(1)), edgeWith(at(2), A, C), edgeWith(at(3), B, C)]
    const history = new PoolHistory([])
    for (let block = 0; block < 2; block++) history.startBlock(poolWith(...edges))
    const before = edges.map((edge) => history.rateBeforeJump({ ...edge, rate: 9 } as PriceEdge)?.rate)
    expect(before).toEqual([1, 2, 3])
  })
})

describe('backings that are capped', () => {
  test('are those of all three blocks, so that the return from a jump is still no jump', () => {
    const history = historyOf(at(1), at(1), at(3))
    history.capBackings([edgeWith(at(3, 20))])
    expect(history.rateBeforeJump(edgeWith(at(1, 20)))).toBeUndefined()
    expect(history.rateBeforeJump(edgeWith(at(9, 20)))).toMatchObject(at(1, 20))
  })

  test('stay as they were where the current ones are higher, and are 0 for a pair that is gone', () => {
    const history = historyOf(at(1), at(1), at(1))
    history.capBackings([edgeWith(at(1, 200))])
    expect(history.recentRates.map(({ backing }) => backing)).toEqual([100, 100])
    history.capBackings([])
    expect(history.recentRates).toEqual([])
  })
})

describe('the recent rates', () => {
  test('are those of two blocks with liquidity behind them', () => {
    const rates = () => historyOf(at(1), at(2), at(3)).recentRates.map(({ rate }) => rate)
    expect(rates()).toEqual([3, 2])
    expect(historyOf(at(1), at(2), at(3, 0)).recentRates.map(({ rate }) => rate)).toEqual([2])
    expect(historyOf(at(1), at(2, 0), at(3, 0)).recentRates).toEqual([])
  })

  test('are none for a pool that is gone', () => {
    const history = new PoolHistory(ratesWith(at(1)))
    history.startBlock(undefined)
    expect(history.recentRates).toEqual(ratesWith(at(1)))
    history.startBlock(undefined)
    expect(history.recentRates).toEqual([])
  })
})

describe('a new block', () => {
  test('reads the rates of the pool only if it changed', () => {
    const history = historyOf(at(1), at(1), at(1))
    history.startBlock(poolWith(edgeWith(at(5))))
    expect(history.rateBeforeJump(edgeWith(at(5)))?.rate).toBe(1)
    history.hasChanged = true
    history.startBlock(poolWith(edgeWith(at(5))))
    expect([history.hasChanged, history.rateBeforeJump(edgeWith(at(5)))]).toEqual([false, undefined])
  })

  test('ends the history once nothing changed for three blocks', () => {
    const history = new PoolHistory(ratesWith(at(1)))
    const pool = poolWith(edgeWith(at(2)))
    expect([1, 2, 3, 4].map(() => history.startBlock(pool))).toEqual([false, false, false, true])
    history.hasChanged = true
    expect([1, 2, 3, 4].map(() => history.startBlock(pool))).toEqual([false, false, false, true])
  })
})
