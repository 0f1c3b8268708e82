import { expect, test } from 'vitest'
import { Limiter } from './limiter.ts'

const never = new AbortController().signal
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: resolve }
}

test('runs so many at once, queues so many, and refuses the next with OVERLOADED', async () => {
  const limiter = new Limiter(1, 1)
  const { promise, open } = gate()
  const order: string[] = []
  const first = limiter.run(never, () => promise.then(() => void order.push('first')))
  const second = limiter.run(never, async () => void order.push('second'))
  await expect(limiter.run(never, async () => undefined)).rejects.toMatchObject({ code: 'OVERLOADED', status: 503 })
  expect(limiter.load).toEqual({ running: 1, waiting: 1 })
  open()
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
  expect(limiter.load).toEqual({ running: 0, waiting: 0 })
})

test('one that gives up while waiting frees its place in the queue and never runs', async () => {
  const limiter = new Limiter(1, 1)
  const { promise, open } = gate()
  const first = limiter.run(never, () => promise)
  const controller = new AbortController()
  let ran = false
  const second = limiter.run(controller.signal, async () => {
    ran = true
  })
  controller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  const third = limiter.run(never, async () => 'third')
  open()
  await first
  expect(await third).toBe('third')
  expect(ran).toBe(false)
  expect(limiter.load).toEqual({ running: 0, waiting: 0 })
})

test('a work that fails gives its place back', async () => {
  const limiter = new Limiter(1, 0)
  await expect(limiter.run(never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await limiter.run(never, async () => 1)).toBe(1)
})
