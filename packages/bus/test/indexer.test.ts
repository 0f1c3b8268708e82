/** Tests successive owners of a chain, over a real Redis. */
import type { Hex } from '@sluice/chains'
import type { IndexedMarket, StoreOpener } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest'
import type { Connection } from '../src/connection.ts'
import { BusError } from '../src/errors.ts'
import { StateFollower } from '../src/follower.ts'
import { readHead } from '../src/head.ts'
import { ChainIndexer, type IndexerOptions } from '../src/indexer.ts'
import { keysOf } from '../src/keys.ts'
import { Lease } from '../src/lease.ts'
import { PairRequests } from '../src/pair-requests.ts'
import { Publisher } from '../src/publisher.ts'
import { sendRequest } from '../src/request-stream.ts'
import { ConsistencyCheck } from './faults/consistency.ts'
import { sumOf } from './faults/digest.ts'
import { FIRST_GROUPS, groupOfToken, HUB, pairOf, SyntheticChain, tokenOf } from './faults/synthetic-chain.ts'
import { SyntheticMarket } from './faults/synthetic-market.ts'
import { hasRedis, TestRedis } from './redis.ts'

const keys = keysOf(1)
/** Group that no indexer has from the start. */
const REQUESTED = 47
/** Longer than a synthetic market takes to find a token's pools. */
const FOUND_MS = 150

type Setup = (market: SyntheticMarket, place: StoreOpener) => StoreOpener
type Options = Partial<Pick<IndexerOptions, 'onError' | 'leaseDelayMs'>>

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

  /** Starts an indexer. @param setup - may change the market before it starts, and the place of its memory */
  function index(setup: Setup = (_, place) => place, options: Options = {}): ChainIndexer {
    const indexer = new ChainIndexer({
      ...{ url: redis.url, chainId: 1, scope: { hubs: [HUB], intermediates: [HUB] }, keys, ...options },
      open: (place) => {
        const market: SyntheticMarket = new SyntheticMarket(startMs, (mustReset) => placed(mustReset))
        const placed = setup(market, place)
        market.start()
        return { market, close: () => market.stop() }
      },
    })
    indexer.start()
    stops.push(() => indexer.stop())
    return indexer
  }

  /** Follows the chain, and compares every published state with it. */
  function checked(): { readonly consistency: ConsistencyCheck; readonly follower: StateFollower } {
    const consistency = new ConsistencyCheck(new SyntheticChain(startMs))
    const follower = new StateFollower({
      ...{ url: redis.url, keys, joinLimit: new Semaphore(1) },
      onState: ({ block, pools, pairs, canonical }) => {
        const loadedGroups = [...pairs].map((pair) => groupOfToken(pair.split(',')[0]!))
        consistency.check({
          hash: block.hash,
          number: block.number,
          groups: sumOf(pools.values()),
          pairGroups: loadedGroups,
          canonical: canonical as Hex[],
        })
      },
    })
    follower.start()
    stops.push(() => follower.stop())
    return { consistency, follower }
  }

  test('an owner that gets a request before its memory is restored publishes only complete states', async () => {
    const { consistency, follower } = checked()
    const first = index()
    await until(() => follower.currentState !== null)
    await sendRequest(connection, keys, { groups: [[tokenOf(REQUESTED)]] })
    await until(() => follower.currentState!.pairs.has(pairOf(REQUESTED)))
    await first.stop()
    await connection.call('UNLINK', keys.poolRecords)
    const { number } = follower.currentState!.block
    const requestStarted = Promise.withResolvers<void>()
    index((market, place) => {
      const ensure = market.ensureGroups.bind(market)
      market.ensureGroups = (...groups) => {
        requestStarted.resolve()
        return ensure(...groups)
      }
      return async (mustReset) => {
        await requestStarted.promise
        await new Promise((resolve) => setTimeout(resolve, FOUND_MS))
        return place(mustReset)
      }
    })
    await sendRequest(connection, keys, { groups: [[tokenOf(REQUESTED)]] })
    await until(
      () => follower.currentState!.block.number > number + 5 && follower.currentState!.pairs.has(pairOf(REQUESTED)),
    )
    expect(consistency.wrong).toEqual([])
    expect(Object.keys(sumOf(follower.currentState!.pools.values()))).toHaveLength(FIRST_GROUPS + 1)
  })

  test('pairs that one market has loaded are not reported for the next one', async () => {
    const [first, second] = [0, 1].map(() => new SyntheticMarket(startMs, () => Promise.reject(new Error('none'))))
    const poolsFound = Promise.withResolvers<void>()
    const requestStarted = Promise.withResolvers<void>()
    first!.ensureGroups = async () => {
      requestStarted.resolve()
      await poolsFound.promise
      return first!.snapshot()
    }
    first!.snapshot = () => null as never
    let now: IndexedMarket = first!
    const stopped = new AbortController()
    const requestDone = Promise.withResolvers<void>()
    const requests = new PairRequests({
      ...{
        keys,
        scope: { hubs: [HUB], intermediates: [HUB] },
        signal: stopped.signal,
        market: () => now,
        onLoaded: requestDone.resolve,
      },
    })
    await sendRequest(connection, keys, { groups: [[tokenOf(REQUESTED)]] })
    const reader = await redis.connect()
    const listening = requests.listen(reader).catch(() => {})
    await requestStarted.promise
    now = second!
    poolsFound.resolve()
    await requestDone.promise
    expect([...requests.takeLoadedPairs(second!)]).toEqual([])
    expect([...requests.takeLoadedPairs(first!)]).toEqual(
      [pairOf(REQUESTED)].map((pair) => pair.split(',').sort().join()),
    )
    expect([...requests.takeLoadedPairs(first!)]).toEqual([])
    stopped.abort()
    reader.close()
    await listening
  })

  test('an owner that stops keeps its lease until its market is saved', async () => {
    const saved = Promise.withResolvers<void>()
    onTestFailed(() => saved.resolve())
    const owner = index((market, place) => {
      const stop = market.stop.bind(market)
      market.stop = async () => {
        await saved.promise
        await stop()
      }
      return place
    })
    await until(() => owner.ownsChain && owner.poolCount > 0)
    const token = await connection.call('GET', keys.lease)
    const stopping = owner.stop()
    // The owner has ended its own renewal then.
    await until(() => !owner.ownsChain)
    await connection.call('PEXPIRE', keys.lease, 600_000)
    // A renewal shortens this again.
    await until(async () => Number(await connection.call('PTTL', keys.lease)) <= 3_000)
    expect(await connection.call('GET', keys.lease)).toBe(token)
    saved.resolve()
    await stopping
    expect(await connection.call('GET', keys.lease)).toBeNull()
  })

  test('an owner that found a damaged state continues from what another owner has made of it', async () => {
    let isBlind = false
    let isDamaged = false
    let attempts = 0
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
        leaseDelayMs: () => {
          attempts++
          return 0
        },
      },
    )
    const head = () => readHead(connection, keys)
    await until(async () => (await head()) !== null)
    // It knows of the damage, and cannot repair it before it loses the lease and its connection.
    isBlind = true
    await connection.call('UNLINK', keys.pools((await head())!.generation))
    await until(() => isDamaged)
    const lease = new Lease(keys)
    // The owner may acquire the lease again between the two calls.
    await until(async () => {
      await connection.call('DEL', keys.lease)
      return lease.acquire(connection)
    })
    const other = new Publisher({ keys, lease })
    const block = new SyntheticChain(startMs).tip()
    await other.writeAll(connection, { block, pools: owner.market!.snapshot().pools, canonical: [block.hash] }, [])
    await connection.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    isBlind = false
    await until(() => !owner.ownsChain)
    const before = attempts
    const keep = lease.startRenewal(connection, () => true)
    await until(() => attempts > before + 2)
    keep()
    const lastHead = (await head())!
    await lease.release(connection)
    await until(async () => (await head())!.tag !== lastHead.tag)
    expect((await head())!.generation).toBe(lastHead.generation)
  })
})

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('timeout while waiting for a condition')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
