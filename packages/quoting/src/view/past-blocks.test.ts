import { ReadBatch__factory, TokenLens__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { type Pool, type Snapshot, TokenFacts } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TestPastSale } from './past-block.ts'
import { PastBlocks } from './past-blocks.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [HUB, TOKEN, OTHER] = ['1', '2', '3'].map(account) as [Address, Address, Address]
const listed = (address: Address) => ({ address, symbol: 'T', decimals: 18 })
const chain = {
  ...{ chainId: 1, blockTimeMs: 1_000, nativeCurrency: { decimals: 18 }, wrappedNative: listed(HUB) },
  ...{ hubs: [HUB], stables: [], tokens: [], dexes: [] },
} as unknown as Chain
const batch = ReadBatch__factory.createInterface()
const LOOK = TokenLens__factory.createInterface().getFunction('look').selector

const blockAt = (number: number, fork = 'a') => {
  const hash = `0x${fork}${number.toString(16).padStart(63, '0')}` as Hex
  return {
    number,
    hash,
    parentHash: hash,
    timestamp: number,
    gasLimit: 1n,
    baseFeePerGas: 1n,
    miner: HUB,
  } as BlockHeader
}

/** A node with the first hundred blocks and no contracts. */
function node(overrides: Partial<Rpc> = {}) {
  const looks: string[] = []
  const codes: unknown[] = []
  const rpc = {
    chainId: 1,
    getBlock: async (number: number) => (number <= 100 ? blockAt(number) : null),
    getCode: async (address: Address, block: unknown) => {
      codes.push([address, block])
      return '0x'
    },
    getLogs: async () => [],
    call: async ({ data }: { data: Hex }) => {
      const [reads] = batch.decodeFunctionData('run', data) as unknown as [{ data: Hex }[]]
      for (const read of reads) if (read.data.startsWith(LOOK)) looks.push(read.data)
      return batch.encodeFunctionResult('run', [reads.map(() => ({ ok: false, data: '0x' }))]) as Hex
    },
    health: () => ({ endpoints: [] }),
    ...overrides,
  } as unknown as Rpc
  return { rpc, looks, codes }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('prices of a past block', () => {
  test('query the node only for tokens without known facts', async () => {
    const facts = new TokenFacts(chain)
    facts.store(TOKEN, 6)
    const withFacts = node()
    await new PastBlocks(chain, { facts }).pricesAt(7, [TOKEN], withFacts.rpc)
    expect(withFacts.looks).toEqual([])
    const unknown = node()
    await new PastBlocks(chain).pricesAt(7, [TOKEN], unknown.rpc)
    expect(unknown.looks).toHaveLength(1)
  })

  test('are read again for a token whose facts the node failed to return', async () => {
    const { rpc, looks } = node()
    const past = new PastBlocks(chain)
    await past.pricesAt(7, [TOKEN], rpc)
    await past.pricesAt(7, [TOKEN], rpc)
    expect(looks).toHaveLength(2)
  })

  test('are those of the requested block, and null without pools', async () => {
    const past = new PastBlocks(chain)
    const { block, prices } = await past.pricesAt(7, [TOKEN, NATIVE], node().rpc)
    expect(block).toEqual(blockAt(7))
    expect(prices.usd(TOKEN)).toBeNull()
  })

  test('need the state of the block, which is queried by number', async () => {
    const { rpc, codes } = node()
    await new PastBlocks(chain).pricesAt(7, [TOKEN], rpc)
    expect(codes).toEqual([[HUB, 7]])
    const pruned = node({ getCode: () => Promise.reject(new RpcError('BLOCK_GONE', 'pruned')) })
    await expect(new PastBlocks(chain).pricesAt(7, [TOKEN], pruned.rpc)).rejects.toMatchObject({
      code: 'NO_STATE',
      message: 'the node does not have the state of block 7 any more',
    })
    const failing = node({ getCode: () => Promise.reject(new RpcError('TIMEOUT', 'late')) })
    await expect(new PastBlocks(chain).pricesAt(7, [TOKEN], failing.rpc)).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  test('of a block that the node does not have are rejected', async () => {
    await expect(new PastBlocks(chain).pricesAt(101, [TOKEN], node().rpc)).rejects.toMatchObject({
      code: 'NO_STATE',
      message: 'the node has no block 101',
    })
  })
})

describe('prices of a past block through unlisted tokens', () => {
  const stable = { address: HUB, symbol: 'USD', decimals: 18 }
  const stableChain = { ...chain, stables: [stable] } as unknown as Chain
  const thousands = (n: number) => BigInt(n) * 10n ** 21n
  const pair = (digit: string, [a, b]: readonly [Address, Address], [x, y]: readonly [number, number]): Pool => ({
    ...{ id: account(digit), address: account(digit), family: 'uniswap-v2', dex: 'test', tokens: [a, b] },
    state: { reserve0: thousands(x), reserve1: thousands(y), feePpm: 3_000 },
  })
  /** TOKEN at one dollar in an honest pool, and at ten dollars through OTHER. */
  const honest = pair('a', [TOKEN, HUB], [500, 500])
  const dollars = pair('b', [OTHER, HUB], [650, 650])
  const attack = pair('c', [OTHER, TOKEN], [650, 65])

  /** Prices of a block with these pools. */
  function pricing(pools: readonly Pool[], testSale?: TestPastSale) {
    const follow = Prices.prototype.follow
    vi.spyOn(Prices.prototype, 'follow').mockImplementation(function (this: Prices, snapshot: Snapshot) {
      return follow.call(this, { ...snapshot, pools: new Map(pools.map((pool) => [pool.id, pool])) })
    })
    const facts = new TokenFacts(stableChain)
    for (const token of [HUB, TOKEN, OTHER]) facts.store(token, 18)
    const past = new PastBlocks(stableChain, { facts, ...(testSale && { testSale }) })
    const { rpc } = node()
    const priced = async () => {
      const { prices, isPending } = await past.pricesAt(7, [TOKEN], rpc)
      return { usd: prices.usd(TOKEN), isPending: isPending(TOKEN) }
    }
    return { past, rpc, priced }
  }

  test('count only tokens that could be sold at that block to the pools that decide their prices', async () => {
    const sales: unknown[] = []
    const { past, rpc, priced } = pricing([honest, dollars, attack], async (token, pool, { block }) => {
      sales.push([token, pool.id, block])
      return token === TOKEN
    })
    const block = { blockHash: blockAt(7).hash }
    expect(await priced()).toEqual({ usd: expect.closeTo(1, 6), isPending: false })
    expect(sales).toEqual([
      [TOKEN, attack.id, block],
      [OTHER, dollars.id, block],
    ])
    await priced()
    expect(sales).toHaveLength(2)
    const { prices } = await past.pricesAt(7, [OTHER], rpc)
    expect((await prices.detail(OTHER)).reason).toBe('unsellable')
  })

  test('count tokens that the node cannot test, but other errors are passed on', async () => {
    const failing = pricing([honest, dollars, attack], () => Promise.reject(new RpcError('TIMEOUT', 'late')))
    expect(await failing.priced()).toEqual({ usd: expect.closeTo(10, 6), isPending: false })
    vi.restoreAllMocks()
    const broken = pricing([honest, dollars, attack], () => Promise.reject(new TypeError('broken')))
    await expect(broken.priced()).rejects.toThrow('broken')
  })

  test('are pending while they depend on tokens that were not tested, which the next request tests', async () => {
    const unlisted = Array.from({ length: 5 }, (_, k) => account(String(k + 4)))
    // Each token that cannot be sold leaves the price to the next one.
    const pools = unlisted.flatMap((token, k) => [
      pair(String(k + 4), [token, HUB], [10 ** (6 - k), 10 ** (6 - k)]),
      { ...pair(String(k + 4), [token, TOKEN], [10 ** (6 - k), 10 ** (6 - k)]), id: account('abcde'[k]!) },
    ])
    const { priced } = pricing(pools, async (token) => token === TOKEN)
    expect(await priced()).toMatchObject({ isPending: true })
    expect(await priced()).toEqual({ usd: null, isPending: false })
  })
})

describe('reads of past blocks', () => {
  test('are shared by requests for the same tokens in any order, and cached', async () => {
    let blocks = 0
    const { rpc, codes } = node({
      getBlock: async (number) => {
        blocks++
        return blockAt(number as number)
      },
    } as Partial<Rpc>)
    const past = new PastBlocks(chain)
    const [one, two] = await Promise.all([
      past.pricesAt(7, [TOKEN, OTHER], rpc),
      past.pricesAt(7, [OTHER, TOKEN, TOKEN], rpc),
    ])
    expect(one.prices).toBe(two.prices)
    expect([blocks, codes.length]).toEqual([1, 1])
    const later = await past.pricesAt(7, [OTHER], rpc)
    expect(later.prices).toBe(one.prices)
    expect([blocks, codes.length]).toEqual([2, 1])
    expect(past.count).toEqual({ entries: 1, evicted: 0 })
  })

  test('reuse the pools of the block if more tokens are requested', async () => {
    const past = new PastBlocks(chain)
    const { rpc, codes, looks } = node()
    const first = await past.pricesAt(7, [TOKEN], rpc)
    const second = await past.pricesAt(7, [TOKEN, OTHER], rpc)
    expect(second.prices).toBe(first.prices)
    expect([codes.length, looks.length]).toEqual([1, 2])
  })

  test('keep eight blocks, and none after close', async () => {
    const past = new PastBlocks(chain)
    const { rpc, codes } = node()
    for (let number = 1; number <= 9; number++) await past.pricesAt(number, [TOKEN], rpc)
    expect(past.count).toEqual({ entries: 8, evicted: 1 })
    await past.pricesAt(9, [TOKEN], rpc)
    expect(codes).toHaveLength(9)
    await past.pricesAt(1, [TOKEN], rpc)
    expect(codes).toHaveLength(10)
    await past.close()
    expect(past.count.entries).toBe(0)
  })

  test('are rejected if they would wait too long, and accepted again after failures', async () => {
    const { promise, resolve } = Promise.withResolvers<BlockHeader>()
    const { rpc } = node({ getBlock: () => promise } as Partial<Rpc>)
    const past = new PastBlocks(chain)
    const { signal } = new AbortController()
    // Two at a time of 200 ms each: 61 reads take more than six seconds.
    const waiting = Array.from({ length: 61 }, (_, k) => past.pricesAt(k, [TOKEN], rpc, signal))
    await expect(past.pricesAt(99, [TOKEN], rpc)).rejects.toMatchObject({ code: 'BUSY' })
    // A request for the same block and tokens joins the queued read.
    const same = past.pricesAt(0, [TOKEN], rpc)
    resolve(blockAt(5))
    for (const { block } of await Promise.all([...waiting, same])) expect(block.number).toBe(5)
    expect((await past.pricesAt(99, [TOKEN], rpc)).block.number).toBe(5)
  })

  test('are limited to eighty in the queue, however fast the reads are', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000)
    let waits: Promise<void> | undefined
    const getBlock = async (number: number) => {
      await waits
      return blockAt(number)
    }
    const { rpc } = node({ getBlock } as unknown as Partial<Rpc>)
    const past = new PastBlocks(chain)
    for (let number = 1; number <= 4; number++) await past.pricesAt(number, [TOKEN], rpc)
    const { promise, resolve } = Promise.withResolvers<void>()
    waits = promise
    const waiting = Array.from({ length: 80 }, () => past.pricesAt(1, [account('4'), account('5')].slice(0, 1), rpc))
    const different = Array.from({ length: 79 }, (_, k) => past.pricesAt(1, [TOKEN], rpc).then(() => k))
    const otherPrices = Array.from({ length: 78 }, (_, k) => past.pricesAt(k + 5, [TOKEN], rpc))
    await expect(past.pricesAt(99, [TOKEN], rpc)).rejects.toMatchObject({ code: 'BUSY' })
    resolve()
    await Promise.all([...waiting, ...different, ...otherPrices])
  })

  test('do not begin for callers that have aborted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const getBlock = async (number: number) => {
      await promise
      return blockAt(number)
    }
    const { rpc, codes } = node({ getBlock } as unknown as Partial<Rpc>)
    const past = new PastBlocks(chain)
    const controller = new AbortController()
    const aborted = past.pricesAt(7, [TOKEN], rpc, controller.signal)
    controller.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    const stays = past.pricesAt(8, [TOKEN], rpc)
    resolve()
    await stays
    expect(codes).toEqual([[HUB, 8]])
    expect((await past.pricesAt(7, [TOKEN], rpc)).block.number).toBe(7)
  })
})

describe('pools of a past block', () => {
  const listed = (isComplete = true) => vi.fn(async () => ({ pools: [], isComplete }))

  test('are listed by the market of the newest block, without another search of logs', async () => {
    const getLogs = vi.fn(async () => [])
    const { rpc } = node({ getLogs } as unknown as Partial<Rpc>)
    const listPools = listed()
    const past = new PastBlocks(chain)
    const { snapshot, poolsPending } = await past.poolsAt(7, [HUB, TOKEN], { rpc, listPools })
    expect(snapshot.block).toEqual(blockAt(7))
    expect(poolsPending).toBe(false)
    expect(listPools).toHaveBeenCalledWith([HUB, TOKEN])
    expect(getLogs).not.toHaveBeenCalled()
  })

  test('are read once for a pair, in either direction', async () => {
    const { rpc, codes } = node()
    const past = new PastBlocks(chain)
    const first = await past.poolsAt(7, [HUB, TOKEN], { rpc, listPools: listed() })
    const back = await past.poolsAt(7, [TOKEN, HUB], { rpc, listPools: listed() })
    expect(back.market).toBe(first.market)
    expect(codes).toHaveLength(1)
    // Prices use pools that are discovered in another way.
    await past.pricesAt(7, [TOKEN], rpc)
    expect(past.count.entries).toBe(2)
  })

  test('are pending while the market of the newest block is still searching', async () => {
    const { rpc } = node()
    const past = new PastBlocks(chain)
    expect(await past.poolsAt(7, [HUB, TOKEN], { rpc, listPools: listed(false) })).toMatchObject({ poolsPending: true })
    expect(await past.poolsAt(7, [HUB, TOKEN], { rpc, listPools: listed() })).toMatchObject({ poolsPending: false })
  })

  test('are not followed any more when their block is dropped, or after close', async () => {
    const past = new PastBlocks(chain)
    const { rpc } = node()
    const stops: ReturnType<typeof vi.fn>[] = []
    for (let number = 1; number <= 9; number++) {
      const { market } = await past.poolsAt(number, [HUB, TOKEN], { rpc, listPools: listed() })
      stops.push(vi.spyOn(market, 'stop') as never)
    }
    const stopped = () => stops.map(({ mock }) => mock.calls.length)
    expect(past.count).toEqual({ entries: 8, evicted: 1 })
    await past.poolsAt(10, [HUB, TOKEN], { rpc, listPools: listed() })
    expect(stopped()).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0])
    await past.close()
    expect(stopped()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1])
  })

  test('are not followed any more if close comes while their block is opened', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<Hex>()
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const getCode = () => {
      start()
      return gate
    }
    const past = new PastBlocks(chain)
    const other = await past.poolsAt(2, [HUB, TOKEN], { rpc: node().rpc, listPools: listed() })
    const stop = vi.spyOn(Object.getPrototypeOf(other.market), 'stop')
    const reading = past.poolsAt(1, [HUB, TOKEN], { rpc: node({ getCode }).rpc, listPools: listed() })
    await started
    await past.close()
    open('0x')
    const { market } = await reading
    expect(past.count.entries).toBe(0)
    expect(stop.mock.contexts.map((stopped) => [other.market, market].indexOf(stopped as never))).toEqual([0, 1])
    await past.poolsAt(1, [HUB, TOKEN], { rpc: node().rpc, listPools: listed() })
    expect(past.count.entries).toBe(1)
  })

  test('are read to the end if their block is dropped meanwhile', async () => {
    const past = new PastBlocks(chain)
    const { rpc } = node()
    const { market } = await past.poolsAt(1, [HUB, TOKEN], { rpc, listPools: listed() })
    const stop = vi.spyOn(market, 'stop')
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const ensureGroups = market.ensureGroups.bind(market)
    vi.spyOn(market, 'ensureGroups').mockImplementation(async (...request) => {
      start()
      await gate
      return ensureGroups(...request)
    })
    const reading = past.poolsAt(1, [HUB, OTHER], { rpc, listPools: listed() })
    await started
    for (let number = 2; number <= 9; number++) await past.poolsAt(number, [HUB, TOKEN], { rpc, listPools: listed() })
    expect(past.count).toEqual({ entries: 8, evicted: 1 })
    expect(stop).not.toHaveBeenCalled()
    open()
    expect(await reading).toMatchObject({ market, poolsPending: false })
    expect(stop).toHaveBeenCalledOnce()
  })

  test('need the state of the block', async () => {
    const { rpc } = node({ getCode: () => Promise.reject(new RpcError('BLOCK_GONE', 'pruned')) })
    const pools = new PastBlocks(chain).poolsAt(7, [HUB, TOKEN], { rpc, listPools: listed() })
    await expect(pools).rejects.toMatchObject({ code: 'NO_STATE' })
  })
})
