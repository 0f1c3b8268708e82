/** Tests of the fair queue, with random arrivals and costs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue, type Ticket } from './fair-queue.ts'

const work = fc.record({ caller: fc.constantFrom('a', 'b', 'c', 'd'), cost: fc.integer({ min: 1, max: 100 }) })

test('the costs granted to callers with waiting tasks differ by at most two tasks', () => {
  fc.assert(
    fc.property(fc.array(work, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (works, places) => {
      const queue = new FairQueue<number>()
      const waiting = new Map<string, number>()
      const costs = new Map<string, number>()
      const largest = Math.max(0, ...works.map(({ cost }) => cost))
      for (const [k, { caller, cost }] of works.entries()) {
        queue.add(caller, cost, k)
        waiting.set(caller, (waiting.get(caller) ?? 0) + 1)
        costs.set(caller, 0)
      }
      const running: Ticket<number>[] = []
      const order = new Map<string, number>()
      for (let index = 0; index < works.length; index++) {
        if (running.length === places) {
          const ticket = running.shift()!
          queue.finish(ticket, ticket.cost)
        }
        // The queue is work-conserving: `take` returns a task whenever one waits.
        const ticket = queue.take()!
        running.push(ticket)
        expect(ticket.item, 'in order of arrival').toBeGreaterThan(order.get(ticket.caller) ?? -1)
        order.set(ticket.caller, ticket.item)
        costs.set(ticket.caller, costs.get(ticket.caller)! + ticket.cost)
        waiting.set(ticket.caller, waiting.get(ticket.caller)! - 1)
        expect(queue.size).toBe(works.length - index - 1)
        const backlogged = [...waiting].filter(([, count]) => count > 0).map(([caller]) => costs.get(caller)!)
        if (backlogged.length > 1)
          expect(Math.max(...backlogged) - Math.min(...backlogged)).toBeLessThanOrEqual(2 * largest)
      }
      expect(queue.take()).toBeUndefined()
    }),
  )
})

test('a new caller shares equally with one that queued many tasks, and gets no credit for earlier time', () => {
  const queue = new FairQueue<string>()
  for (let k = 0; k < 100; k++) queue.add('pile', 10, `pile ${k}`)
  for (let k = 0; k < 50; k++) queue.take()
  for (let k = 0; k < 4; k++) queue.add('late', 10, `late ${k}`)
  expect(queue.costBefore('late')).toBe(80)
  expect(queue.costBefore('later')).toBe(0)
  expect(queue.costBefore('pile')).toBe(540)
  const next = Array.from({ length: 6 }, () => queue.take()!.item.split(' ')[0])
  expect(next.filter((caller) => caller === 'late')).toHaveLength(3)
})

test('the excess cost of a task over its estimate is charged to its caller', () => {
  const queue = new FairQueue<string>()
  queue.add('a', 1, 'first')
  const first = queue.take()!
  for (const caller of ['a', 'b']) for (let k = 0; k < 3; k++) queue.add(caller, 1, `${caller}${k}`)
  queue.finish(first, 4)
  expect(Array.from({ length: 6 }, () => queue.take()!.item)).toEqual(['b0', 'b1', 'b2', 'a0', 'a1', 'a2'])
})

test('a waiting task can be removed once, and a running one cannot', () => {
  const queue = new FairQueue<string>()
  const [one, two] = ['one', 'two'].map((item) => queue.add('a', 1, item))
  expect(queue.remove(one!)).toBe(true)
  expect(queue.remove(one!)).toBe(false)
  expect(queue.take()).toBe(two)
  expect(queue.remove(two!)).toBe(false)
  expect(queue.size).toBe(0)
})

test('the last task of the longest queue makes room, but not for a queue of equal length', () => {
  const queue = new FairQueue<number>()
  for (let k = 0; k < 3; k++) queue.add('long', 1, k)
  expect(queue.findDroppable('new')?.item).toBe(2)
  queue.add('new', 1, 0)
  expect(queue.findDroppable('new')?.item).toBe(2)
  queue.add('new', 1, 1)
  expect(queue.findDroppable('new')).toBeUndefined()
})

test('callers without tasks are forgotten beyond a limit', () => {
  const queue = new FairQueue<number>()
  for (let k = 0; k < 20_000; k++) {
    queue.add(String(k), 1, k)
    const ticket = queue.take()!
    queue.finish(ticket, k % 2 === 0 ? 1_000 : 1)
  }
  expect(queue.callers).toBeLessThanOrEqual(1_025)
})
