/** Tests against the system's resolver; `async_hooks` count the lookups that reach it. */
import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { HostResolver } from './host-resolver.ts'

let lookups = 0
let running = 0
let maxRunning = 0
const started = new Set<number>()
const hook = createHook({
  init(id, type) {
    if (type !== 'GETADDRINFOREQWRAP') return
    started.add(id)
    lookups++
    maxRunning = Math.max(maxRunning, ++running)
  },
  before(id) {
    if (started.delete(id)) running--
  },
})
beforeAll(() => void hook.enable())
afterAll(() => void hook.disable())
beforeEach(() => {
  lookups = 0
  maxRunning = 0
})

// RFC 6761: no resolver knows a name under `invalid`. A resolver that does not respond takes long to fail.
const missing = 'node.sluice.invalid'
const SLOW_MS = 120_000

test(
  'a thousand requests for a host that is not there cost one lookup',
  async () => {
    const resolver = new HostResolver()
    const results = await Promise.allSettled(Array.from({ length: 1_000 }, () => resolver.resolve(missing)))
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']))
    await expect(resolver.resolve(missing)).rejects.toMatchObject({ code: expect.stringMatching(/^(ENOTFOUND|EAI_)/) })
    expect(lookups).toBe(1)
  },
  SLOW_MS,
)

test(
  'hosts are looked up two at a time, and each once',
  async () => {
    const resolver = new HostResolver()
    const hosts = Array.from({ length: 6 }, (_, k) => `node-${k}.sluice.invalid`)
    const failed = Promise.allSettled([...hosts, ...hosts].map((host) => resolver.resolve(host)))
    expect(resolver.pendingCount).toBe(6)
    await failed
    expect(resolver.pendingCount).toBe(0)
    expect([lookups, maxRunning]).toEqual([6, 2])
  },
  SLOW_MS,
)

test('an address is its own result', async () => {
  const resolver = new HostResolver()
  expect(await resolver.resolve('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await resolver.resolve('::1')).toEqual([{ address: '::1', family: 6 }])
  expect(lookups).toBe(0)
})

test('a result is reused', async () => {
  const resolver = new HostResolver()
  const first = await resolver.resolve('localhost')
  expect(await resolver.resolve('localhost')).toEqual(first)
  expect(lookups).toBe(1)
})
