/** Tests of admission: concurrency, fairness, and refusals. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChainAdmission } from './admission.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'

// Fake timers: time advances only if a test advances it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const asTask = (caller = 'a') => ({ caller, kind: 'swap' })
const admission = (places: number, maxWaiting = 10, maxWaitMs = 2_000) =>
  new ChainAdmission({ concurrency: new ConcurrencyLimit(places, () => 0), maxWaiting, maxWaitMs })
/** Ends the first task, after which waits have their usual limit. */
const warmUp = (chainAdmission: ChainAdmission) => chainAdmission.run(never, asTask(), async () => undefined)
/** Runs a task of that length, which teaches the expected wait. */
async function runTaskOf(chainAdmission: ChainAdmission, costMs: number): Promise<void> {
  const work = () => new Promise<void>((resolve) => setTimeout(resolve, costMs))
  const run = chainAdmission.run(never, asTask(), work)
  await vi.advanceTimersByTimeAsync(costMs)
  await run
}
const overloaded = { code: 'OVERLOADED', status: 503 }

/** Returns a task, and a function that ends it. */
function pendingTask() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('runs up to the limit, queues up to the limit, and refuses further tasks with Retry-After', async () => {
  const chainAdmission = admission(1, 1)
  const { work, end } = pendingTask()
  const order: string[] = []
  const first = chainAdmission.run(never, asTask(), () => work().then(() => void order.push('first')))
  const second = chainAdmission.run(never, asTask(), async () => void order.push('second'))
  expect(chainAdmission.retryAfterIfRefused(asTask())).toBe(1)
  await expect(chainAdmission.run(never, asTask(), async () => undefined)).rejects.toMatchObject({
    ...overloaded,
    retryAfter: 1,
  })
  expect(chainAdmission.load).toEqual({ running: 1, waiting: 1 })
  end()
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
  expect(chainAdmission.load).toEqual({ running: 0, waiting: 0 })
})

test('a task aborted in the queue frees its slot and never runs', async () => {
  const chainAdmission = admission(1, 1)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const controller = new AbortController()
  let ran = false
  const second = chainAdmission.run(controller.signal, asTask(), async () => {
    ran = true
  })
  controller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  const third = chainAdmission.run(never, asTask(), async () => 'third')
  end()
  await first
  expect(await third).toBe('third')
  expect(ran).toBe(false)
  expect(chainAdmission.load).toEqual({ running: 0, waiting: 0 })
})

test('a failed task releases its slot', async () => {
  const chainAdmission = admission(1, 0)
  await expect(chainAdmission.run(never, asTask(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await chainAdmission.run(never, asTask(), async () => 1)).toBe(1)
})

test('a caller without a running task starts although all slots are taken, up to half of the limit more', async () => {
  const two = admission(2, 10)
  const works = ['pig', 'pig', 'pig', 'pig', 'late', 'later'].map((caller) => ({ caller, ...pendingTask() }))
  const started: string[] = []
  const runs = works.map(({ caller, work }) =>
    two.run(never, asTask(caller), () => {
      started.push(caller)
      return work()
    }),
  )
  await new Promise(setImmediate)
  expect(started).toEqual(['pig', 'pig', 'late'])
  works[0]!.end()
  await runs[0]
  await new Promise(setImmediate)
  expect(started, 'before what waited longer').toEqual(['pig', 'pig', 'late', 'later'])
  for (const { end } of works) end()
  await Promise.all(runs)
  expect(started).toHaveLength(6)
})

test('a task expected to wait longer than the limit is refused, and tasks of other callers are not', async () => {
  const chainAdmission = admission(1, 1_000, 100)
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
  const passing = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    await vi.advanceTimersByTimeAsync(ms)
    return work
  }
  // The first runs teach the estimate that a task takes 20 ms.
  await passing(60, Promise.all([1, 2, 3].map(() => chainAdmission.run(never, asTask(), slow))))
  const flood = await passing(
    200,
    Promise.allSettled(Array.from({ length: 50 }, () => chainAdmission.run(never, asTask(), slow))),
  )
  const answered = flood.filter(({ status }) => status === 'fulfilled').length
  expect(answered).toBeGreaterThanOrEqual(3)
  expect(answered).toBeLessThanOrEqual(6)
  for (const result of flood) if (result.status === 'rejected') expect(result.reason).toMatchObject(overloaded)
  const again = Array.from({ length: 50 }, () => chainAdmission.run(never, asTask(), slow).catch(() => 'refused'))
  expect(chainAdmission.retryAfterIfRefused(asTask('b'))).toBeUndefined()
  await passing(200, Promise.all([chainAdmission.run(never, asTask('b'), slow), ...again]))
})

test('a queued task that does not start within the limit is refused', async () => {
  const chainAdmission = admission(1, 10, 50)
  await warmUp(chainAdmission)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const refused = expect(chainAdmission.run(never, asTask(), async () => undefined)).rejects.toMatchObject(overloaded)
  await vi.advanceTimersByTimeAsync(50)
  await refused
  end()
  await first
})

test('until the first task has ended, tasks wait longer than the limit, and its duration teaches nothing', async () => {
  const chainAdmission = admission(1, 10, 100)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const otherRuns = [1, 2, 3].map(() => chainAdmission.run(never, asTask(), async () => 'served'))
  await vi.advanceTimersByTimeAsync(7_900)
  expect(chainAdmission.load).toEqual({ running: 1, waiting: 3 })
  end()
  await first
  expect(await Promise.all(otherRuns)).toEqual(['served', 'served', 'served'])
  const { work: slow, end: endSlow } = pendingTask()
  const running = chainAdmission.run(never, asTask(), slow)
  expect(chainAdmission.retryAfterIfRefused(asTask())).toBeUndefined()
  endSlow()
  await running
})

test('once the first task has ended, the waits of the queue restart with the usual limit', async () => {
  const chainAdmission = admission(1, 10, 100)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const { work: slow, end: endSlow } = pendingTask()
  const second = chainAdmission.run(never, asTask(), slow)
  const third = expect(chainAdmission.run(never, asTask(), async () => undefined)).rejects.toMatchObject(overloaded)
  await vi.advanceTimersByTimeAsync(1_000)
  end()
  await first
  await vi.advanceTimersByTimeAsync(89)
  expect(chainAdmission.load).toEqual({ running: 1, waiting: 1 })
  await vi.advanceTimersByTimeAsync(2)
  expect(chainAdmission.load).toEqual({ running: 1, waiting: 0 })
  await third
  endSlow()
  await second
})

test('a first task that does not end refuses its queue after 8 seconds', async () => {
  const chainAdmission = admission(1, 10, 100)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const second = expect(chainAdmission.run(never, asTask(), async () => undefined)).rejects.toMatchObject(overloaded)
  await vi.advanceTimersByTimeAsync(8_000)
  await second
  end()
  await first
})

test('a first task refuses its queue in time for a limit above 8 seconds', async () => {
  const chainAdmission = admission(1, 10, 10_000)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const second = chainAdmission.run(never, asTask(), async () => undefined)
  const refused = expect(second).rejects.toMatchObject(overloaded)
  await vi.advanceTimersByTimeAsync(8_999)
  expect(chainAdmission.load.waiting).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(chainAdmission.load.waiting).toBe(0)
  await refused
  end()
  await first
})

test('in a full queue, a caller with few tasks displaces the last task of the caller with the most', async () => {
  const chainAdmission = admission(1, 4)
  const { work, end } = pendingTask()
  const works = Array.from({ length: 5 }, () => chainAdmission.run(never, asTask('pig'), work))
  const last = expect(works[4]).rejects.toMatchObject(overloaded)
  const spare = chainAdmission.run(never, asTask('spare'), work)
  const polite = chainAdmission.run(never, asTask('polite'), async () => 'served')
  await last
  end()
  expect(await polite).toBe('served')
  await Promise.all([spare, ...works.slice(0, 4)])
})

test('the expected wait may fill six tenths of the limit, to the millisecond', async () => {
  for (const [costMs, isRefused] of [
    [120, false],
    [121, true],
  ] as const) {
    const chainAdmission = admission(1, 10, 100)
    await warmUp(chainAdmission)
    await runTaskOf(chainAdmission, costMs)
    const { work, end } = pendingTask()
    const first = chainAdmission.run(never, asTask(), work)
    // A running task is half done on average: 60 of 100 ms.
    expect(chainAdmission.retryAfterIfRefused(asTask())).toBe(isRefused ? 1 : undefined)
    end()
    await first
  }
})

test('Retry-After is the expected wait in whole seconds, from 1 to 10', async () => {
  for (const [costMs, seconds] of [
    [4_000, 2],
    [4_002, 3],
    [100, 1],
    [60_000, 10],
  ] as const) {
    const chainAdmission = admission(1, 0, 1)
    await warmUp(chainAdmission)
    await runTaskOf(chainAdmission, costMs)
    const { work, end } = pendingTask()
    const first = chainAdmission.run(never, asTask(), work)
    expect(chainAdmission.retryAfterIfRefused(asTask())).toBe(seconds)
    end()
    await first
  }
})

test('a task that starts or leaves the queue stops its timeout', async () => {
  const chainAdmission = admission(1)
  await warmUp(chainAdmission)
  const { work, end } = pendingTask()
  const first = chainAdmission.run(never, asTask(), work)
  const second = chainAdmission.run(never, asTask(), async () => undefined)
  const controller = new AbortController()
  const third = chainAdmission.run(controller.signal, asTask(), work)
  expect(vi.getTimerCount()).toBe(2)
  controller.abort(new Error('gone'))
  await expect(third).rejects.toThrow('gone')
  expect(vi.getTimerCount()).toBe(1)
  end()
  await Promise.all([first, second])
  expect(vi.getTimerCount()).toBe(0)
})

test('the end of the first task restarts the timeouts of the tasks that still wait', async () => {
  const chainAdmission = admission(1, 10, 10_000)
  const [first, second] = [pendingTask(), pendingTask()]
  const firstRun = chainAdmission.run(never, asTask(), first.work)
  const secondRun = chainAdmission.run(never, asTask(), second.work)
  const refusals: string[] = []
  const third = chainAdmission.run(never, asTask(), async () => undefined)
  void third.catch(({ code }) => refusals.push(code))
  await vi.advanceTimersByTimeAsync(5_000)
  first.end()
  await firstRun
  await vi.advanceTimersByTimeAsync(8_999)
  expect(refusals).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(refusals).toEqual(['OVERLOADED'])
  second.end()
  await secondRun
})
