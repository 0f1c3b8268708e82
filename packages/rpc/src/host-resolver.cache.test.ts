/** Tests what is cached of lookups, with a resolver of the system that answers when the test says so. */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HostResolver } from './host-resolver.ts'

type Finish = (error: Error | null, list: readonly LookupAddress[]) => void
const systemLookup = dns.lookup
let lookups: { readonly host: string; readonly finish: Finish }[]
const listOf = (address: string) => [{ address, family: 4 }]
const [ONE, TWO] = [listOf('10.0.0.1'), listOf('10.0.0.2')]
const gone = () => Object.assign(new Error('not found'), { code: 'ENOTFOUND' })

beforeEach(() => {
  lookups = []
  vi.useFakeTimers({ now: 1_000_000 })
  dns.lookup = ((host: string, options: unknown, finish: Finish) => {
    if (JSON.stringify(options) !== '{"all":true}') throw new Error('other options')
    lookups.push({ host, finish })
  }) as unknown as typeof dns.lookup
  syncBuiltinESMExports()
})
afterEach(() => {
  dns.lookup = systemLookup
  syncBuiltinESMExports()
  vi.useRealTimers()
})

/** Resolves a host, and finishes the lookup that this starts. */
async function resolved(resolver: HostResolver, result: Error | readonly LookupAddress[], host = 'node.test') {
  const before = lookups.length
  const resolving = resolver.resolve(host)
  resolving.catch(() => {})
  if (lookups.length > before)
    lookups.at(-1)!.finish(result instanceof Error ? result : null, result instanceof Error ? [] : result)
  return resolving.catch(({ code }) => code)
}

test('addresses are fresh for ten seconds, and failures for two', async () => {
  const resolver = new HostResolver()
  expect(await resolved(resolver, ONE)).toEqual(ONE)
  vi.advanceTimersByTime(9_999)
  expect([await resolved(resolver, TWO), lookups.length]).toEqual([ONE, 1])
  vi.advanceTimersByTime(1)
  expect([await resolved(resolver, TWO), lookups.length]).toEqual([TWO, 2])
  expect(await resolved(resolver, gone(), 'other.test')).toBe('ENOTFOUND')
  vi.advanceTimersByTime(1_999)
  expect([await resolved(resolver, ONE, 'other.test'), lookups.length]).toEqual(['ENOTFOUND', 3])
  vi.advanceTimersByTime(1)
  expect([await resolved(resolver, ONE, 'other.test'), lookups.length]).toEqual([ONE, 4])
})

test('a clock that is set back an hour keeps neither addresses nor failures longer', async () => {
  const resolver = new HostResolver()
  expect(await resolved(resolver, ONE)).toEqual(ONE)
  expect(await resolved(resolver, gone(), 'other.test')).toBe('ENOTFOUND')
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(10_000)
  expect(await resolved(resolver, TWO)).toEqual(TWO)
  expect(await resolved(resolver, ONE, 'other.test')).toEqual(ONE)
})

test('an answer without an address is a failure', async () => {
  const resolver = new HostResolver()
  expect(await resolved(resolver, [])).toBe('ENODATA')
  await expect(resolver.resolve('node.test')).rejects.toThrow('node.test has no address')
})

test('expired addresses are used for an hour while lookups fail, or are slow', async () => {
  const resolver = new HostResolver()
  await resolved(resolver, ONE)
  vi.advanceTimersByTime(10_000)
  expect(await resolved(resolver, gone())).toEqual(ONE)
  // The failure is cached, with the addresses.
  expect([await resolved(resolver, TWO), lookups.length]).toEqual([ONE, 2])
  vi.advanceTimersByTime(2_000)
  const slow = resolver.resolve('node.test')
  await vi.advanceTimersByTimeAsync(99)
  expect(resolver.pendingCount).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await slow).toEqual(ONE)
  lookups.at(-1)!.finish(null, TWO)
  expect(await resolver.resolve('node.test')).toEqual(TWO)
  vi.advanceTimersByTime(3_600_000)
  expect(await resolved(resolver, gone())).toBe('ENOTFOUND')
})

test('one lookup serves all requests; two hosts are looked up at a time, and one of those that failed', async () => {
  const resolver = new HostResolver()
  for (const host of ['a.test', 'b.test']) await resolved(resolver, gone(), host)
  vi.advanceTimersByTime(2_000)
  lookups.length = 0
  const hosts = ['a.test', 'b.test', 'c.test', 'c.test', 'd.test']
  const all = hosts.map((host) => resolver.resolve(host))
  for (const resolving of all) resolving.catch(() => {})
  const started = () => lookups.map(({ host }) => host)
  // The second that failed waits behind those that did not.
  expect([started(), resolver.pendingCount]).toEqual([['a.test', 'c.test'], 4])
  lookups[1]!.finish(null, ONE)
  expect(started()).toEqual(['a.test', 'c.test', 'd.test'])
  lookups[2]!.finish(null, TWO)
  expect(started()).toHaveLength(3)
  lookups[0]!.finish(null, ONE)
  expect(started()).toEqual(['a.test', 'c.test', 'd.test', 'b.test'])
  lookups[3]!.finish(null, TWO)
  expect(await Promise.all(all)).toEqual([ONE, TWO, ONE, ONE, TWO])
  expect(resolver.pendingCount).toBe(0)
})

test('hosts that were found again are looked up side by side', async () => {
  const resolver = new HostResolver()
  const hosts = ['a.test', 'b.test']
  for (const result of [gone(), ONE]) {
    for (const host of hosts) await resolved(resolver, result, host)
    vi.advanceTimersByTime(10_000)
  }
  lookups.length = 0
  const all = hosts.map((host) => resolver.resolve(host))
  expect(lookups.map(({ host }) => host)).toEqual(hosts)
  for (const { finish } of lookups) finish(null, TWO)
  expect(await Promise.all(all)).toEqual([TWO, TWO])
})

test('the option of sockets gets all addresses, or the first, or the error', async () => {
  const resolver = new HostResolver()
  const look = (all: boolean) =>
    new Promise<unknown[]>((resolve) =>
      resolver.lookup('node.test', { all }, (...result: unknown[]) => resolve(result)),
    )
  const [every, first] = [look(true), look(false)]
  lookups[0]!.finish(null, [...ONE, ...TWO])
  expect([await every, await first]).toEqual([
    [null, [...ONE, ...TWO]],
    [null, '10.0.0.1', 4],
  ])
  vi.advanceTimersByTime(4_000_000)
  const failed = look(true)
  lookups[1]!.finish(gone(), [])
  expect(await failed).toMatchObject([{ code: 'ENOTFOUND' }, []])
})

test('at most 4,096 hosts are cached; those that are being looked up stay', async () => {
  const resolver = new HostResolver()
  const pending = resolver.resolve('first.test')
  pending.catch(() => {})
  for (let k = 0; k < 4_095; k++) await resolved(resolver, ONE, `host-${k}.test`)
  const before = lookups.length
  await resolved(resolver, ONE, 'one-more.test')
  // The oldest host without a lookup made room.
  await resolved(resolver, ONE, 'host-1.test')
  expect(lookups.length).toBe(before + 1)
  await resolved(resolver, ONE, 'host-0.test')
  expect(lookups.length).toBe(before + 2)
  lookups[0]!.finish(null, TWO)
  expect(await pending).toEqual(TWO)
})
