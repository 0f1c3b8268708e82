import { expect, test } from 'vitest'
import { withDeadline } from './deadline.ts'

/** Never ends by itself. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason))
  })

test('a work that ends in time gives its result, and nothing that comes later reaches its signal', async () => {
  const caller = new AbortController()
  let seen: AbortSignal | undefined
  const work = async (signal: AbortSignal) => {
    seen = signal
    return 42
  }
  expect(await withDeadline(5, [caller.signal, undefined], work)).toBe(42)
  caller.abort()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(seen?.aborted).toBe(false)
})

test('the time limit ends a work, as a timeout', async () => {
  await expect(withDeadline(5, [], untilAborted)).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('each of the signals ends a work for its own reason, also one that has aborted before', async () => {
  const callers = [new AbortController(), new AbortController()]
  const signals = callers.map(({ signal }) => signal)
  const running = withDeadline(5_000, signals, untilAborted)
  callers[1]!.abort(new Error('second'))
  await expect(running).rejects.toThrow('second')
  await expect(withDeadline(5_000, signals, untilAborted)).rejects.toThrow('second')
})
