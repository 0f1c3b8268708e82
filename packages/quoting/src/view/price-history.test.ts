/** Unit tests of the price history. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriceHistory } from './price-history.ts'

const token = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address

/** A block on one of several branches. */
function blockOf(number: number, timestamp = number, branch = 0): BlockHeader {
  const hash = `0x${branch}${number.toString(16).padStart(63, '0')}` as const
  return { ...{ number, hash, parentHash: hash, timestamp }, gasLimit: 0n, baseFeePerGas: null, miner: ZERO_ADDRESS }
}
const historyOf = (tokens: readonly Address[], isCanonical: (block: BlockHeader) => boolean = () => true) =>
  new PriceHistory(tokens, isCanonical)

test('every point is the price of its block, in rising order, and their number stays bounded', () => {
  const history = historyOf([token(1)])
  const LAST = 5_000
  for (let number = 1; number <= LAST; number++) history.record(blockOf(number, number * 12), () => number / 7)
  const points = history.pointsOf(token(1))
  expect(points.length).toBeGreaterThan(250)
  expect(points.length).toBeLessThanOrEqual(512)
  expect(points[0]!.block).toBe(1)
  // The newest point is at most one distance old.
  expect(LAST - points.at(-1)!.block).toBeLessThan(16)
  for (const { block, timestamp, usd } of points) expect([timestamp, usd]).toEqual([block * 12, block / 7])
})

test('blocks that a reorg removed are replaced, in any order of blocks', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 }), (numbers) => {
      const history = historyOf([token(1)])
      const newest = new Map<number, number>()
      for (const [turn, number] of numbers.entries()) {
        history.record(blockOf(number), () => turn + 1)
        for (const block of newest.keys()) if (block >= number) newest.delete(block)
        newest.set(number, turn + 1)
      }
      expect(history.pointsOf(token(1)).map(({ block, usd }) => [block, usd])).toEqual([...newest])
    }),
  )
})

test('blocks that a longer branch removed have no points, although its first blocks are not recorded', () => {
  let canonical: readonly BlockHeader[] = []
  const history = historyOf([token(1)], (block) => canonical.some(({ hash }) => hash === block.hash))
  const record = (branch: readonly BlockHeader[], usd: number) => {
    canonical = branch
    history.record(branch.at(-1)!, () => usd)
  }
  const shared = [blockOf(1), blockOf(2)]
  record(shared.slice(0, 1), 1)
  record(shared, 2)
  const removed = [3, 4].map((number) => blockOf(number, number, 1))
  record([...shared, removed[0]!], 10)
  record([...shared, ...removed], 10)
  record([...shared, ...[3, 4, 5, 6].map((number) => blockOf(number, number, 2))], 3)
  expect(history.pointsOf(token(1)).map(({ block, usd }) => [block, usd])).toEqual([
    [1, 1],
    [2, 2],
    [6, 3],
  ])
  // A market that has read everything again knows only its newest block.
  record([blockOf(9, 9, 2)], 4)
  expect(history.pointsOf(token(1)).map(({ block }) => block)).toEqual([1, 2, 6, 9])
})

test('tokens without a price have no points, and requested tokens displace only each other', () => {
  const history = historyOf([token(1)])
  for (let index = 2; index <= 400; index++) history.track(token(index))
  expect(history.size).toBe(64)
  history.record(blockOf(1), (address) => (address === token(400) ? null : 1))
  expect(history.pointsOf(token(1))).toHaveLength(1)
  expect(history.pointsOf(token(399))).toHaveLength(1)
  expect(history.pointsOf(token(400))).toEqual([])
  expect(history.pointsOf(token(2))).toEqual([])
})

test('at most half of the tokens are permanent, so that requested ones have a history too', () => {
  const many = Array.from({ length: 100 }, (_, k) => token(k + 1))
  const history = historyOf(many)
  expect(history.size).toBe(32)
  history.record(blockOf(1), () => 1)
  expect(many.filter((token) => history.pointsOf(token).length > 0)).toEqual(many.slice(0, 32))
  for (const token of many.slice(32)) history.track(token)
  expect(history.size).toBe(64)
})

test('at the 512th point every second one is dropped, and every second block is recorded from then on', () => {
  const history = historyOf([token(1)])
  const blocks = () => history.pointsOf(token(1)).map(({ block }) => block)
  const record = (number: number) => history.record(blockOf(number), () => 1)
  for (let number = 1; number <= 511; number++) record(number)
  expect(blocks()).toHaveLength(511)
  record(512)
  expect(blocks()).toEqual(Array.from({ length: 256 }, (_, k) => 2 * k + 1))
  for (const number of [512, 513, 514]) record(number)
  expect(blocks().slice(255)).toEqual([511, 513])
})

test('a first price is recorded of a token without points, if it is tracked', () => {
  const history = historyOf([token(1)])
  for (const n of [1, 2]) history.recordFirst(token(n), blockOf(5, 50), n)
  expect(history.pointsOf(token(1))).toEqual([{ block: 5, timestamp: 50, usd: 1 }])
  expect(history.pointsOf(token(2))).toEqual([])
  history.track(token(2))
  history.recordFirst(token(2), blockOf(6, 60), 2)
  history.recordFirst(token(2), blockOf(7, 70), 3)
  expect(history.pointsOf(token(2))).toEqual([{ block: 6, timestamp: 60, usd: 2 }])
  // Tracking it again keeps its points.
  history.track(token(2))
  expect(history.pointsOf(token(2))).toHaveLength(1)
})
