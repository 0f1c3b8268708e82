/** Unit tests of the pair's price history. */
import { expect, test } from 'vitest'
import { chartOf, ratesOf } from './history.ts'

const at = (block: number, usd: number) => ({ block, timestamp: block * 12, usd })

test('rates exist only at blocks for which both tokens have a price', () => {
  const rates = ratesOf([at(1, 2000), at(2, 3000), at(4, 1000)], [at(1, 1), at(3, 1), at(4, 2)])
  expect(rates.map(({ block, rate }) => [block, rate])).toEqual([
    [1, 2000],
    [4, 500],
  ])
})

test('the line spans the box, with the lowest rate at the bottom and the highest at the top', () => {
  const chart = chartOf(ratesOf([at(10, 10), at(15, 30), at(20, 20)], [at(10, 1), at(15, 1), at(20, 1)]), 100, 40)!
  expect(chart.line).toBe('M0.0 40.0L50.0 0.0L100.0 20.0')
  expect([chart.low, chart.high, chart.changePercent]).toEqual([10, 30, 100])
})

test('fewer than two points give no chart, and a flat line is in the middle', () => {
  expect(chartOf([], 100, 40)).toBeUndefined()
  expect(chartOf(ratesOf([at(1, 1)], [at(1, 1)]), 100, 40)).toBeUndefined()
  expect(chartOf(ratesOf([at(1, 1), at(2, 1)], [at(1, 1), at(2, 1)]), 100, 40)!.line).toBe('M0.0 20.0L100.0 20.0')
})
