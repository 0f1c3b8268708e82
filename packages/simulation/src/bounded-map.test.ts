import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('what was used longest ago goes first, and is counted', () => {
  const dropped: number[] = []
  const bounded = new BoundedMap<string, number>(2, { onEvict: (value) => dropped.push(value) })
  bounded.set('a', 1)
  bounded.set('b', 2)
  expect(bounded.get('a')).toBe(1)
  // Nothing goes for a key that is there.
  bounded.set('b', 3)
  expect(bounded.peek('a')).toBe(1)
  bounded.set('c', 4)
  expect([...bounded]).toEqual([
    ['c', 4],
    ['b', 3],
  ])
  expect(dropped).toEqual([1])
  expect(bounded.count).toEqual({ entries: 2, evicted: 1 })
  bounded.delete('b')
  bounded.clear()
  expect(dropped).toEqual([1])
  expect(bounded.count).toEqual({ entries: 0, evicted: 1 })
})

test('a limit takes no memory of its own', () => {
  const before = process.memoryUsage().arrayBuffers
  const bounded = new BoundedMap<string, number>(10_000_000)
  bounded.set('a', 1)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  expect(bounded.get('a')).toBe(1)
})
