import { type Address, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { createSimulationContext } from './context.ts'

const targetOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)

test('the defaults bound gas, bytes, time and places', () => {
  const { limits, blockIntervalMs } = createSimulationContext()
  expect(blockIntervalMs).toBe(1_000)
  expect(limits).toEqual({
    maxGas: 100_000_000n,
    maxCalldata: 131_072,
    maxReturnData: 65_536,
    timeoutMs: 4_000,
    maxConcurrent: 16,
    maxQueued: 400,
  })
})

test('a given limit replaces its default alone, and the block interval is no limit', () => {
  const { limits, blockIntervalMs } = createSimulationContext({ blockIntervalMs: 250, timeoutMs: 9 })
  expect(blockIntervalMs).toBe(250)
  expect(limits).toEqual({ ...createSimulationContext().limits, timeoutMs: 9 })
})

test('unknown targets share the half of the places that is not reserved for light ones', async () => {
  // Of three places one is reserved: an unknown target takes the other two.
  const { limiter } = createSimulationContext({ maxConcurrent: 3, maxQueued: 1 })
  const light = targetOf('1')
  await limiter.run(light, async () => ({ gasUsed: 1 }))
  const started: string[] = []
  const ends: (() => void)[] = []
  const start = (name: string, target: Address) =>
    limiter.run(target, () => {
      started.push(name)
      return new Promise<{ gasUsed: number }>((resolve) => ends.push(() => resolve({ gasUsed: 1 })))
    })
  const first = start('first unknown', targetOf('2'))
  const quick = start('light', light)
  expect(started).toEqual(['first unknown', 'light'])
  const second = start('second unknown', targetOf('3'))
  expect(started).toHaveLength(2)
  await expect(start('third unknown', targetOf('4'))).rejects.toMatchObject({ code: 'OVERLOADED' })
  for (const end of ends.splice(0)) end()
  await Promise.all([first, quick])
  expect(started).toEqual(['first unknown', 'light', 'second unknown'])
  ends[0]!()
  await second
})
