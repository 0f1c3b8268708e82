/** Tests processes that share the state of a chain over a real Redis: their quotes stay exact if one of them dies. */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { hasRedis, keysOf, TestRedis } from '@sluice/bus/testing'
import { type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devnetDir, type Service, type ServiceProcess, serviceEnv, startProcess } from './src/service.ts'
import { approveQuoteSend, get, quote, type RouteBody, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const AMOUNT = 10n ** 17n

type Process = ServiceProcess & { readonly lag: Lag }

type Ready = {
  readonly status: string
  readonly bus: { readonly state: string; readonly owned: readonly number[] }
  readonly chains: Readonly<Record<string, { readonly head: number; readonly pools: number; readonly reason?: string }>>
}

describe.skipIf(!hasRedis)('processes that share a chain', () => {
  let redis: TestRedis
  let devnet: Devnet
  let node: Node
  const all: Process[] = []
  const indexers: Process[] = []
  const workers: Process[] = []
  const token = (symbol: string) => devnet.info.tokens[symbol]!.address
  const query = (src: string, dst: string, amount = AMOUNT) => ({
    ...{ src: token(src), dst: token(dst), amount },
    from: devnet.info.accounts[0]!.address,
  })
  const start = async (role: string): Promise<Process> => {
    const lag = await Lag.start(devnet.url)
    const env = { ...serviceEnv(devnet), [`RPC_URL_${devnet.chainId}`]: lag.url, REDIS_URL: redis.url, ROLE: role }
    const service = { ...(await startProcess(env)), lag }
    all.push(service)
    return service
  }
  beforeAll(async () => {
    redis = await TestRedis.start()
    devnet = await startDevnet({ dir: devnetDir })
    node = new Node(devnet.url)
    indexers.push(...(await Promise.all(['indexer', 'indexer'].map(start))))
    workers.push(...(await Promise.all(['worker', 'worker'].map(start))))
  })
  afterAll(async () => {
    await Promise.all(all.map((service) => service.stop()))
    await Promise.all(all.map(({ lag }) => lag.stop()))
    await redis?.stop()
    await devnet?.stop()
  })

  const ready = async ({ url }: Service) => (await get<Ready>(`${url}/ready`)).body
  const owner = async () => {
    for (const indexer of indexers.filter(({ process }) => process.exitCode === null && process.signalCode === null))
      if ((await ready(indexer)).bus.owned.includes(devnet.chainId)) return indexer
    return undefined
  }
  async function expectExact(worker: Service, src: string, dst: string): Promise<void> {
    const { route, receipt, received } = await approveQuoteSend(node, worker.url, devnet.chainId, query(src, dst))
    expect(receipt.status).toBe(true)
    expect(received).toBe(BigInt(route.toAmount))
  }
  /** Requests quotes until one is at the head. Without an owner, the chain's new blocks are not processed. */
  async function soon(worker: Service, src: string, dst: string): Promise<RouteBody> {
    const url = swapUrl(worker.url, devnet.chainId, query(src, dst))
    return until(async () => {
      const { status, body } = await get<RouteBody>(url)
      return status === 200 && body.simulationBlock >= (await blockNumber()) ? body : undefined
    })
  }
  /** Returns the ids of the pools that the owner has published. Fields of other kinds have a space in their name. */
  async function publishedPools(): Promise<string[]> {
    const keys = keysOf(devnet.chainId)
    const generation = await redis.call<string>('HGET', keys.head, 'gen')
    const fields = await redis.call<string[]>('HKEYS', keys.pools(generation))
    return fields.filter((field) => !field.includes(' '))
  }
  const blockNumber = async () => Number(await node.request<string>('eth_blockNumber'))

  test('workers quote exactly, and read no logs; one indexer reads the chain', async () => {
    for (const worker of workers) {
      await expectExact(worker, 'WETH', 'USDC')
      await expectExact(worker, 'LINK', 'UNI')
    }
    for (const { lag } of workers) expect(lag.proxy.calledMethods).not.toContain('eth_getLogs')
    expect(await owner()).toBeDefined()
    const reading = indexers.filter(({ lag }) => lag.proxy.calledMethods.includes('eth_getLogs'))
    expect(reading).toHaveLength(1)
    expect((await ready(workers[0]!)).bus).toMatchObject({ state: 'connected', owned: [] })
  })

  test('a quote of known tokens sends no request to Redis', async () => {
    await soon(workers[0]!, 'WETH', 'USDC')
    const commands = async () => {
      const stats = await redis.call<string>('INFO', 'commandstats')
      // Redis commands that run without quotes: leases, membership, the owners' storage, and polling.
      const ownCommands = /cmdstat_(evalsha|set|get|exists|hset|pexpire|time|zadd|zrangebyscore|xread|hmget|info)\b/
      const otherCommands = stats.split('\r\n').filter((line) => line.startsWith('cmdstat_') && !ownCommands.test(line))
      return otherCommands.map((line) => line.split(',')[0]).sort()
    }
    // The owner may still write newly found pools. Commands caused by quotes would appear in every round.
    let amount = AMOUNT
    for (let round = 1; ; round++) {
      const before = await commands()
      for (let i = 0; i < 20; i++) await quote(workers[0]!.url, devnet.chainId, query('WETH', 'USDC', amount++))
      const after = await commands()
      if (after.join() === before.join()) break
      if (round === 5) expect(after).toEqual(before)
    }
  })

  test('a killed indexer is replaced, and its state is kept', async () => {
    const first = (await owner())!
    // Pools found after the last save would be found again, but later.
    const pools = await until(async () => {
      const published = await publishedPools()
      const saved = new Set(await redis.call<string[]>('HKEYS', keysOf(devnet.chainId).poolRecords))
      return published.every((pool) => saved.has(pool)) ? published.length : undefined
    })
    await end(first.process, 'SIGKILL')
    // Only the next owner can publish this block.
    await node.request('evm_mine')
    const route = await soon(workers[0]!, 'WETH', 'USDC')
    expect(route.simulationBlock).toBe(await blockNumber())
    const second = indexers.find((indexer) => indexer !== first)!
    expect((await ready(second)).bus.owned).toEqual([devnet.chainId])
    expect((await ready(workers[0]!)).chains[devnet.chainId]!.pools).toBeGreaterThanOrEqual(pools)
    for (const worker of workers) await expectExact(worker, 'WETH', 'LINK')
  })

  test('an indexer that shuts down is replaced at once', { tags: 'long' }, async () => {
    // Replaces the killed one.
    const ended = indexers.findIndex(({ process }) => process.signalCode !== null)
    if (ended >= 0) indexers[ended] = await start('indexer')
    const first = (await owner())!
    await first.stop()
    await node.request('evm_mine')
    await soon(workers[1]!, 'WETH', 'USDC')
    await expectExact(workers[1]!, 'WETH', 'USDT')
  })

  test('a killed worker does not affect others, and its successor joins', { tags: 'long' }, async () => {
    await end(workers[0]!.process, 'SIGKILL')
    await expectExact(workers[1]!, 'WETH', 'USDC')
    workers[0] = await start('worker')
    await expectExact(workers[0], 'WETH', 'USDC')
    // The worker uses the token facts measured by others without calling its node.
    const facts = await redis.call<string[]>('HKEYS', keysOf(devnet.chainId).facts)
    const measured = facts.filter((fact) => fact.startsWith('slots ')).length
    expect(measured).toBeGreaterThan(1)
    const metrics = (await get<string>(`${workers[0].url}/metrics`)).body
    const remembered = /sluice_token_slots\{chain="31337",kind="remembered"\} (\d+)/.exec(metrics)?.[1]
    expect(Number(remembered)).toBeGreaterThanOrEqual(measured)
  })

  test('a worker whose node is behind quotes the block of its node', async () => {
    const worker = workers[1]!
    await soon(worker, 'WETH', 'USDC')
    const behind = await blockNumber()
    const { lag } = worker
    lag.pinnedTo = behind
    await node.request('evm_mine')
    await until(async () => ((await ready(worker)).chains[devnet.chainId]!.head > behind ? true : undefined))
    const route = await quote(worker.url, devnet.chainId, query('WETH', 'USDC', AMOUNT + 77n))
    expect(route.simulationBlock).toBe(behind)
    lag.pinnedTo = undefined
    await expectExact(worker, 'WETH', 'USDC')
  })

  test('a worker whose node is ahead quotes the last published block', { tags: 'long' }, async () => {
    const worker = workers[1]!
    const { lag } = (await owner())!
    await soon(worker, 'WETH', 'USDC')
    const pinnedBlock = await blockNumber()
    lag.pinnedTo = pinnedBlock
    await node.request('evm_mine')
    // The worker's node has the next block, but nobody has published its state.
    for (const number of [78n, 79n, 80n]) {
      const route = await quote(worker.url, devnet.chainId, query('WETH', 'USDC', AMOUNT + number))
      expect(route.simulationBlock).toBe(pinnedBlock)
    }
    lag.pinnedTo = undefined
    await expectExact(worker, 'WETH', 'USDC')
    expect((await soon(worker, 'WETH', 'USDC')).simulationBlock).toBeGreaterThan(pinnedBlock)
  })

  test('Redis down: quotes continue, /ready reports it, and everything recovers when it returns empty', async () => {
    await soon(workers[0]!, 'WETH', 'USDC')
    await redis.kill()
    await until(async () => ((await ready(workers[0]!)).bus.state === 'away' ? true : undefined))
    const lastRoute = await quote(workers[0]!.url, devnet.chainId, query('WETH', 'USDC'))
    expect(lastRoute.simulationBlock).toBe(await blockNumber())
    redis.forget()
    await redis.start()
    await node.request('evm_mine')
    await soon(workers[0]!, 'WETH', 'USDC')
    for (const worker of workers) await expectExact(worker, 'WETH', 'USDC')
  })

  test('Redis hangs: quotes continue from the last block before detection, and everything recovers afterwards', {
    tags: 'long',
  }, async () => {
    await soon(workers[0]!, 'WETH', 'USDC')
    redis.hang()
    try {
      for (const number of [91n, 92n, 93n]) {
        const route = await quote(workers[0]!.url, devnet.chainId, query('WETH', 'USDC', AMOUNT + number))
        expect(route.simulationBlock).toBe(await blockNumber())
      }
      expect((await ready(workers[0]!)).bus.state).toBe('connected')
    } finally {
      redis.goOn()
    }
    await node.request('evm_mine')
    await soon(workers[0]!, 'WETH', 'USDC')
    await expectExact(workers[0]!, 'WETH', 'USDC')
  })

  test('Redis full: owners report it, workers quote from their last block, and everything recovers with free memory', {
    tags: 'long',
  }, async () => {
    const before = await soon(workers[0]!, 'WETH', 'USDC')
    const first = (await owner())!
    await redis.call('CONFIG', 'SET', 'maxmemory', 1)
    try {
      await node.request('evm_mine')
      await until(async () => ((await ready(first)).bus.state === 'full' ? true : undefined))
      expect((await get<string>(`${first.url}/metrics`)).body).toContain('sluice_bus{what="full"} 1')
      const { status, body } = await get<RouteBody>(swapUrl(workers[0]!.url, devnet.chainId, query('WETH', 'USDC')))
      if (status === 200) expect(body.simulationBlock).toBe(before.simulationBlock)
      else expect(body).toMatchObject({ code: 'BEHIND' })
    } finally {
      await redis.call('CONFIG', 'SET', 'maxmemory', 0)
    }
    await soon(workers[0]!, 'WETH', 'USDC')
    await until(async () => ((await ready(first)).bus.state === 'connected' ? true : undefined))
  })

  test('a process that is worker and indexer at once shares the chain like any other', { tags: 'long' }, async () => {
    const equal = await start('all')
    try {
      await expectExact(equal, 'WETH', 'USDC')
      expect((await ready(equal)).bus.state).toBe('connected')
    } finally {
      await equal.stop()
    }
  })
})

test('the Redis client is loaded only with REDIS_URL', { tags: 'long' }, () => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => {
      if (name.includes('redis') || name.includes('sluice/bus')) console.log('loads ' + name)
      return next(name, context)
    } })`
  const program = `const { loadConfig, startServer } = await import('@sluice/api')
    await startServer(loadConfig()).then((server) => server.close())
    process.exit()`
  const loads = (env: Record<string, string>) => {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--input-type=module', '-e', program]
    const environment = { ...process.env, PORT: '0', LOG_LEVEL: 'silent', ...env }
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      env: environment,
      encoding: 'utf8',
      cwd: import.meta.dirname,
    })
    expect(stderr).toBe('')
    return stdout
  }
  expect(loads({})).toBe('')
  // No server listens on this port, but the process starts anyway.
  expect(loads({ REDIS_URL: 'redis://127.0.0.1:1' })).toContain('@redis/client')
})

/** A node that can fall behind. */
class Lag {
  readonly proxy: NodeProxy
  /** Newest block that the node reports; the head if undefined. */
  pinnedTo: number | undefined

  static async start(url: string): Promise<Lag> {
    const node = new Node(url)
    const lag: Lag = new Lag(
      await NodeProxy.start(url, async (call) => {
        const { pinnedTo } = lag
        if (pinnedTo === undefined) return undefined
        const text = JSON.stringify(call.params)
        const [hash] = /"blockHash":"(0x[0-9a-f]{64})"/.exec(text)?.slice(1) ?? []
        const block = hash && (await node.request<{ number: string } | null>('eth_getBlockByHash', [hash, false]))
        if (block && Number(block.number) > pinnedTo) return { error: { code: -32000, message: 'header not found' } }
        call.params = JSON.parse(text.replaceAll('"latest"', `"0x${pinnedTo.toString(16)}"`))
        return undefined
      }),
    )
    return lag
  }

  private constructor(proxy: NodeProxy) {
    this.proxy = proxy
  }

  get url(): string {
    return this.proxy.url
  }

  stop(): Promise<void> {
    return this.proxy.stop()
  }
}

function end(process: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise<void>((resolve) => process.once('exit', () => resolve()))
  process.kill(signal)
  return ended
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
