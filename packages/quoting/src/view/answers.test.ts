import { expect, test } from 'vitest'
import { ResponseCache } from './answers.ts'

test('keeps bodies by target up to a total size', () => {
  const answers = new ResponseCache()
  const large = 'x'.repeat(900_000)
  for (const target of ['/a', '/b', '/c']) answers.store(target, large)
  answers.store('/d', '{}')
  expect(answers.get('/b')).toBe(large)
  expect(answers.get('/c')).toBeUndefined()
  expect(answers.get('/d')).toBe('{}')
})
