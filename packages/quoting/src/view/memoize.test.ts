import { expect, test } from 'vitest'
import { memoizeByKey, once } from './memoize.ts'

test('the work runs once for all callers, and its result is cached', async () => {
  let runs = 0
  const run = once(async () => ++runs)
  expect(await Promise.all([run(), run()])).toEqual([1, 1])
  expect(await run()).toBe(1)
})

test('a failure reaches current callers and is not cached', async () => {
  let runs = 0
  const run = once(async () => {
    if (++runs === 1) throw new Error('first')
    return runs
  })
  const both = await Promise.allSettled([run(), run()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(runs).toBe(1)
  expect(await run()).toBe(2)
})

test('each key has its own work, and beyond 500 the least recently used are dropped', async () => {
  const runs: string[] = []
  const run = memoizeByKey(async (key: string) => runs.push(key))
  for (let k = 0; k < 500; k++) await run(`${k}`)
  await run('0')
  expect(runs).toHaveLength(500)
  await run('500')
  await run('0')
  expect(runs).toHaveLength(501)
  await run('1')
  expect(runs.at(-1)).toBe('1')
})
