import { expect, test } from 'vitest'
import { defaultDeadline } from './trial.ts'

const now = 1_800_000_000

test('the default deadline is 20 minutes after now where the last block is an hour old', () => {
  expect(defaultDeadline(now - 3_600, 1_000 * now + 999)).toBe(now + 1_200)
})

test('and 20 minutes after the block where that is of the future', () => {
  expect(defaultDeadline(now + 3_600, 1_000 * now)).toBe(now + 4_800)
})
