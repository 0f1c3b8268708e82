import { expect, test } from 'vitest'
import { Tally } from './tally.ts'

const paid = (ppm: number, reverted = false) => ({ ppm, reverted })
function tallyOf(size: number, ...ppms: readonly number[]): Tally {
  const tally = new Tally(size)
  for (const ppm of ppms) tally.add(paid(ppm))
  return tally
}

test('an empty window has no statistics', () => {
  const tally = new Tally(3)
  expect(tally.figures).toEqual({ samples: 0, wouldRevert: 0, meanBps: null, medianBps: null, worst5Bps: null })
  expect([tally.samples, tally.worstPpm]).toEqual([0, 0])
})

test('statistics are in basis points: mean, lower median, and 5th percentile', () => {
  const { figures } = tallyOf(50, ...Array.from({ length: 41 }, (_, k) => 100 * (k - 40)))
  expect(figures).toEqual({ samples: 41, wouldRevert: 0, meanBps: -20, medianBps: -20, worst5Bps: -38 })
  expect(tallyOf(9, 300, -100).figures).toMatchObject({ meanBps: 1, medianBps: -1, worst5Bps: -1 })
})

test('only the samples in the window count', () => {
  const tally = tallyOf(3, -900, 100, 200)
  expect(tally.worstPpm).toBe(-900)
  tally.add(paid(300))
  expect(tally.figures).toMatchObject({ samples: 3, meanBps: 2 })
  expect(tally.worstPpm).toBe(0)
  tally.add(paid(-50))
  expect(tally.worstPpm).toBe(-50)
})

test('a revert counts as such, and a sample without payment as a total loss', () => {
  const tally = new Tally(4)
  tally.add(paid(0))
  tally.add({ ppm: null, reverted: true })
  tally.add(paid(-200, true))
  tally.add(paid(0))
  expect(tally.figures).toMatchObject({ samples: 4, wouldRevert: 0.5, medianBps: 0 })
  expect(tally.figures.meanBps).toBeCloseTo(-2 / 3)
  expect(tally.worstPpm).toBe(-1_000_000)
})
