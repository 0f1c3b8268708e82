/** Unit tests of the price history. */
import type { Address } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PriceHistory } from './price-history.ts'

const token = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address

test('every point is the price of its block, in rising order, and their number stays bounded', () => {
  const history = new PriceHistory([token(1)])
  const LAST = 5_000
  for (let number = 1; number <= LAST; number++) history.record({ number, timestamp: number * 12 }, () => number / 7)
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
      const history = new PriceHistory([token(1)])
      const newest = new Map<number, number>()
      for (const [turn, number] of numbers.entries()) {
        history.record({ number, timestamp: number }, () => turn + 1)
        for (const block of newest.keys()) if (block >= number) newest.delete(block)
        newest.set(number, turn + 1)
      }
      expect(history.pointsOf(token(1)).map(({ block, usd }) => [block, usd])).toEqual([...newest])
    }),
  )
})

test('tokens without a price have no points, and requested tokens displace only each other', () => {
  const history = new PriceHistory([token(1)])
  for (let index = 2; index <= 400; index++) history.track(token(index))
  expect(history.size).toBe(64)
  history.record({ number: 1, timestamp: 1 }, (address) => (address === token(400) ? null : 1))
  expect(history.pointsOf(token(1))).toHaveLength(1)
  expect(history.pointsOf(token(399))).toHaveLength(1)
  expect(history.pointsOf(token(400))).toEqual([])
  expect(history.pointsOf(token(2))).toEqual([])
})

test('at most half of the tokens are permanent, so that requested ones have a history too', () => {
  const many = Array.from({ length: 100 }, (_, k) => token(k + 1))
  const history = new PriceHistory(many)
  expect(history.size).toBe(32)
  history.record({ number: 1, timestamp: 1 }, () => 1)
  expect(many.filter((token) => history.pointsOf(token).length > 0)).toEqual(many.slice(0, 32))
  for (const token of many.slice(32)) history.track(token)
  expect(history.size).toBe(64)
})

test('at the 512th point every second one is dropped, and every second block is recorded from then on', () => {
  const history = new PriceHistory([token(1)])
  const blocks = () => history.pointsOf(token(1)).map(({ block }) => block)
  const record = (number: number) => history.record({ number, timestamp: number }, () => 1)
  for (let number = 1; number <= 511; number++) record(number)
  expect(blocks()).toHaveLength(511)
  record(512)
  expect(blocks()).toEqual(Array.from({ length: 256 }, (_, k) => 2 * k + 1))
  for (const number of [512, 513, 514]) record(number)
  expect(blocks().slice(255)).toEqual([511, 513])
})

test('a first price is recorded of a token without points, if it is tracked', () => {
  const history = new PriceHistory([token(1)])
  for (const n of [1, 2]) history.recordFirst(token(n), { number: 5, timestamp: 50 }, n)
  expect(history.pointsOf(token(1))).toEqual([{ block: 5, timestamp: 50, usd: 1 }])
  expect(history.pointsOf(token(2))).toEqual([])
  history.track(token(2))
  history.recordFirst(token(2), { number: 6, timestamp: 60 }, 2)
  history.recordFirst(token(2), { number: 7, timestamp: 70 }, 3)
  expect(history.pointsOf(token(2))).toEqual([{ block: 6, timestamp: 60, usd: 2 }])
  // Tracking it again keeps its points.
  history.track(token(2))
  expect(history.pointsOf(token(2))).toHaveLength(1)
})
