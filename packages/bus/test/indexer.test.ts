/** Owners of a chain that come after one another, over a real Redis. */
import type { Hex } from '@sluice/chains'
import type { IndexedMarket, StorePlace } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Connection } from '../src/connection.ts'
import { BusError } from '../src/errors.ts'
import { Follower } from '../src/follower.ts'
import { readHead } from '../src/head.ts'
import { ChainIndexer, type IndexerOptions } from '../src/indexer.ts'
import { keysOf } from '../src/keys.ts'
import { Lease } from '../src/lease.ts'
import { Publisher } from '../src/publisher.ts'
import { WantedPairs } from '../src/wanted-pairs.ts'
import { putWant } from '../src/wants.ts'
import { ConsistencyCheck } from './faults/consistency.ts'
import { sumOf } from './faults/digest.ts'
import { FIRST_GROUPS, groupOfToken, HUB, MadeChain, pairOf, tokenOf } from './faults/made-chain.ts'
import { MadeMarket } from './faults/made-market.ts'
import { hasRedis, TestRedis } from './redis.ts'

const keys = keysOf(1)
/** A group that nobody has from the start. */
const WANTED = 47
/** Longer than a made-up market takes to find a token's pools. */
const FOUND_MS = 150

type Made = (market: MadeMarket, place: StorePlace) => StorePlace
type Options = Partial<Pick<IndexerOptions, 'onError' | 'reluctanceMs'>>

describe.skipIf(!hasRedis)('owners of a chain', () => {
  let redis: TestRedis
  let connection: Connection
  let startMs: number
  let stops: (() => Promise<void>)[] = []
  beforeAll(async () => {
    redis = await TestRedis.start()
  })
  afterAll(() => redis?.stop())
  beforeEach(async () => {
    connection = await redis.connect()
    await connection.call('FLUSHALL')
    startMs = Date.now() - 30_000
  })
  afterEach(async () => {
    for (const stop of stops) await stop()
    stops = []
    connection.close()
  })

  /** @param made - changes a market before it is started, and the place of its memory */
  function index(made: Made = (_, place) => place, options: Options = {}): ChainIndexer {
    const indexer = new ChainIndexer({
      ...{ url: redis.url, chainId: 1, scope: { hubs: [HUB], intermediates: [HUB] }, keys, ...options },
      open: (place) => {
        const market: MadeMarket = new MadeMarket(startMs, (anew) => placed(anew))
        const placed = made(market, place)
        market.start()
        return { market, close: () => market.stop() }
      },
    })
    indexer.start()
    stops.push(() => indexer.stop())
    return indexer
  }

  /** Holds every state that is published against the chain. */
  function checked(): { readonly consistency: ConsistencyCheck; readonly follower: Follower } {
    const consistency = new ConsistencyCheck(new MadeChain(startMs))
    const follower = new Follower({
      ...{ url: redis.url, keys, joins: new Semaphore(1) },
      onShown: ({ block, pools, pairs, stands }) => {
        const known = [...pairs].map((pair) => groupOfToken(pair.split(',')[0]!))
        consistency.hear({
          hash: block.hash,
          number: block.number,
          groups: sumOf(pools.values()),
          known,
          stands: stands as Hex[],
        })
      },
    })
    follower.start()
    stops.push(() => follower.stop())
    return { consistency, follower }
  }

  test('an owner that is asked before it has its memory shows nothing before, and then all of it', async () => {
    const { consistency, follower } = checked()
    const first = index()
    await until(() => follower.shown !== null)
    await putWant(connection, keys, { groups: [[tokenOf(WANTED)]] })
    await until(() => follower.shown!.pairs.has(pairOf(WANTED)))
    await first.stop()
    await connection.call('UNLINK', keys.known)
    const { number } = follower.shown!.block
    const asked = Promise.withResolvers<void>()
    index((market, place) => {
      const ensure = market.ensureGroups.bind(market)
      market.ensureGroups = (...groups) => {
        asked.resolve()
        return ensure(...groups)
      }
      return async (anew) => {
        await asked.promise
        await new Promise((resolve) => setTimeout(resolve, FOUND_MS))
        return place(anew)
      }
    })
    await putWant(connection, keys, { groups: [[tokenOf(WANTED)]] })
    await until(() => follower.shown!.block.number > number + 5 && follower.shown!.pairs.has(pairOf(WANTED)))
    expect(consistency.wrong).toEqual([])
    expect(Object.keys(sumOf(follower.shown!.pools.values()))).toHaveLength(FIRST_GROUPS + 1)
  })

  test('what one market has looked for is not said of the next one', async () => {
    const [first, second] = [0, 1].map(() => new MadeMarket(startMs, () => Promise.reject(new Error('none'))))
    const found = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    first!.ensureGroups = async () => {
      asked.resolve()
      await found.promise
      return first!.snapshot()
    }
    first!.snapshot = () => null as never
    let now: IndexedMarket = first!
    const stopped = new AbortController()
    const answered = Promise.withResolvers<void>()
    const wanted = new WantedPairs({
      ...{
        keys,
        scope: { hubs: [HUB], intermediates: [HUB] },
        signal: stopped.signal,
        market: () => now,
        onAnswer: answered.resolve,
      },
    })
    await putWant(connection, keys, { groups: [[tokenOf(WANTED)]] })
    const ear = await redis.connect()
    const hearing = wanted.hear(ear).catch(() => {})
    await asked.promise
    now = second!
    found.resolve()
    await answered.promise
    expect([...wanted.take(second!)]).toEqual([])
    expect([...wanted.take(first!)]).toEqual([pairOf(WANTED)].map((pair) => pair.split(',').sort().join()))
    expect([...wanted.take(first!)]).toEqual([])
    stopped.abort()
    ear.close()
    await hearing
  })

  test('an owner that found a state damaged goes on from what another one has made of it meanwhile', async () => {
    let isBlind = false
    let isDamaged = false
    let looks = 0
    const owner = index(
      (market, place) => {
        const health = market.health.bind(market)
        market.health = () => (isBlind ? { ...health(), head: null } : health())
        return place
      },
      {
        onError: (error) => {
          isDamaged ||= error instanceof BusError && error.code === 'DAMAGED'
        },
        reluctanceMs: () => {
          looks++
          return 0
        },
      },
    )
    const head = () => readHead(connection, keys)
    await until(async () => (await head()) !== null)
    // It waits with the damage known to it until it has lost the lease, and its connection.
    isBlind = true
    await connection.call('UNLINK', keys.pools((await head())!.gen))
    await until(() => isDamaged)
    await connection.call('DEL', keys.lease)
    const lease = new Lease(keys)
    expect(await lease.acquire(connection)).toBe(true)
    const other = new Publisher({ keys, lease })
    const block = new MadeChain(startMs).tip()
    await other.full(connection, { block, pools: owner.market!.snapshot().pools, stands: [block.hash] }, [])
    await connection.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    isBlind = false
    await until(() => !owner.owns)
    const before = looks
    const keep = lease.keep(connection, () => true)
    await until(() => looks > before + 2)
    keep()
    const left = (await head())!
    await lease.release(connection)
    await until(async () => (await head())!.tag !== left.tag)
    expect((await head())!.gen).toBe(left.gen)
  })
})

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
