import { expect, test } from 'vitest'
import { ResponseCache } from './response-cache.ts'

test('keeps bodies by target up to a total size', () => {
  const answers = new ResponseCache()
  const large = 'x'.repeat(900_000)
  for (const target of ['/a', '/b', '/c']) answers.store(target, large)
  answers.store('/d', '{}')
  expect(answers.get('/b')).toBe(large)
  expect(answers.get('/c')).toBeUndefined()
  expect(answers.get('/d')).toBe('{}')
})

test('keeps exactly two million characters, and counts what it refuses', () => {
  const answers = new ResponseCache()
  answers.store('/a', 'x'.repeat(1_999_998))
  // A body that is stored already is not counted again.
  answers.store('/a', '{}')
  expect(answers.get('/a')).toHaveLength(1_999_998)
  expect(answers.count).toEqual({ entries: 1, evicted: 0 })
  answers.store('b', '')
  expect(answers.count).toEqual({ entries: 1, evicted: 1 })
  answers.clear()
  expect([answers.get('/a'), answers.count.entries]).toEqual([undefined, 0])
  answers.store('b', '{}')
  expect(answers.get('b')).toBe('{}')
})
