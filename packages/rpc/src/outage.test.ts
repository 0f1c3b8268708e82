import { afterEach, expect, test, vi } from 'vitest'
import { RpcError } from './errors.ts'
import { Outage } from './outage.ts'
import type { Upstream } from './upstream.ts'

type FakeEndpoint = {
  isUnusable: boolean
  lastFailure?: RpcError
  probes: number
  isReachable: () => Promise<boolean>
  isBack: boolean
}

function fakeEndpoint(lastFailure?: RpcError): FakeEndpoint {
  const endpoint: FakeEndpoint = {
    ...{ isUnusable: true, probes: 0, isBack: false },
    ...(lastFailure && { lastFailure }),
    isReachable: async () => {
      endpoint.probes++
      return endpoint.isBack
    },
  }
  return endpoint
}
function outageOf(...endpoints: readonly FakeEndpoint[]) {
  const clock = { ms: 1_000_000 }
  return { clock, outage: new Outage(endpoints as unknown as readonly Upstream[], () => clock.ms) }
}
const outcomeOfEnd = (outage: Outage) =>
  outage.waitForRecovery().then(
    () => 'back',
    (error: RpcError) => error.code,
  )

afterEach(() => void vi.useRealTimers())

test('an outage is open while all endpoints are unusable, and never without endpoints', () => {
  const [endpoint, otherEndpoint] = [fakeEndpoint(), fakeEndpoint()]
  const { outage } = outageOf(endpoint, otherEndpoint)
  expect(outage.isOpen).toBe(true)
  otherEndpoint.isUnusable = false
  expect(outage.isOpen).toBe(false)
  expect(outageOf().outage.isOpen).toBe(false)
})

test('the error is the first failure of an endpoint, or UNREACHABLE if no endpoint has one', async () => {
  const credit = new RpcError('CREDIT', 'used up')
  const { outage } = outageOf(fakeEndpoint(), fakeEndpoint(credit), fakeEndpoint(new RpcError('TIMEOUT', 'late')))
  await expect(outage.waitForRecovery()).rejects.toBe(credit)
  expect(await outcomeOfEnd(outageOf(fakeEndpoint()).outage)).toBe('UNREACHABLE')
})

test('an outage ends when one endpoint is reachable', async () => {
  const [endpoint, otherEndpoint] = [fakeEndpoint(), fakeEndpoint()]
  otherEndpoint.isBack = true
  expect(await outcomeOfEnd(outageOf(endpoint, otherEndpoint).outage)).toBe('back')
  expect([endpoint.probes, otherEndpoint.probes]).toEqual([1, 1])
})

test('concurrent requests share a probe, and requests between probes fail at once', async () => {
  const endpoint = fakeEndpoint()
  const { outage, clock } = outageOf(endpoint)
  expect(await Promise.all([outcomeOfEnd(outage), outcomeOfEnd(outage), outcomeOfEnd(outage)])).toEqual(
    Array(3).fill('UNREACHABLE'),
  )
  expect(endpoint.probes).toBe(1)
  clock.ms += 499
  expect(await outcomeOfEnd(outage)).toBe('UNREACHABLE')
  expect(endpoint.probes).toBe(1)
  clock.ms += 1
  endpoint.isBack = true
  expect(await outcomeOfEnd(outage)).toBe('back')
  expect(endpoint.probes).toBe(2)
})

test('requests wait for a probe in flight even if no new probe is due', async () => {
  const endpoint = fakeEndpoint()
  const { outage } = outageOf(endpoint)
  const probe = Promise.withResolvers<boolean>()
  endpoint.isReachable = () => probe.promise
  const outcomes = [outcomeOfEnd(outage), outcomeOfEnd(outage)]
  probe.resolve(true)
  expect(await Promise.all(outcomes)).toEqual(['back', 'back'])
})

test('pauses double up to 30 seconds, and are reset after an endpoint was reachable', async () => {
  const endpoint = fakeEndpoint()
  const { outage, clock } = outageOf(endpoint)
  /** Returns the milliseconds, in steps of 50, until the next probe. */
  const pause = async () => {
    const [probesBefore, start] = [endpoint.probes, clock.ms]
    while (endpoint.probes === probesBefore) {
      clock.ms += 50
      await outcomeOfEnd(outage)
    }
    return clock.ms - start
  }
  await outcomeOfEnd(outage)
  const pauses: number[] = []
  for (let k = 0; k < 8; k++) pauses.push(await pause())
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  endpoint.isBack = true
  clock.ms += 30_000
  expect(await outcomeOfEnd(outage)).toBe('back')
  endpoint.isBack = false
  expect(await pause()).toBe(250)
  expect(await pause()).toBe(500)
})

test('a clock that is set back an hour does not delay the next probe', async () => {
  vi.useFakeTimers()
  const endpoint = fakeEndpoint()
  const outage = new Outage([endpoint] as unknown as readonly Upstream[])
  await outcomeOfEnd(outage)
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(500)
  await outcomeOfEnd(outage)
  expect(endpoint.probes).toBe(2)
})
