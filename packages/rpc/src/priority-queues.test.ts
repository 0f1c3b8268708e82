import { expect, test } from 'vitest'
import { Budgets, type Priority } from './priority.ts'
import { PriorityQueues } from './priority-queues.ts'

/** Creates queues with a manual clock. */
function world({ capacity = 8, calls = 10, bytes = 1_000 } = {}) {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const budgets = new Budgets({ background: { calls, bytes }, scan: { calls, bytes } }, now)
  const lanes = new PriorityQueues<string>(capacity, budgets, now)
  /** Starts the next queued item. */
  const start = (): string | undefined => {
    const next = lanes.nextTurn()
    if (!next) return undefined
    const [item] = next.items
    lanes.remove(next.priority, item!)
    lanes.occupySlot(next.priority)
    return item
  }
  const fill = (priority: Priority, count: number) => {
    for (let item = 0; item < count; item++) lanes.enqueue(priority, `${priority} ${item}`)
  }
  return { clock, budgets, lanes, start, fill }
}

test('what a quote waits for goes first, then lookups, then background work', () => {
  const { lanes, start, fill } = world()
  for (const priority of ['background', 'lookup', 'quote'] as const) fill(priority, 1)
  expect([start(), start(), start(), start()]).toEqual(['quote 0', 'lookup 0', 'background 0', undefined])
  expect(lanes.queuedCount).toBe(0)
})

test('however much of the others waits, places are left for quotes', () => {
  const { lanes, start, fill } = world({ capacity: 8 })
  fill('background', 100)
  fill('lookup', 100)
  const started = Array.from({ length: 20 }, start).filter((item) => item !== undefined)
  expect(started.filter((item) => item.startsWith('background'))).toHaveLength(2)
  expect(started.filter((item) => item.startsWith('lookup'))).toHaveLength(6)
  lanes.releaseSlot('lookup')
  lanes.releaseSlot('lookup')
  fill('quote', 1)
  expect(start()).toBe('quote 0')
})

test('a lookup that has waited for long goes ahead once in a flood of quotes', () => {
  const { clock, start, fill } = world()
  fill('lookup', 1)
  clock.ms = 501
  fill('quote', 10)
  expect([start(), start()]).toEqual(['lookup 0', 'quote 0'])
})

test('background work waits when its calls or bytes of a second are spent, and nobody else does', () => {
  const { clock, budgets, lanes, start, fill } = world({ bytes: 1_000 })
  fill('background', 1)
  budgets.spend('background', 1, 7_000)
  expect(start()).toBeUndefined()
  expect(lanes.pauseMs('background')).toBeGreaterThan(1_900)
  fill('quote', 1)
  expect(start()).toBe('quote 0')
  clock.ms += lanes.pauseMs('background')
  expect(start()).toBe('background 0')
})

test('a request that has waited for long and may not go yet holds up nobody', () => {
  const { clock, lanes, fill } = world()
  fill('background', 1)
  clock.ms = 10_000
  fill('quote', 1)
  expect(lanes.nextTurn((priority) => priority === 'quote')?.priority).toBe('quote')
})

test('what is given up before its turn is not started', () => {
  const { lanes, start, fill } = world()
  fill('quote', 2)
  lanes.remove('quote', 'quote 0')
  expect(start()).toBe('quote 1')
})
