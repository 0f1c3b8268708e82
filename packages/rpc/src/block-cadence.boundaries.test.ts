import { expect, test } from 'vitest'
import { BlockCadence } from './block-cadence.ts'

function world() {
  const clock = { ms: 1_800_000_000_000 }
  const habit = new BlockCadence(() => clock.ms)
  /** Adds a block after `ms` of local time, with its own timestamp in seconds since the start. */
  const see = (number: number, timestamp: number, afterMs = 0) => {
    clock.ms += afterMs
    habit.recordHead({ number, timestamp: 1_800_000_000 + timestamp })
  }
  return { clock, habit, see }
}

test('nothing is known before a second block', () => {
  const { habit, see } = world()
  const unknown = { intervalMs: null, longestMs: null, behindSeconds: null, state: 'unknown' }
  expect(habit.clock).toEqual(unknown)
  expect(habit.catchUpMs).toBe(15)
  see(10, 0)
  expect(habit.clock).toEqual(unknown)
})

test('the time between blocks is that of one block, where some were not seen', () => {
  const { habit, see } = world()
  see(10, 0)
  see(14, 48, 48_000)
  expect(habit.clock).toEqual({ intervalMs: 12_000, longestMs: 12_000, behindSeconds: 0, state: 'moving' })
})

test('the median and the longest of the last 32 times', () => {
  const { habit, see } = world()
  see(0, 0)
  const times = [99, ...Array.from({ length: 32 }, (_, k) => 32 - k)]
  let at = 0
  for (const [k, seconds] of times.entries()) {
    at += seconds
    see(k + 1, at, 1_000 * seconds)
  }
  // 1 to 32 seconds remain, of which 17 is the median.
  expect(habit.clock).toMatchObject({ intervalMs: 17_000, longestMs: 32_000 })
})

test('a time is 50 ms at least and a day at most', () => {
  const { habit, see } = world()
  see(0, 0)
  see(100, 1)
  expect(habit.clock.intervalMs).toBe(50)
  const slow = world()
  slow.see(0, 0)
  slow.see(1, 90_000)
  expect(slow.habit.clock.intervalMs).toBe(86_400_000)
})

test('a head that was seen before changes nothing, and one that goes back begins again from there', () => {
  const { habit, see } = world()
  see(10, 0)
  see(10, 500)
  see(11, 2, 2_000)
  expect(habit.clock.intervalMs).toBe(2_000)
  see(5, 0)
  expect(habit.clock.intervalMs).toBe(2_000)
  see(6, 4, 2_000)
  expect(habit.clock.longestMs).toBe(4_000)
})

test.each([
  [12_000, 200],
  [8_000, 200],
  [4_000, 100],
  [1_000, 25],
  [600, 15],
  [400, 15],
])('with %i ms between blocks a moment is %i ms', (intervalMs, momentMs) => {
  const { habit, see } = world()
  see(0, 0)
  see(10, intervalMs / 100)
  expect(habit.clock.intervalMs).toBe(intervalMs)
  expect(habit.catchUpMs).toBe(momentMs)
})

test('a clock is off by more than a minute, in either direction', () => {
  const stateOf = (behind: number) => {
    const { habit, see } = world()
    see(0, -behind - 12)
    see(1, -behind)
    return [habit.clock.behindSeconds, habit.clock.state]
  }
  expect(stateOf(-60)).toEqual([-60, 'moving'])
  expect(stateOf(-61)).toEqual([-61, 'off'])
  expect(stateOf(60)).toEqual([60, 'moving'])
  expect(stateOf(61)).toEqual([61, 'off'])
})

test('the offset nearest to none counts, whatever its sign', () => {
  const { habit, see } = world()
  see(0, -100)
  see(1, -90)
  see(2, -20)
  see(3, 5)
  see(4, 30)
  expect(habit.clock.behindSeconds).toBe(-5)
})

test('a chain rests after eight times the usual time, and fifteen seconds at least', () => {
  const slow = world()
  slow.see(0, -12)
  slow.see(1, 0)
  slow.clock.ms += 96_000
  expect(slow.habit.clock.state).toBe('moving')
  slow.clock.ms += 1
  expect(slow.habit.clock.state).toBe('resting')
  const fast = world()
  fast.see(0, -1)
  fast.see(1, 0)
  fast.clock.ms += 15_000
  expect(fast.habit.clock.state).toBe('moving')
  fast.clock.ms += 1
  expect(fast.habit.clock.state).toBe('resting')
})

test('the first head rests by its own time, and its state is unknown before', () => {
  const stateOf = (age: number) => {
    const { habit, see } = world()
    see(0, -age)
    return habit.clock.state
  }
  expect([stateOf(15), stateOf(16)]).toEqual(['unknown', 'resting'])
})

test('the age of a head is counted from when it came, where its own time is of the future', () => {
  const { habit, see, clock } = world()
  see(0, 20)
  clock.ms += 15_000
  expect(habit.clock.state).toBe('unknown')
  clock.ms += 1
  expect(habit.clock.state).toBe('resting')
})
