/** Tests of the rate limit on log lines. */
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { RateLimitedLog } from './rate-limited-log.ts'

afterEach(() => void vi.useRealTimers())

test('the same line is written once a minute, with how often it was meant', () => {
  const written: { msg: string; repeated?: number }[] = []
  const log = pino({}, { write: (line: string) => written.push(JSON.parse(line)) })
  const clock = { ms: 0 }
  const seldom = new RateLimitedLog(log, () => clock.ms)
  for (; clock.ms < 150_000; clock.ms += 100) seldom.write('error', new Error('full'), 'FULL', 'Redis is full')
  seldom.write('warn', new Error('away'), 'AWAY', 'Redis does not answer')
  expect(written.map(({ msg, repeated }) => [msg, repeated])).toEqual([
    ['Redis is full', undefined],
    ['Redis is full', 599],
    ['Redis is full', 599],
    ['Redis does not answer', undefined],
  ])
  for (const ms of [10, 60_000]) {
    clock.ms = 150_000 + ms
    seldom.write('warn', new Error('away'), 'AWAY', 'Redis does not answer')
  }
  expect(written.slice(4)).toMatchObject([{ msg: 'Redis does not answer', repeated: 1 }])
})

test('a clock that is set back suppresses no line for longer', () => {
  vi.useFakeTimers()
  const levels: string[] = []
  const rateLimitedLog = new RateLimitedLog({ warn: () => levels.push('warn') } as never)
  const write = () => rateLimitedLog.write('warn', new Error('away'), 'AWAY', 'Redis does not answer')
  write()
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(60_000)
  write()
  expect(levels).toHaveLength(2)
})
