/** Tests of the cost estimate of tasks. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LearnedCosts, SharedClock } from './work-cost.ts'

test('while all slots are taken, charged costs add up to the elapsed time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (places, steps) => {
        const clock = new SharedClock()
        let now = 0
        const starts: number[] = []
        const start = () => {
          starts.push(clock.read(now, places))
          clock.changeRunning(1)
        }
        for (let k = 0; k < places; k++) start()
        let charged = 0
        for (const step of steps) {
          now += step
          charged += clock.read(now, places) - starts.shift()!
          clock.changeRunning(-1)
          start()
        }
        for (const started of starts) charged += clock.read(now, places) - started
        expect(charged).toBeCloseTo(now, 6)
      },
    ),
  )
})

test('a task that runs with fewer others than there are slots is charged the time of one slot', () => {
  const clock = new SharedClock()
  clock.changeRunning(1)
  expect(clock.read(100, 4)).toBe(25)
  for (let k = 0; k < 4; k++) clock.changeRunning(1)
  expect(clock.read(200, 4)).toBe(45)
})

test('a kind costs what was charged while all slots were taken; until then, what was charged otherwise', () => {
  const costs = new LearnedCosts()
  expect(costs.costOf('swap')).toBe(5)
  costs.learn('swap', { chargedMs: 0.2, durationMs: 5, wasFull: false })
  expect(costs.costOf('swap')).toBe(0.2)
  costs.learn('swap', { chargedMs: 3, durationMs: 60, wasFull: true })
  expect(costs.costOf('swap')).toBe(3)
  for (let k = 0; k < 100; k++) costs.learn('swap', { chargedMs: 0.2, durationMs: 5, wasFull: false })
  expect(costs.costOf('swap'), 'quiet times teach nothing about what is possible').toBe(3)
})

test('a cost learned from a slow node falls once tasks take less time in total', () => {
  const costs = new LearnedCosts()
  for (let k = 0; k < 100; k++) costs.learn('swap', { chargedMs: 160, durationMs: 4_000, wasFull: true })
  expect(costs.costOf('swap')).toBeCloseTo(160)
  for (let k = 0; k < 100; k++) costs.learn('swap', { chargedMs: 0.2, durationMs: 5, wasFull: false })
  expect(costs.costOf('swap')).toBeLessThan(5.1)
})
