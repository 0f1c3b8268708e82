import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { CostLimiter } from './limiter.ts'

const work = (ms: number, gasUsed = 100_000) => sleep(ms, { gasUsed })

const slow = toAddress(`0x${'51'.repeat(20)}`)
const quick = toAddress(`0x${'9c'.repeat(20)}`)
const limiterOf = (maxQueued = 10) => new CostLimiter({ capacity: 4, reserved: 2, maxQueued })

test('a target that used much gas runs fewer at a time, and others still find a place', async () => {
  const limiter = limiterOf()
  await limiter.run(slow, () => work(1, 15_000_000))
  await limiter.run(quick, () => work(1))
  let heavy = 0
  let maxHeavy = 0
  const order: string[] = []
  const heavyWork = async () => {
    maxHeavy = Math.max(maxHeavy, ++heavy)
    await turn()
    heavy--
    order.push('slow')
    return { gasUsed: 15_000_000 }
  }
  await Promise.all([
    ...Array.from({ length: 3 }, () => limiter.run(slow, heavyWork)),
    ...Array.from({ length: 4 }, () => limiter.run(quick, async () => ({ gasUsed: order.push('quick') }))),
  ])
  expect(maxHeavy).toBe(1)
  expect(order.slice(0, 4)).toEqual(['quick', 'quick', 'quick', 'quick'])
})

test('more than the queue holds are refused', async () => {
  const limiter = limiterOf(1)
  await limiter.run(quick, () => work(1))
  const running = Array.from({ length: 5 }, () => limiter.run(quick, () => work(20)))
  await expect(limiter.run(quick, () => work(1))).rejects.toMatchObject({ code: 'OVERLOADED' })
  await Promise.all(running)
})

test('a light run that fits starts at once, even where heavy ones fill the queue', async () => {
  const limiter = limiterOf(3)
  await limiter.run(quick, () => work(1))
  const gate = Promise.withResolvers<{ gasUsed: number }>()
  // A target that is unknown counts as heavy: one runs, and three wait.
  const heavy = Array.from({ length: 4 }, () => limiter.run(slow, () => gate.promise))
  await expect(limiter.run(slow, () => gate.promise)).rejects.toMatchObject({ code: 'OVERLOADED' })
  expect(await limiter.run(quick, async () => ({ gasUsed: 1 }))).toEqual({ gasUsed: 1 })
  gate.resolve({ gasUsed: 15_000_000 })
  await Promise.all(heavy)
})

test('a target counts as light only after several light runs', async () => {
  const limiter = limiterOf()
  await limiter.run(slow, async () => ({ gasUsed: 15_000_000 }))
  const maxConcurrent = async () => {
    let [running, max] = [0, 0]
    const lightWork = async () => {
      max = Math.max(max, ++running)
      await turn()
      running--
      return { gasUsed: 1 }
    }
    await Promise.all(Array.from({ length: 3 }, () => limiter.run(slow, lightWork)))
    return max
  }
  await limiter.run(slow, async () => ({ gasUsed: 1 }))
  // Of 15 million gas, 7.5 million count after one light run, and less than a million after three more.
  expect([await maxConcurrent(), await maxConcurrent()]).toEqual([1, 3])
})

test('a caller who gives up frees the place in the queue', async () => {
  const limiter = limiterOf(1)
  await limiter.run(quick, () => work(1))
  const running = Array.from({ length: 4 }, () => limiter.run(quick, () => work(20)))
  const caller = new AbortController()
  const waiting = limiter.run(quick, () => work(1), caller.signal)
  caller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'OVERLOADED' })
  await limiter.run(quick, () => work(1))
  await Promise.all(running)
})

test('work that fails gives its place back', async () => {
  const limiter = limiterOf()
  for (let i = 0; i < 10; i++)
    await expect(limiter.run(quick, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await limiter.run(quick, () => work(1, 7))).toEqual({ gasUsed: 7 })
})
