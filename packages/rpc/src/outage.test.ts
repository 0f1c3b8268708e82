import { expect, test } from 'vitest'
import { RpcError } from './errors.ts'
import { Outage } from './outage.ts'
import type { Upstream } from './upstream.ts'

type Fake = {
  isUnusable: boolean
  lastFailure?: RpcError
  probes: number
  isReachable: () => Promise<boolean>
  isBack: boolean
}

function fake(lastFailure?: RpcError): Fake {
  const upstream: Fake = {
    ...{ isUnusable: true, probes: 0, isBack: false },
    ...(lastFailure && { lastFailure }),
    isReachable: async () => {
      upstream.probes++
      return upstream.isBack
    },
  }
  return upstream
}
function world(...fakes: readonly Fake[]) {
  const clock = { ms: 1_000_000 }
  return { clock, outage: new Outage(fakes as unknown as readonly Upstream[], () => clock.ms) }
}
const ended = (outage: Outage) =>
  outage.end().then(
    () => 'back',
    (error: RpcError) => error.code,
  )

test('a chain is out while all of its endpoints are, and never without endpoints', () => {
  const [one, two] = [fake(), fake()]
  const { outage } = world(one, two)
  expect(outage.isOpen).toBe(true)
  two.isUnusable = false
  expect(outage.isOpen).toBe(false)
  expect(world().outage.isOpen).toBe(false)
})

test('the error is that of the first endpoint with a failure, or that none answers', async () => {
  const credit = new RpcError('CREDIT', 'used up')
  const { outage } = world(fake(), fake(credit), fake(new RpcError('TIMEOUT', 'late')))
  await expect(outage.end()).rejects.toBe(credit)
  expect(await ended(world(fake()).outage)).toBe('UNREACHABLE')
})

test('one endpoint that is back ends the outage', async () => {
  const [one, two] = [fake(), fake()]
  two.isBack = true
  expect(await ended(world(one, two).outage)).toBe('back')
  expect([one.probes, two.probes]).toEqual([1, 1])
})

test('requests share a probe in flight, and those between probes fail at once', async () => {
  const one = fake()
  const { outage, clock } = world(one)
  expect(await Promise.all([ended(outage), ended(outage), ended(outage)])).toEqual(Array(3).fill('UNREACHABLE'))
  expect(one.probes).toBe(1)
  clock.ms += 499
  expect(await ended(outage)).toBe('UNREACHABLE')
  expect(one.probes).toBe(1)
  clock.ms += 1
  one.isBack = true
  expect(await ended(outage)).toBe('back')
  expect(one.probes).toBe(2)
})

test('a probe in flight is waited for also when none is due', async () => {
  const one = fake()
  const { outage } = world(one)
  const probe = Promise.withResolvers<boolean>()
  one.isReachable = () => probe.promise
  const both = [ended(outage), ended(outage)]
  probe.resolve(true)
  expect(await Promise.all(both)).toEqual(['back', 'back'])
})

test('pauses double up to half a minute, and begin again once an endpoint was back', async () => {
  const one = fake()
  const { outage, clock } = world(one)
  /** Returns the milliseconds, in steps of 50, until the next probe. */
  const pause = async () => {
    const [before, start] = [one.probes, clock.ms]
    while (one.probes === before) {
      clock.ms += 50
      await ended(outage)
    }
    return clock.ms - start
  }
  await ended(outage)
  const pauses: number[] = []
  for (let k = 0; k < 8; k++) pauses.push(await pause())
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  one.isBack = true
  clock.ms += 30_000
  expect(await ended(outage)).toBe('back')
  one.isBack = false
  expect(await pause()).toBe(250)
  expect(await pause()).toBe(500)
})
