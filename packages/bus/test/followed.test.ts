/** Tests a followed market while its bus fails. */
import type { Address, Chain } from '@sluice/chains'
import { type Market, PoolMap, TokenFacts, toText } from '@sluice/liquidity'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { connect } from '../src/connection.ts'
import { StateBus } from '../src/index.ts'
import { keysOf, SCHEMAS } from '../src/keys.ts'
import { Lease } from '../src/lease.ts'
import { Publisher } from '../src/publisher.ts'
import { hasRedis, TestRedis } from './redis.ts'
import { blockOf, syntheticPool } from './synthetic-pools.ts'

const FRESH_MS = 1_500
const chain: Chain = {
  chainId: 31337,
  ...{ name: 'test', displayName: 'Test', trackerName: 'Test', coinsPrefix: null, wrappedNative: null },
  nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  ...{ stables: [], hubs: [], tokens: [], rpcUrls: ['http://127.0.0.1:1'], blockTimeMs: 1_000, l1FeeModel: 'none' },
  ...{ evm: {}, dexes: [] },
}
const keys = keysOf(chain.chainId)
const pools = PoolMap.empty.with([syntheticPool(1, 1), syntheticPool(2, 1)])

describe.skipIf(!hasRedis)('a followed market', () => {
  let redis: TestRedis
  let rpc: Rpc
  let bus: StateBus
  let market: Market
  beforeAll(async () => {
    redis = await TestRedis.start()
    rpc = createRpc({ chainId: chain.chainId, urls: chain.rpcUrls })
  })
  afterAll(async () => {
    rpc?.close()
    await redis?.stop()
  })
  beforeEach(async () => {
    await redis.call('FLUSHALL')
    bus = new StateBus({ url: redis.url, freshMs: FRESH_MS })
    market = bus.follow({ chain, rpc, facts: new TokenFacts(chain) })
    market.start()
  })
  afterEach(async () => {
    await market.stop()
    bus.close()
  })

  /** Publishes a state as an owner does, and keeps confirming it. @returns function that stops the owner */
  async function publish(number = 1): Promise<() => Promise<void>> {
    const connection = await connect(redis.url)
    const lease = new Lease(keys)
    await lease.acquire(connection)
    const publisher = new Publisher({ keys, lease })
    await publisher.writeAll(connection, { block: blockOf(number), pools, canonical: [blockOf(number).hash] }, [])
    const end = lease.startRenewal(connection, () => true)
    return async () => {
      end()
      await lease.release(connection).catch(() => {})
      connection.close()
    }
  }

  test('is current while its owner confirms the state, at any age of the block', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    await new Promise((resolve) => setTimeout(resolve, 2 * FRESH_MS))
    expect(market.snapshot().pools.size).toBe(2)
    expect(market.health().error).toBeNull()
    await end()
  })

  test('stays current if the system clock is set', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    for (const offsetMs of [3_600_000, -3_600_000]) {
      const setMs = Date.now() + offsetMs
      vi.spyOn(Date, 'now').mockReturnValue(setMs)
      const health = market.health()
      const isCurrent = !isBehind(market)
      vi.restoreAllMocks()
      expect([health.error, isCurrent]).toEqual([null, true])
      expect(health.lagMs).toBeGreaterThanOrEqual(0)
    }
    await end()
  })

  test('quotes the last block while Redis hangs, before Redis counts as away', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    await market.sync()
    redis.hang()
    try {
      for (let k = 0; k < 20; k++) expect((await market.sync()).pools.size).toBe(2)
      expect(bus.awaySince).toBeNull()
    } finally {
      redis.goOn()
    }
    await until(() => market.health().error === null)
    await end()
  })

  test("shows its owner's progress in past logs", async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    expect(market.health().scan).toBeNull()
    const scan = { state: 'scanning', progress: 0.5, blocksLeft: 1_000, families: ['uniswap-v4'] } as const
    await redis.call('HSET', keys.head, 'scan', toText(scan))
    await until(() => market.health().scan !== null)
    expect(market.health().scan).toEqual(scan)
    await end()
  })

  test('is behind without confirmations of its owner, and says since when', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    await end()
    await until(() => market.health().error !== null)
    expect(market.health()).toMatchObject({
      reason: expect.stringMatching(/^no indexer has reported chain 31337 since 2/),
    })
    expect(() => market.snapshot()).toThrowError(expect.objectContaining({ code: 'BEHIND' }))
    await expect(market.ensure([])).rejects.toMatchObject({ code: 'BEHIND' })
    const again = await publish(2)
    await until(() => market.health().error === null)
    expect(market.snapshot().block.number).toBe(2)
    await again()
  })

  test('is behind from the start if the owner has not confirmed the state for long', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    await end()
    await until(() => isBehind(market))
    const lateMarket = bus.follow({ chain, rpc, facts: new TokenFacts(chain) })
    const isCurrent: boolean[] = []
    lateMarket.onSnapshot(() => isCurrent.push(!isBehind(lateMarket)))
    lateMarket.start()
    try {
      await until(() => isCurrent.length > 0)
      expect([isCurrent, isBehind(lateMarket)]).toEqual([[false], true])
      const again = await publish(2)
      await until(() => !isBehind(lateMarket))
      expect(lateMarket.snapshot().block.number).toBe(2)
      await again()
    } finally {
      await lateMarket.stop()
    }
  })

  test('stays current for a while without Redis, and is then behind', async () => {
    const end = await publish()
    await until(() => market.health().head !== null)
    await redis.kill()
    await until(() => market.health().error !== null)
    expect(market.snapshot().pools.size).toBe(2)
    expect(market.health()).toMatchObject({ reason: expect.stringMatching(/^no state bus since 2/) })
    await until(() => isBehind(market))
    await expect(market.sync()).rejects.toMatchObject({ code: 'BEHIND' })
    await end()
    await redis.start()
  })

  test('without an owner rejects the first caller, with the versions in use', async () => {
    await redis.call('ZADD', SCHEMAS, Date.now(), 'v0.0')
    const request = market.ensure(['0x1111111111111111111111111111111111111111' as Address])
    await expect(request).rejects.toMatchObject({
      code: 'NOT_READY',
      message: expect.stringMatching(
        /no indexer follows chain 31337; v0\.0 in use on this bus, and this version reads v/,
      ),
    })
  })
})

test('a bus reports why Redis does not answer, also at the start', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  // Port 1 refuses connections.
  const bus = new StateBus({ url: 'redis://127.0.0.1:1', onAway: resolve })
  expect(await promise).toMatchObject({ code: 'AWAY', cause: { code: 'ECONNREFUSED' } })
  expect(bus.awaySince).not.toBeNull()
  bus.close()
})

function isBehind(market: Market): boolean {
  try {
    market.snapshot()
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'BEHIND'
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('timeout while waiting for a condition')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
