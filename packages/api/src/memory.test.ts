/** Tests of the collection in an idle process, with fake measurements of its load and its memory. */
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'

const collect = vi.hoisted(() => vi.fn())
// A genuine collection would stop all tests of this process.
vi.mock('node:vm', () => ({ runInNewContext: (code: string) => (code === 'gc' ? collect : undefined) }))
// Test files share modules, which an earlier file can have loaded without the mock.
vi.resetModules()
const { releaseMemoryWhenIdle } = await import('./memory.ts')
afterAll(() => void vi.resetModules())

let utilization: number
let memory: { rss: number; heapUsed: number }
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  utilization = 0.1
  memory = { rss: 500e6, heapUsed: 100e6 }
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ idle: 0, active: 0, utilization }))
  vi.spyOn(process, 'memoryUsage').mockImplementation((() => memory) as never)
  collect.mockReset()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000)
const collections = () => collect.mock.calls.length

test('a collection follows 50 idle seconds if it can release 300 MB, and is a last resort', () => {
  const stop = releaseMemoryWhenIdle()
  memory.rss = 800e6
  pass(49)
  expect(collections()).toBe(0)
  pass(1)
  expect(collect.mock.calls).toEqual([[{ type: 'major', execution: 'sync', flavor: 'last-resort' }]])
  stop()
})

test.each([
  ['less than 300 MB above the start', 799e6, 100e6],
  ['less than the memory in use', 900e6, 401e6],
])('no collection releases %s', (_, rss, heapUsed) => {
  const stop = releaseMemoryWhenIdle()
  memory = { rss, heapUsed }
  pass(600)
  expect(collections()).toBe(0)
  memory = { rss: 900e6, heapUsed: 400e6 }
  pass(10)
  expect(collections()).toBe(1)
  stop()
})

test('a short load starts the idle time again', () => {
  const stop = releaseMemoryWhenIdle()
  memory.rss = 900e6
  pass(40)
  utilization = 0.11
  pass(10)
  utilization = 0
  pass(40)
  expect(collections()).toBe(0)
  pass(10)
  expect(collections()).toBe(1)
  stop()
})

test('memory that a collection left is not collected again', () => {
  collect.mockImplementation(() => {
    memory = { rss: 700e6, heapUsed: 100e6 }
  })
  const stop = releaseMemoryWhenIdle()
  memory.rss = 900e6
  pass(50)
  expect(collections()).toBe(1)
  memory = { rss: 999e6, heapUsed: 100e6 }
  pass(600)
  expect(collections()).toBe(1)
  memory.rss = 1_000e6
  pass(10)
  expect(collections()).toBe(2)
  stop()
})

test('nothing is collected after the end', () => {
  releaseMemoryWhenIdle()()
  memory.rss = 900e6
  pass(600)
  expect(collections()).toBe(0)
})
