/** Tests the distribution of answers to the lists that asked for them. */
import { expect, test } from 'vitest'
import { splitAnswers } from './concentrated-state.ts'

test('each list gets the answers to its own reads, in order', () => {
  expect(splitAnswers([['a'], [], ['b', 'c'], ['d']], [1, 2, 3, 4])).toEqual([[1], [], [2, 3], [4]])
  expect(splitAnswers([], [])).toEqual([])
})
