import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A window in which so many were turned away and so many done. */
function window(pace: Pace, refused: number, done: number): number {
  for (let i = 0; i < refused; i++) pace.refused()
  for (let i = 0; i < done; i++) pace.finished()
  vi.advanceTimersByTime(50)
  return pace.mostInside
}

test('nobody is kept out who would have had a place while nobody is turned away', () => {
  const pace = new Pace(() => 1)
  expect(window(pace, 0, 3)).toBe(Number.POSITIVE_INFINITY)
})

test('a busy process that turns away lets in what it gets done in 30 ms, and all again after the flood', () => {
  const pace = new Pace(() => 1)
  expect(window(pace, 500, 40)).toBe(24)
  expect(window(pace, 500, 20), 'halfway').toBe(18)
  expect(window(pace, 500, 0)).toBe(11)
  for (let i = 0; i < 20; i++) window(pace, 500, 0)
  expect(Math.round(pace.mostInside), 'never fewer').toBe(4)
  expect(window(pace, 0, 20)).toBe(Number.POSITIVE_INFINITY)
})

test('a process that waits for its node lets in as many as ever', () => {
  const pace = new Pace(() => 0.3)
  expect(window(pace, 500, 2)).toBe(Number.POSITIVE_INFINITY)
})
