/** Published and shown states, over a real Redis. */
import { isDeepStrictEqual } from 'node:util'
import { type Batch, type Part, type Pool, PoolMap } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OwnConnection } from '../src/connection.ts'
import { putFact } from '../src/facts.ts'
import { Follower } from '../src/follower.ts'
import type { Shown } from '../src/head.ts'
import { join } from '../src/join.ts'
import { keysOf } from '../src/keys.ts'
import { Lease } from '../src/lease.ts'
import { SharedMemory } from '../src/memory.ts'
import { packed } from '../src/packed.ts'
import { Publisher, type State } from '../src/publisher.ts'
import { blockOf, familyOf, hashOf, madePool } from './made-up.ts'
import { hasRedis, TestRedis } from './redis.ts'

const NO_PAIRS = { added: [], removed: [] }
const keys = keysOf(31337)
const POOLS = 200

const stateOf = (number: number, pools: PoolMap): State => ({ block: blockOf(number), pools, stands: [hashOf(number)] })
const whole = PoolMap.empty.with(Array.from({ length: POOLS }, (_, n) => madePool(n, 0)))
/** The pools with some of them changed, every fourth time with their ticks. */
function changed(pools: PoolMap, version: number, numbers: readonly number[]): PoolMap {
  const made = numbers.map((n) => {
    const old = pools.get(madePool(n, 0).id) as Pool & { state: { ticks?: unknown } }
    const next = madePool(n, version)
    if (!old?.state.ticks || version % 4 === 0) return next
    return { ...next, state: { ...(next.state as object), ticks: old.state.ticks } }
  })
  return pools.with(made)
}
const isEqual = (shown: Shown | null, pools: PoolMap) =>
  shown !== null &&
  shown.pools.size === pools.size &&
  [...pools].every(([id, pool]) => isDeepStrictEqual(shown.pools.get(id), pool))

describe.skipIf(!hasRedis)('a chain on Redis', () => {
  let redis: TestRedis
  let connection: OwnConnection
  let followers: Follower[] = []
  let lease: Lease
  let publisher: Publisher
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis?.stop())
  beforeEach(async () => {
    connection = await redis.connect()
    await connection.call('FLUSHALL')
    lease = new Lease(keys)
    publisher = new Publisher({ keys, lease })
    expect(await lease.acquire(connection)).toBe(true)
    await publisher.full(connection, stateOf(1, whole), ['a,b'])
  })
  afterEach(async () => {
    await Promise.all(followers.map((follower) => follower.stop()))
    followers = []
    connection.close()
  })

  const joined = () => join(connection, { keys, signal: new AbortController().signal, attempts: 1 })
  const follow = (page?: number): Follower => {
    const facts = new Map<string, string>()
    const follower = new Follower({
      ...{ url: redis.url, keys, joins: new Semaphore(1) },
      onShown: () => {},
      onFact: (key, value) => facts.set(key, value),
      ...(page && { page }),
    })
    followers.push(follower)
    follower.start()
    return Object.assign(follower, { facts })
  }

  test('what is written whole is what is joined', async () => {
    const shown = await joined()
    expect(isEqual(shown, whole)).toBe(true)
    expect(shown).toMatchObject({ block: blockOf(1), stands: [hashOf(1)], pairs: new Set(['a,b']) })
  })

  test('blocks are followed: changes, ticks that come and go, pools that vanish and return, pairs', async () => {
    const follower = follow()
    await until(() => follower.shown !== null)
    let pools = whole
    for (let version = 1; version <= 40; version++) {
      pools = changed(pools, version, [version % POOLS, 2 + (version % 4), 42, 43])
      const gone = version % 10 === 5 ? [madePool(43, 0).id, madePool(7, 0).id] : []
      pools = pools.with([], gone)
      await publisher.publish(connection, stateOf(1 + version, pools), { added: [`p,${version}`], removed: [] })
    }
    await publisher.publish(connection, stateOf(99, pools), { added: [], removed: ['a,b'] })
    await until(() => follower.shown?.block.number === 99)
    expect(isEqual(follower.shown, pools)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 1, entries: 41, gaps: 0 })
    expect(follower.shown?.pairs).toEqual(new Set(Array.from({ length: 40 }, (_, i) => `p,${i + 1}`)))
    const anew = await joined()
    expect(isEqual(anew, pools)).toBe(true)
    expect(anew?.pairs).toEqual(follower.shown?.pairs)
  })

  test('a block of 200 changed pools takes less than 35 kB, since ticks that stay are not told', async () => {
    const threes = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => familyOf(n) === 'uniswap-v3')
    const twos = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => familyOf(n) === 'uniswap-v2')
    const all = PoolMap.empty.with([...threes.slice(0, 100), ...twos.slice(0, 100)].map((n) => madePool(n, 0)))
    await publisher.full(connection, stateOf(2, all), [])
    const before = publisher.counts.bytes
    const next = changed(all, 1, [...threes.slice(0, 100), ...twos.slice(0, 100)])
    await publisher.publish(connection, stateOf(3, next), NO_PAIRS)
    expect(publisher.counts.bytes - before).toBeLessThan(35_000)
    expect(isEqual(await joined(), next)).toBe(true)
  })

  test('a join that spans blocks shows none of them in part', async () => {
    const states = new Map<number, PoolMap>([[1, whole]])
    let pools = whole
    let isOver = false
    const writing = (async () => {
      for (let version = 1; !isOver; version++) {
        const numbers = Array.from({ length: 60 }, (_, i) => (version * 31 + i) % POOLS)
        pools = changed(pools, version, numbers).with([], version % 3 === 0 ? [madePool(version % POOLS, 0).id] : [])
        states.set(1 + version, pools)
        await publisher.publish(connection, stateOf(1 + version, pools), NO_PAIRS)
      }
    })()
    const reader = await redis.connect()
    for (let i = 0; i < 8; i++) {
      const shown = await join(reader, { keys, signal: new AbortController().signal, page: 10 })
      expect(isEqual(shown, states.get(shown!.block.number)!)).toBe(true)
    }
    isOver = true
    await writing
    reader.close()
  })

  test('who lost the lease writes nothing, and nor does who does not know the last word', async () => {
    const other = new Lease(keys)
    expect(await other.acquire(connection)).toBe(false)
    await lease.release(connection)
    expect(await other.acquire(connection)).toBe(true)
    const next = changed(whole, 1, [1])
    await expect(publisher.publish(connection, stateOf(2, next), NO_PAIRS)).rejects.toMatchObject({ code: 'LOST' })
    await expect(publisher.full(connection, stateOf(2, next), [])).rejects.toMatchObject({ code: 'LOST' })
    const second = new Publisher({ keys, lease: other })
    expect(await second.resume(connection)).toBe(false)
    const shown = (await joined())!
    second.adopt(shown, shown.pools)
    expect(await second.resume(connection)).toBe(true)
    await second.publish(connection, stateOf(3, changed(shown.pools, 2, [2])), NO_PAIRS)
    // The first one is owner again, and holds a difference to what is not there any more.
    await other.release(connection)
    expect(await lease.acquire(connection)).toBe(true)
    await expect(publisher.publish(connection, stateOf(4, next), NO_PAIRS)).rejects.toMatchObject({ code: 'CHANGED' })
    expect((await joined())?.block.number).toBe(3)
  })

  test('writes that are sent before the answers of those before them stand in their order', async () => {
    const follower = follow()
    await until(() => follower.shown !== null)
    const states = [whole]
    const answers: Promise<void>[] = []
    for (let version = 1; version <= 12; version++) {
      states.push(changed(states.at(-1)!, version, [version, 42]))
      const pairs = { added: [`p,${version}`], removed: version % 3 === 0 ? [`p,${version - 1}`] : [] }
      answers.push((await publisher.send(connection, stateOf(1 + version, states.at(-1)!), pairs)).answer)
    }
    await Promise.all(answers)
    await until(() => follower.shown?.block.number === 13)
    expect(isEqual(follower.shown, states.at(-1)!)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 1, entries: 12, gaps: 0 })
    expect((await joined())?.pairs).toEqual(publisher.toldPairs)
  })

  test('where a write is refused, those sent after it are, and the owner goes on from what stands', async () => {
    const states = [1, 2, 3].map((version) => changed(whole, version, [version]))
    const send = async (k: number) =>
      (await publisher.send(connection, stateOf(1 + k, states[k - 1]!), NO_PAIRS)).answer
    await send(1)
    await lease.release(connection)
    const refused = await Promise.allSettled([send(2), send(3)])
    expect(refused).toMatchObject([{ reason: { code: 'LOST' } }, { reason: { code: 'LOST' } }])
    expect(await lease.acquire(connection)).toBe(true)
    // It does not know any more what it told last.
    await expect(send(3)).rejects.toMatchObject({ code: 'CHANGED' })
    expect(await publisher.resume(connection)).toBe(true)
    await send(3)
    const shown = await joined()
    expect(shown?.block.number).toBe(4)
    expect(isEqual(shown, states[2]!)).toBe(true)
  })

  test('an owner that was held with a write in its hands finds that others have written', async () => {
    let hold: () => Promise<void> = async () => {}
    const held = new Publisher({ keys, lease, beforeWrite: () => hold() })
    const shown = (await joined())!
    held.adopt(shown, shown.pools)
    await held.resume(connection)
    hold = async () => {
      await connection.call('DEL', keys.lease)
      const other = new Lease(keys)
      await other.acquire(connection)
      const second = new Publisher({ keys, lease: other })
      second.adopt(shown, shown.pools)
      await second.resume(connection)
      await second.publish(connection, stateOf(5, changed(shown.pools, 5, [5])), NO_PAIRS)
    }
    const next = stateOf(2, changed(shown.pools, 1, [1]))
    await expect(held.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'LOST' })
    expect((await joined())?.block.number).toBe(5)
  })

  test('what was written although its answer was lost is known when the owner asks', async () => {
    const next = changed(whole, 1, [1, 2, 3])
    const broken = { call: async (...command: never[]) => void (await connection.call(...command)), close: () => {} }
    await expect(publisher.publish(broken as never, stateOf(2, next), NO_PAIRS)).rejects.toThrow()
    expect(await publisher.resume(connection)).toBe(true)
    const last = changed(next, 2, [4])
    await publisher.publish(connection, stateOf(3, last), NO_PAIRS)
    expect(isEqual(await joined(), last)).toBe(true)
  })

  test('pools that were evicted are neither shown nor written to', async () => {
    const gen = await connection.call<string>('HGET', keys.head, 'gen')
    await connection.call('HDEL', keys.pools(gen), madePool(3, 0).id)
    await expect(joined()).rejects.toMatchObject({ code: 'DAMAGED' })
    const next = stateOf(2, changed(whole, 1, [1]))
    await expect(publisher.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'DAMAGED' })
    await publisher.full(connection, next, [])
    expect(isEqual(await joined(), next.pools as PoolMap)).toBe(true)
  })

  test('pairs that were evicted are not said by those who have them once their pools are dropped', async () => {
    const follower = follow()
    await until(() => follower.shown !== null)
    await connection.call('UNLINK', keys.pairs)
    const second = new Publisher({ keys, lease })
    second.adopt(follower.shown!, whole)
    expect(await second.resume(connection)).toBe(true)
    const next = stateOf(2, PoolMap.empty.with([madePool(1, 1)]))
    await expect(second.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'DAMAGED' })
    await second.full(connection, next, ['c,d'])
    await until(() => follower.shown?.block.number === 2)
    expect(follower.shown!.pairs).toEqual(new Set(['c,d']))
  })

  test('entries that are gone are made up for by joining anew', async () => {
    const follower = follow()
    await until(() => follower.shown !== null)
    await connection.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const next = changed(whole, 1, [1, 2])
    const after = changed(next, 2, [3])
    await publisher.publish(connection, stateOf(2, next), NO_PAIRS)
    await connection.call('XTRIM', keys.entries, 'MAXLEN', 0)
    await publisher.publish(connection, stateOf(3, after), NO_PAIRS)
    await until(() => follower.shown?.block.number === 3)
    expect(isEqual(follower.shown, after)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 2, gaps: 1, entries: 0 })
  })

  test.each([
    ['not packed', '{"pools":[],"longs":[],"gone":[],"pairs":{"added":[],"removed":[]}}'],
    ['no text of an entry', packed(Buffer.from('nonsense'))],
    ['another shape', packed(Buffer.from('{"pools":[[1,{}]],"longs":[],"gone":[],"pairs":{"added":[],"removed":[]}}'))],
    ['no lists', packed(Buffer.from('{"pools":{},"gone":null}'))],
    ['null', packed(Buffer.from('null'))],
  ])('an entry that is %s is made up for by joining anew', async (_, told) => {
    const follower = follow()
    await until(() => follower.shown !== null)
    const { id, tag, size } = follower.shown!
    const head = await connection.call<string[]>('HMGET', keys.head, 'block', 'stands')
    const line = ['prev', id, 'tag', tag, 'block', head[0]!, 'stands', head[1]!, 'size', size, 'told', told]
    await connection.call('XADD', keys.entries, '*', ...line)
    await until(() => follower.counts.joins > 1)
    expect(follower.counts.failures).toBe(0)
    await publisher.publish(connection, stateOf(2, changed(whole, 1, [4])), NO_PAIRS)
    await until(() => follower.shown?.block.number === 2)
    expect(isEqual(follower.shown, changed(whole, 1, [4]))).toBe(true)
  })

  test('a Redis that comes back with an earlier clock is followed all the same', async () => {
    await connection.call('XSETID', keys.entries, `${Date.now() + 60_000}-0`)
    await publisher.publish(connection, stateOf(2, changed(whole, 1, [1])), NO_PAIRS)
    const follower = follow()
    await until(() => follower.shown?.block.number === 2)
    await connection.call('FLUSHALL')
    await lease.acquire(connection)
    await publisher.full(connection, stateOf(3, whole), [])
    await until(() => follower.shown?.block.number === 3)
    expect(isEqual(follower.shown, whole)).toBe(true)
  })

  test('facts: the newest measurement stays, and is told to all', async () => {
    await putFact(connection, keys, { key: 'k', measuredMs: 5, text: 'five' })
    const follower = follow() as Follower & { facts: Map<string, string> }
    await until(() => follower.facts.get('k') === '5 five')
    await until(() => follower.shown !== null)
    await putFact(connection, keys, { key: 'k', measuredMs: 4, text: 'four' })
    await putFact(connection, keys, { key: 'k', measuredMs: 6, text: 'six' })
    await until(() => follower.facts.get('k') === '6 six')
    expect(await connection.call('HGET', keys.facts, 'k')).toBe('6 six')
  })

  test('what an owner remembers is whole for the next one, or not used', async () => {
    const shown = (await joined())!
    const options = { keys, chainId: 31337, connection: () => connection, token: lease.token, shown }
    const memory = await SharedMemory.open(options, false)
    expect(memory.facts).toBeNull()
    const known = [...whole.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: 3 }))
    async function* parts(): AsyncGenerator<Part> {
      yield { do: 'list', name: 'pairs', items: ['a,b', 'never,told'] }
      yield { do: 'write', known: known.slice(1), changed: [], gone: [] }
    }
    await memory.save({ chainId: 31337, block: blockOf(1), extra: { rows: 'r' } }, parts())
    expect(await memory.isWhole()).toBe(true)
    const next = await SharedMemory.open(options, false)
    expect(next.facts).toEqual({ chainId: 31337, block: blockOf(1), extra: { rows: 'r' } })
    const batches: Batch[] = []
    for await (const batch of next.batches()) batches.push(batch)
    expect(batches.find(({ list }) => list?.name === 'pairs')?.list?.items).toEqual(['a,b'])
    const stored = batches.flatMap(({ pools }) => pools)
    expect(stored).toHaveLength(POOLS - 1)
    for (const { pool, dexRow, state } of stored) {
      expect({ ...pool, state }).toEqual(whole.get(pool.id))
      expect(dexRow).toBe(3)
    }
    await connection.call('HDEL', keys.known, madePool(9, 0).id)
    expect(await memory.isWhole()).toBe(false)
    expect((await SharedMemory.open(options, false)).facts).toBeNull()
    await lease.release(connection)
    await expect(memory.save({ chainId: 31337, block: blockOf(1), extra: {} }, parts())).rejects.toThrow('owns')
  })

  test('what is shown stays while Redis is away, and is confirmed no longer', async () => {
    const follower = follow()
    await until(() => follower.shown !== null)
    // What it comes back with is this test's: on a busy disk it lacks the last second, and the lease would be that of the test before.
    await connection.call('CONFIG', 'SET', 'appendfsync', 'always')
    expect(await lease.acquire(connection)).toBe(true)
    await redis.kill()
    await until(() => follower.awaySince !== null)
    const confirmed = follower.confirmedMs
    expect(isEqual(follower.shown, whole)).toBe(true)
    await redis.start()
    await until(() => follower.awaySince === null)
    expect(follower.confirmedMs).toBe(confirmed)
    connection = await redis.connect()
    expect(await lease.acquire(connection)).toBe(true)
    await lease.renew(connection, true)
    await until(() => follower.confirmedMs !== confirmed)
  })
})

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
