import { expect, test } from 'vitest'
import { memo, once } from './once.ts'

test('a work runs once for all who ask, and its result is kept', async () => {
  let runs = 0
  const run = once(async () => ++runs)
  expect(await Promise.all([run(), run()])).toEqual([1, 1])
  expect(await run()).toBe(1)
})

test('a failure is shared by those who wait, and forgotten then', async () => {
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

test('each key has its own work, and those asked for longest ago are forgotten beyond 500', async () => {
  const asked: string[] = []
  const run = memo(async (key: string) => asked.push(key))
  for (let k = 0; k < 500; k++) await run(`${k}`)
  await run('0')
  expect(asked).toHaveLength(500)
  await run('500')
  await run('0')
  expect(asked).toHaveLength(501)
  await run('1')
  expect(asked.at(-1)).toBe('1')
})
