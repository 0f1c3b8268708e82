/** Tests of the cache of measurements of tokens, and of what is recorded as unsellable. */
import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { createSimulationContext } from '@sluice/simulation'
import { describe, expect, test, vi } from 'vitest'
import { TokenReports } from './token-reports.ts'

const [A, B] = ['a', 'b'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address]
const snapshot = { block: { hash: '0x01', number: 1, timestamp: 1 }, pools: new Map() } as never

function sourceOf(call: () => Promise<string>) {
  let calls = 0
  const counted = async () => {
    calls++
    return call()
  }
  const rpc = { call: counted, callWithHead: counted, getCode: counted, simulateV1: counted, getBlock: counted }
  const simulation = createSimulationContext({ timeoutMs: 1_000, blockIntervalMs: 1_000 })
  const source = { rpc, simulation, block: { blockHash: '0x01' }, signal: new AbortController().signal } as never
  return { source, countCalls: () => calls }
}

describe('a measurement', () => {
  test('of the native token is null, without a call', async () => {
    const { source, countCalls } = sourceOf(async () => '0x')
    expect(await new TokenReports().reportOf(NATIVE, snapshot, source)).toBeNull()
    expect(countCalls()).toBe(0)
  })

  test('is shared by requests for the same token, and repeated after a failure of the node', async () => {
    const { source, countCalls } = sourceOf(() => Promise.reject(new Error('the node is away')))
    const reports = new TokenReports()
    const first = reports.reportOf(A, snapshot, source)
    expect(reports.reportOf(A, snapshot, source)).toBe(first)
    await expect(first).rejects.toThrow('the node is away')
    expect(reports.count.entries).toBe(0)
    const calls = countCalls()
    await expect(reports.reportOf(A, snapshot, source)).rejects.toThrow('the node is away')
    expect(countCalls()).toBeGreaterThan(calls)
  })
})

test('a measurement that fails after a later one has begun does not remove that one', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const [firstSource, secondSource] = answers.map(({ promise }) => sourceOf(() => promise).source)
  const reports = new TokenReports()
  const first = reports.reportOf(A, snapshot, firstSource!)
  const later = performance.now() + 61_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
  try {
    // The cache reads the clock at most once per millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5))
    const second = reports.reportOf(A, snapshot, secondSource!)
    expect(second).not.toBe(first)
    answers[0]!.reject(new Error('too late'))
    await expect(first).rejects.toThrow('too late')
    expect(reports.reportOf(A, snapshot, secondSource!)).toBe(second)
    answers[1]!.reject(new Error('no'))
    await expect(second).rejects.toThrow('no')
  } finally {
    clock.mockRestore()
  }
})

describe('results of test sales', () => {
  const recorded = () => {
    const reports = new TokenReports()
    const notified: Address[] = []
    reports.onSellabilityChanged = (token) => notified.push(token)
    return { reports, notified }
  }

  test('make a token unsellable that no pool could sell, which is reported once', () => {
    const { reports, notified } = recorded()
    reports.recordSales(A, [false, null])
    reports.recordSales(A, [false])
    expect([reports.isUnsellable(A), reports.isUnsellable(B), notified]).toEqual([true, false, [A]])
  })

  test('make it sellable again as soon as one pool sells it', () => {
    const { reports, notified } = recorded()
    reports.recordSales(A, [false])
    reports.recordSales(A, [false, true])
    expect(reports.isUnsellable(A)).toBe(false)
    reports.recordSales(A, [true])
    reports.recordSales(A, [false])
    expect(notified).toEqual([A, A, A])
  })

  test('to the pools that decide the price count before those to others', () => {
    const { reports, notified } = recorded()
    reports.recordDecidingSales(A, [true, false])
    reports.recordSales(A, [true])
    expect([reports.isUnsellable(A), notified]).toEqual([true, [A]])
    reports.recordSales(A, [false])
    reports.recordSales(A, [true])
    reports.recordDecidingSales(A, [null])
    expect([reports.isUnsellable(A), notified]).toEqual([true, [A]])
    reports.recordDecidingSales(A, [null, true])
    expect([reports.isUnsellable(A), notified]).toEqual([false, [A, A]])
    reports.recordSales(A, [false])
    reports.recordDecidingSales(A, [true])
    reports.recordDecidingSales(A, [])
    expect([reports.isUnsellable(A), notified]).toEqual([false, [A, A, A, A]])
  })

  test('expire an hour after the last failure, because the owner may only have paused the token', async () => {
    const { reports, notified } = recorded()
    let now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    // The cache reads the clock at most once per millisecond.
    const passMinutes = async (minutes: number) => {
      now += minutes * 60_000
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    try {
      reports.recordSales(A, [false])
      await passMinutes(40)
      reports.recordSales(A, [false])
      await passMinutes(40)
      expect(reports.isUnsellable(A)).toBe(true)
      await passMinutes(21)
      expect([reports.isUnsellable(A), notified]).toEqual([false, [A]])
      reports.recordSales(A, [false])
      expect([reports.isUnsellable(A), notified]).toEqual([true, [A, A]])
    } finally {
      clock.mockRestore()
    }
  })

  test('that were not tried change nothing', () => {
    const { reports, notified } = recorded()
    reports.recordSales(A, [null])
    reports.recordSales(A, [])
    expect([reports.isUnsellable(A), notified]).toEqual([false, []])
    reports.recordSales(A, [false])
    reports.recordSales(A, [null])
    expect(reports.isUnsellable(A)).toBe(true)
  })
})
