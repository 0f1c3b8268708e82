/** Tests publishing and following of states over a real Redis. */
import { isDeepStrictEqual } from 'node:util'
import { ZERO_ADDRESS } from '@sluice/chains'
import { type Pool, PoolMap, type SaveCommand, type SavedBatch } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Argument, OwnConnection } from '../src/connection.ts'
import { compressEntry } from '../src/entry-compression.ts'
import { storeFact } from '../src/facts.ts'
import { StateFollower } from '../src/follower.ts'
import type { FollowedState } from '../src/head.ts'
import { join } from '../src/join.ts'
import { keysOf } from '../src/keys.ts'
import { Lease } from '../src/lease.ts'
import { OwnerStore } from '../src/owner-store.ts'
import { type PublishedState, Publisher } from '../src/publisher.ts'
import { hasRedis, TestRedis } from './redis.ts'
import { blockOf, familyOf, hashOf, syntheticPool } from './synthetic-pools.ts'

const NO_PAIRS = { added: [], removed: [] }
const keys = keysOf(31337)
const POOLS = 200

const stateOf = (number: number, pools: PoolMap): PublishedState => ({
  block: blockOf(number),
  pools,
  canonical: [hashOf(number)],
})
const whole = PoolMap.empty.with(Array.from({ length: POOLS }, (_, n) => syntheticPool(n, 0)))
/** Changes some of the pools, and their ticks in every fourth version. */
function changed(pools: PoolMap, version: number, numbers: readonly number[]): PoolMap {
  const next = numbers.map((n) => {
    const old = pools.get(syntheticPool(n, 0).id) as Pool & { state: { ticks?: unknown } }
    const next = syntheticPool(n, version)
    if (!old?.state.ticks || version % 4 === 0) return next
    return { ...next, state: { ...(next.state as object), ticks: old.state.ticks } }
  })
  return pools.with(next)
}
const isEqual = (shown: FollowedState | null, pools: PoolMap) =>
  shown !== null &&
  shown.pools.size === pools.size &&
  [...pools].every(([id, pool]) => isDeepStrictEqual(shown.pools.get(id), pool))

describe.skipIf(!hasRedis)('a chain on Redis', () => {
  let redis: TestRedis
  let connection: OwnConnection
  let followers: StateFollower[] = []
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
    await publisher.writeAll(connection, stateOf(1, whole), ['a,b'])
  })
  afterEach(async () => {
    await Promise.all(followers.map((follower) => follower.stop()))
    followers = []
    connection.close()
  })

  const joined = () => join(connection, { keys, signal: new AbortController().signal, attempts: 1 })
  const follow = (page?: number): StateFollower => {
    const facts = new Map<string, string>()
    const follower = new StateFollower({
      ...{ url: redis.url, keys, joinLimit: new Semaphore(1) },
      onState: () => {},
      onFact: (key, value) => facts.set(key, value),
      ...(page && { fieldsPerRead: page }),
    })
    followers.push(follower)
    follower.start()
    return Object.assign(follower, { facts })
  }

  test('a join returns the state that was written', async () => {
    const shown = await joined()
    expect(isEqual(shown, whole)).toBe(true)
    expect(shown).toMatchObject({ block: blockOf(1), canonical: [hashOf(1)], pairs: new Set(['a,b']) })
  })

  test('as many pairs as a market keeps are written and read in commands that are short', async () => {
    const pairs = Array.from({ length: 100_000 }, (_, n) => `a,${n}`)
    const stopRenewal = lease.startRenewal(connection, () => false)
    onTestFinished(stopRenewal)
    let maxLength = 0
    const measured: OwnConnection = {
      ...connection,
      call: async <T>(...command: readonly Argument[]) => {
        const reply = await connection.call<T>(...command)
        maxLength = Math.max(maxLength, JSON.stringify([command, reply]).length)
        return reply
      },
    }
    await publisher.writeAll(measured, stateOf(2, whole), pairs)
    const joined = await join(measured, { keys, attempts: 1, signal: new AbortController().signal })
    expect(joined?.pairs.size).toBe(pairs.length)
    expect(pairs.every((pair) => joined!.pairs.has(pair))).toBe(true)
    expect(await publisher.resume(measured)).toBe(true)
    expect(publisher.publishedPairs).toEqual(new Set(pairs))
    // The pools of the test, and pages of pairs. All pairs together have more than a million characters.
    expect(maxLength).toBeLessThan(300_000)
    expect(await connection.call('PTTL', keys.pairs)).toBe(-1)
    await publisher.writeAll(connection, stateOf(3, whole), [])
    expect(await connection.call('EXISTS', keys.pairs)).toBe(0)
  })

  test('a whole state is not published if its pairs were evicted before', async () => {
    const evicting: OwnConnection = {
      ...connection,
      call: async <T>(...command: readonly Argument[]) => {
        const reply = await connection.call<T>(...command)
        if (command[0] === 'SADD') await connection.call('UNLINK', command[1]!)
        return reply
      },
    }
    const written = publisher.writeAll(evicting, stateOf(2, whole), ['c,d'])
    await expect(written).rejects.toMatchObject({ code: 'DAMAGED' })
    expect((await joined())?.pairs).toEqual(new Set(['a,b']))
  })

  test('a follower applies every change: pools, ticks, removed and restored pools, and pairs', async () => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    let pools = whole
    for (let version = 1; version <= 40; version++) {
      pools = changed(pools, version, [version % POOLS, 2 + (version % 4), 42, 43])
      const gone = version % 10 === 5 ? [syntheticPool(43, 0).id, syntheticPool(7, 0).id] : []
      pools = pools.with([], gone)
      await publisher.publish(connection, stateOf(1 + version, pools), { added: [`p,${version}`], removed: [] })
    }
    await publisher.publish(connection, stateOf(99, pools), { added: [], removed: ['a,b'] })
    await until(() => follower.currentState?.block.number === 99)
    expect(isEqual(follower.currentState, pools)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 1, entries: 41, gaps: 0 })
    expect(follower.currentState?.pairs).toEqual(new Set(Array.from({ length: 40 }, (_, i) => `p,${i + 1}`)))
    const again = await joined()
    expect(isEqual(again, pools)).toBe(true)
    expect(again?.pairs).toEqual(follower.currentState?.pairs)
  })

  test('a block of 200 changed pools takes less than 35 kB, since unchanged ticks are not sent', async () => {
    const threes = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => familyOf(n) === 'uniswap-v3')
    const twos = Array.from({ length: 2_000 }, (_, n) => n).filter((n) => familyOf(n) === 'uniswap-v2')
    const all = PoolMap.empty.with([...threes.slice(0, 100), ...twos.slice(0, 100)].map((n) => syntheticPool(n, 0)))
    await publisher.writeAll(connection, stateOf(2, all), [])
    const before = publisher.counts.bytes
    const next = changed(all, 1, [...threes.slice(0, 100), ...twos.slice(0, 100)])
    await publisher.publish(connection, stateOf(3, next), NO_PAIRS)
    expect(publisher.counts.bytes - before).toBeLessThan(35_000)
    expect(isEqual(await joined(), next)).toBe(true)
  })

  test('a join during several blocks returns one of their states', async () => {
    const states = new Map<number, PoolMap>([[1, whole]])
    let pools = whole
    let isOver = false
    const writing = (async () => {
      for (let version = 1; !isOver; version++) {
        const numbers = Array.from({ length: 60 }, (_, i) => (version * 31 + i) % POOLS)
        pools = changed(pools, version, numbers).with(
          [],
          version % 3 === 0 ? [syntheticPool(version % POOLS, 0).id] : [],
        )
        states.set(1 + version, pools)
        await publisher.publish(connection, stateOf(1 + version, pools), NO_PAIRS)
      }
    })()
    const reader = await redis.connect()
    for (let i = 0; i < 8; i++) {
      const shown = await join(reader, { keys, signal: new AbortController().signal, fieldsPerRead: 10 })
      expect(isEqual(shown, states.get(shown!.block.number)!)).toBe(true)
    }
    isOver = true
    await writing
    reader.close()
  })

  test('a publisher without the lease, or with an outdated head, writes nothing', async () => {
    const other = new Lease(keys)
    expect(await other.acquire(connection)).toBe(false)
    await lease.release(connection)
    expect(await other.acquire(connection)).toBe(true)
    const next = changed(whole, 1, [1])
    await expect(publisher.publish(connection, stateOf(2, next), NO_PAIRS)).rejects.toMatchObject({ code: 'LOST' })
    await expect(publisher.writeAll(connection, stateOf(2, next), [])).rejects.toMatchObject({ code: 'LOST' })
    const second = new Publisher({ keys, lease: other })
    expect(await second.resume(connection)).toBe(false)
    const shown = (await joined())!
    second.adopt(shown, shown.pools)
    expect(await second.resume(connection)).toBe(true)
    await second.publish(connection, stateOf(3, changed(shown.pools, 2, [2])), NO_PAIRS)
    // The first publisher owns the lease again, but its difference starts from a replaced state.
    await other.release(connection)
    expect(await lease.acquire(connection)).toBe(true)
    await expect(publisher.publish(connection, stateOf(4, next), NO_PAIRS)).rejects.toMatchObject({ code: 'CHANGED' })
    expect((await joined())?.block.number).toBe(3)
  })

  test('writes that are sent before earlier answers arrive keep their order', async () => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    const states = [whole]
    const answers: Promise<void>[] = []
    for (let version = 1; version <= 12; version++) {
      states.push(changed(states.at(-1)!, version, [version, 42]))
      const pairs = { added: [`p,${version}`], removed: version % 3 === 0 ? [`p,${version - 1}`] : [] }
      answers.push((await publisher.send(connection, stateOf(1 + version, states.at(-1)!), pairs)).answer)
    }
    await Promise.all(answers)
    await until(() => follower.currentState?.block.number === 13)
    expect(isEqual(follower.currentState, states.at(-1)!)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 1, entries: 12, gaps: 0 })
    expect((await joined())?.pairs).toEqual(publisher.publishedPairs)
  })

  test('after a rejected write, later ones are rejected, and the owner continues from the stored state', async () => {
    const states = [1, 2, 3].map((version) => changed(whole, version, [version]))
    const send = async (k: number) =>
      (await publisher.send(connection, stateOf(1 + k, states[k - 1]!), NO_PAIRS)).answer
    await send(1)
    await lease.release(connection)
    const refused = await Promise.allSettled([send(2), send(3)])
    expect(refused).toMatchObject([{ reason: { code: 'LOST' } }, { reason: { code: 'LOST' } }])
    expect(await lease.acquire(connection)).toBe(true)
    // The publisher must read the head before it can continue.
    await expect(send(3)).rejects.toMatchObject({ code: 'CHANGED' })
    expect(await publisher.resume(connection)).toBe(true)
    await send(3)
    const shown = await joined()
    expect(shown?.block.number).toBe(4)
    expect(isEqual(shown, states[2]!)).toBe(true)
  })

  test('an owner that is delayed before a write notices that another one has written', async () => {
    let hold: () => Promise<void> = async () => {}
    const delayed = new Publisher({ keys, lease, beforeWrite: () => hold() })
    const shown = (await joined())!
    delayed.adopt(shown, shown.pools)
    await delayed.resume(connection)
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
    await expect(delayed.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'LOST' })
    expect((await joined())?.block.number).toBe(5)
  })

  test('a write whose answer was lost is found by resume', async () => {
    const next = changed(whole, 1, [1, 2, 3])
    const broken = { call: async (...command: never[]) => void (await connection.call(...command)), close: () => {} }
    await expect(publisher.publish(broken as never, stateOf(2, next), NO_PAIRS)).rejects.toThrow()
    expect(await publisher.resume(connection)).toBe(true)
    const last = changed(next, 2, [4])
    await publisher.publish(connection, stateOf(3, last), NO_PAIRS)
    expect(isEqual(await joined(), last)).toBe(true)
  })

  test('evicted pools are detected by joins and by writes', async () => {
    const gen = await connection.call<string>('HGET', keys.head, 'gen')
    await connection.call('HDEL', keys.pools(gen), syntheticPool(3, 0).id)
    await expect(joined()).rejects.toMatchObject({ code: 'DAMAGED' })
    const next = stateOf(2, changed(whole, 1, [1]))
    await expect(publisher.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'DAMAGED' })
    await publisher.writeAll(connection, next, [])
    expect(isEqual(await joined(), next.pools as PoolMap)).toBe(true)
  })

  test('evicted pairs are detected, so that no follower keeps them after their pools are removed', async () => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    await connection.call('UNLINK', keys.pairs)
    const second = new Publisher({ keys, lease })
    second.adopt(follower.currentState!, whole)
    expect(await second.resume(connection)).toBe(true)
    const next = stateOf(2, PoolMap.empty.with([syntheticPool(1, 1)]))
    await expect(second.publish(connection, next, NO_PAIRS)).rejects.toMatchObject({ code: 'DAMAGED' })
    await second.writeAll(connection, next, ['c,d'])
    await until(() => follower.currentState?.block.number === 2)
    expect(follower.currentState!.pairs).toEqual(new Set(['c,d']))
  })

  test('a follower joins again after entries were removed', async () => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    await connection.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const next = changed(whole, 1, [1, 2])
    const after = changed(next, 2, [3])
    await publisher.publish(connection, stateOf(2, next), NO_PAIRS)
    await connection.call('XTRIM', keys.entries, 'MAXLEN', 0)
    await publisher.publish(connection, stateOf(3, after), NO_PAIRS)
    await until(() => follower.currentState?.block.number === 3)
    expect(isEqual(follower.currentState, after)).toBe(true)
    expect(follower.counts).toMatchObject({ joins: 2, gaps: 1, entries: 0 })
  })

  test.each([
    ['not compressed', '{"pools":[],"longs":[],"gone":[],"pairs":{"added":[],"removed":[]}}'],
    ['not JSON', compressEntry(Buffer.from('nonsense'))],
    [
      'of another shape',
      compressEntry(Buffer.from('{"pools":[[1,{}]],"longs":[],"gone":[],"pairs":{"added":[],"removed":[]}}')),
    ],
    ['without lists', compressEntry(Buffer.from('{"pools":{},"gone":null}'))],
    ['null', compressEntry(Buffer.from('null'))],
  ])('a follower joins again after an entry that is %s', async (_, payload) => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    const { id, tag, fieldCount: size } = follower.currentState!
    const head = await connection.call<string[]>('HMGET', keys.head, 'block', 'stands')
    const line = ['prev', id, 'tag', tag, 'block', head[0]!, 'stands', head[1]!, 'size', size, 'told', payload]
    await connection.call('XADD', keys.entries, '*', ...line)
    await until(() => follower.counts.joins > 1)
    expect(follower.counts.failures).toBe(0)
    await publisher.publish(connection, stateOf(2, changed(whole, 1, [4])), NO_PAIRS)
    await until(() => follower.currentState?.block.number === 2)
    expect(isEqual(follower.currentState, changed(whole, 1, [4]))).toBe(true)
  })

  test('a follower continues after Redis restarts with an earlier clock', async () => {
    await connection.call('XSETID', keys.entries, `${Date.now() + 60_000}-0`)
    await publisher.publish(connection, stateOf(2, changed(whole, 1, [1])), NO_PAIRS)
    const follower = follow()
    await until(() => follower.currentState?.block.number === 2)
    await connection.call('FLUSHALL')
    await lease.acquire(connection)
    await publisher.writeAll(connection, stateOf(3, whole), [])
    await until(() => follower.currentState?.block.number === 3)
    expect(isEqual(follower.currentState, whole)).toBe(true)
  })

  test('the newest measurement of a fact is stored and published', async () => {
    await storeFact(connection, keys, { key: 'k', measuredMs: 5, text: 'five' })
    const follower = follow() as StateFollower & { facts: Map<string, string> }
    await until(() => follower.facts.get('k') === '5 five')
    await until(() => follower.currentState !== null)
    await storeFact(connection, keys, { key: 'k', measuredMs: 4, text: 'four' })
    await storeFact(connection, keys, { key: 'k', measuredMs: 6, text: 'six' })
    await until(() => follower.facts.get('k') === '6 six')
    expect(await connection.call('HGET', keys.facts, 'k')).toBe('6 six')
  })

  test('pairs of published pools that their owner has not saved are not restored', async () => {
    const [token, otherToken] = [syntheticPool(0, 0).tokens[0]!, syntheticPool(0, 0).tokens[1]!]
    const nativePool: Pool = { ...syntheticPool(1, 0), tokens: [ZERO_ADDRESS, syntheticPool(1, 0).tokens[1]!] }
    const nativePair = [syntheticPool(2, 0).tokens[0]!, nativePool.tokens[1]!].sort().join()
    const [missingPair, savedPair] = [[token, otherToken], syntheticPool(3, 0).tokens].map((pair) =>
      [...pair].sort().join(),
    )
    const pairs = [missingPair!, savedPair!, nativePair]
    await publisher.writeAll(connection, stateOf(2, whole.with([nativePool])), pairs)
    const previous = (await joined())!
    const options = { keys, chainId: 31337, connection: () => connection, token: lease.token, previous }
    const memory = await OwnerStore.open(options, false)
    const records = [...whole.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: 3 }))
    const unsavedIds = [syntheticPool(0, 0).id, nativePool.id]
    const newPools = records.filter(({ pool }) => !unsavedIds.includes(pool.id))
    async function* parts(): AsyncGenerator<SaveCommand> {
      yield { do: 'list', name: 'pairs', items: pairs }
      yield { do: 'write', newPools, changedPools: [], goneIds: [] }
    }
    await memory.save({ chainId: 31337, block: blockOf(2), extra: { rows: 'r' } }, parts())
    const restoredPairs: unknown[] = []
    for await (const { list } of (await OwnerStore.open(options, false)).batches())
      if (list?.name === 'pairs') restoredPairs.push(...list.items)
    expect(restoredPairs).toEqual([savedPair])
  })

  test('the memory of an owner is restored if it is complete, and otherwise ignored', async () => {
    const shown = (await joined())!
    const options = { keys, chainId: 31337, connection: () => connection, token: lease.token, previous: shown }
    const memory = await OwnerStore.open(options, false)
    expect(memory.facts).toBeNull()
    const records = [...whole.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: 3 }))
    async function* parts(): AsyncGenerator<SaveCommand> {
      yield { do: 'list', name: 'pairs', items: ['a,b', 'never,told'] }
      yield { do: 'write', newPools: records.slice(1), changedPools: [], goneIds: [] }
    }
    await memory.save({ chainId: 31337, block: blockOf(1), extra: { rows: 'r' } }, parts())
    expect(await memory.isIntact()).toBe(true)
    const next = await OwnerStore.open(options, false)
    expect(next.facts).toEqual({ chainId: 31337, block: blockOf(1), extra: { rows: 'r' } })
    const batches: SavedBatch[] = []
    for await (const batch of next.batches()) batches.push(batch)
    expect(batches.find(({ list }) => list?.name === 'pairs')?.list?.items).toEqual(['a,b'])
    const stored = batches.flatMap(({ pools }) => pools)
    expect(stored).toHaveLength(POOLS - 1)
    for (const { pool, dexRow, state } of stored) {
      expect({ ...pool, state }).toEqual(whole.get(pool.id))
      expect(dexRow).toBe(3)
    }
    await connection.call('HDEL', keys.poolRecords, syntheticPool(9, 0).id)
    expect(await memory.isIntact()).toBe(false)
    expect((await OwnerStore.open(options, false)).facts).toBeNull()
    // The next owner may have other rows, so the records of this one must not stay.
    expect(await connection.call('HLEN', keys.poolRecords)).toBe(0)
    await memory.save({ chainId: 31337, block: blockOf(1), extra: { rows: 'r' } }, parts())
    await lease.release(connection)
    await expect(memory.save({ chainId: 31337, block: blockOf(1), extra: {} }, parts())).rejects.toThrow('owns')
    await expect(OwnerStore.open(options, true)).rejects.toThrow('owns')
    expect(await connection.call('HLEN', keys.poolRecords)).toBe(POOLS - 1)
  })

  test('the last state is kept but not confirmed while Redis is away', async () => {
    const follower = follow()
    await until(() => follower.currentState !== null)
    // Fsync every write, so that Redis does not restart with the lease of an earlier test on a slow disk.
    await connection.call('CONFIG', 'SET', 'appendfsync', 'always')
    expect(await lease.acquire(connection)).toBe(true)
    await redis.kill()
    await until(() => follower.awaySince !== null)
    const confirmed = follower.confirmedMs
    expect(isEqual(follower.currentState, whole)).toBe(true)
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
    if (Date.now() > deadline) throw new Error('timeout while waiting for a condition')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
