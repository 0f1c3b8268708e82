import { expect, test } from 'vitest'
import { checkDeadline, defaultDeadline } from './deadline.ts'

const NOW = 1_800_000_000

test('the default deadline is 20 minutes after the later of the block timestamp and now', () => {
  expect(defaultDeadline(NOW, NOW * 1_000)).toBe(NOW + 1_200)
  expect(defaultDeadline(NOW - 7_200, NOW * 1_000 + 999)).toBe(NOW + 1_200)
  expect(defaultDeadline(NOW + 60, NOW * 1_000)).toBe(NOW + 1_260)
})

test('a deadline at or before the block timestamp has passed', () => {
  expect(() => checkDeadline(undefined, NOW)).not.toThrow()
  expect(() => checkDeadline(NOW + 1, NOW)).not.toThrow()
  for (const deadline of [NOW, NOW - 1, 0])
    expect(() => checkDeadline(deadline, NOW)).toThrow(expect.objectContaining({ code: 'DEADLINE_PASSED' }))
})
