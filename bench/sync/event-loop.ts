/**
 * `npm run bench -- sync event-loop`: measures delays of the event loop with 100,000 pools. A market loads saved state,
 * follows a node's blocks over HTTP, saves its state, computes prices, serves prices and depth, and updates a routing
 * thread. Reports the event loop delay of each part, and the longest task by kind. Results in
 * `results/event-loop.json`.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Chain, Hex } from '@sluice/chains'
import { createMarket, families, type Pool, type Snapshot } from '@sluice/liquidity'
import { PoolDirectory, PoolMap, SnapshotDatabase } from '@sluice/liquidity/testing'
import { Prices } from '@sluice/pricing'
import { createRpc, takeLongestTasks } from '@sluice/rpc'
import { record, rounded } from '../record.ts'
import { type BlockToAdd, hashOf } from './event-loop-node.ts'
import { addressOf, syntheticPools } from './pools.ts'

const POOLS = 100_000
const TOKENS = 4_901
const HUBS = 7
const BLOCKS = 40
const FIRST_BLOCK = 1
const BLOCK_PAUSE_MS = 100
const PRICED_TOKENS = 200
const SAVE_MS = 1_000
/** Number of logs in a response of 10 MB. */
const LOGS_OF_10_MB = 16_000

const ONE_TOKEN = 10n ** 18n
const hubs = Array.from({ length: HUBS }, (_, n) => addressOf(POOLS + n))
const untrustedTokens = Array.from({ length: TOKENS }, (_, n) => addressOf(2 * POOLS + n))
const token = (n: number) => ({ symbol: `T${n}`, address: hubs[n]!, decimals: 18 })
const commonDexFields = { role: 'factory', brand: 'Made up' }
const chain: Chain = {
  ...{ chainId: 1, name: 'bench', displayName: 'Bench', trackerName: 'Bench', coinsPrefix: null },
  nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  wrappedNative: token(0),
  stables: [1, 2, 3].map(token),
  hubs,
  tokens: [],
  rpcUrls: [],
  blockTimeMs: 1_000,
  l1FeeModel: 'none',
  evm: {},
  dexes: [
    {
      ...commonDexFields,
      family: 'uniswap-v2',
      address: addressOf(1_000_001),
      feePpm: 3_000,
      feeBasis: 'protocol-sdk',
    },
    { ...commonDexFields, family: 'uniswap-v3', address: addressOf(1_000_002) },
    { ...commonDexFields, family: 'solidly', address: addressOf(1_000_003) },
  ],
}

/** Pools between a hub and another token. The first pools are between two hubs. */
const pools: Pool[] = syntheticPools(POOLS).map((pool, n) => {
  const isTurnedIntoPair = pool.family === 'curve-stable' || n < 2 * HUBS
  const state = { reserve0: 100_000n * ONE_TOKEN + BigInt(n), reserve1: 90_000n * ONE_TOKEN - BigInt(n), feePpm: 3_000 }
  const tokens = [hubs[n % HUBS]!, n < 2 * HUBS ? hubs[(n + 1 + (n % 3)) % HUBS]! : untrustedTokens[n % TOKENS]!]
  const fields = isTurnedIntoPair || pool.family === 'uniswap-v2' ? { family: 'uniswap-v2', state } : {}
  return { ...pool, ...fields, dex: 'Made up', tokens }
})
const tradedPools = pools.filter(({ family }) => family !== 'solidly')

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const path = join(directory, '1.sqlite')
saveInitialState()

const node = new Worker(new URL('./event-loop-node.ts', import.meta.url))
const nextMessage = () => new Promise<number>((resolve) => node.once('message', resolve))
const url = `http://127.0.0.1:${await nextMessage()}`
await mineBlock({ number: 0, branch: 0, changed: [] })
await mineBlock({ number: FIRST_BLOCK, branch: 0, changed: [] })

const rpc = createRpc({ chainId: 1, urls: [url] })
const options = { chain, rpc, pollMs: 20, auditMs: 2 ** 30, save: { path, everyMs: SAVE_MS, onError: rethrow } }
const measurements: Record<string, object> = {}
let market = createMarket(options)
const prices = new Prices(chain, { decimals: () => 18 })
let pricesFollowed: Promise<void> = Promise.resolve()
let snapshot: Snapshot

await measure('start from what was saved', async () => {
  snapshot = await market.sync()
})
if (snapshot!.pools.size !== POOLS) throw new Error(`${snapshot!.pools.size} pools came back`)
await measure('first pass of prices', () => prices.follow(snapshot))
market.onSnapshot((next) => {
  snapshot = next
  pricesFollowed = prices.follow(next)
})
market.start()
let height = FIRST_BLOCK
await measure('at rest', () => sleep(2_000))
for (const changedCount of [0, 200, 2_000])
  await measure(`blocks that change ${changedCount} pools`, () => followBlocks(changedCount))
await measure('blocks that change 200 pools, prices of 200 tokens after each', () => followBlocks(200, PRICED_TOKENS))
await measure('an answer of 10 MB', () => followBlock(LOGS_OF_10_MB))
await measure('a reorg of 5 blocks', async () => {
  for (let depth = 4; depth >= 0; depth--)
    await mineBlock({ number: height - depth, branch: 1, changed: randomPools(200) })
  await waitForBlock(hashOf(height, 1))
})
await measure('depth and curve of the deepest token', async () => {
  await prices.depthUsd(hubs[1]!)
  await prices.depthCurve(hubs[1]!)
})
await measure('saving what has changed', () => market.stop())
market = createMarket(options)
await measure('starting again', () => market.sync())
await market.stop()
await node.terminate()
rpc.close()
rmSync(directory, { recursive: true })

record('event-loop', { pools: POOLS, tokens: TOKENS, blocksEach: BLOCKS, savedEveryMs: SAVE_MS, ms: measurements })

function rethrow(error: Error): void {
  throw error
}

/** Saves the state that the market loads, as an earlier run of the service would have. */
function saveInitialState(): void {
  const directory = new PoolDirectory(chain, families)
  const rows = createHash('sha256').update(JSON.stringify(directory.rows)).digest('hex')
  const dexRowOf = (family: string) => directory.rows.findIndex((row) => row.family === family)
  const extra = { rest: { rows, scannedTo: [] }, lists: { tokens: [...hubs, ...untrustedTokens], pairs: [] } }
  const header = {
    ...{ number: FIRST_BLOCK, hash: hashOf(FIRST_BLOCK, 0) as Hex, parentHash: hashOf(0, 0) as Hex },
    ...{ timestamp: 0, gasLimit: 30_000_000n, baseFeePerGas: null, miner: addressOf(7) },
  }
  const knownPools = pools.map((pool) => ({ pool: { ...pool, state: null }, dexRow: dexRowOf(pool.family) }))
  const database = new SnapshotDatabase(path)
  database.save(
    { chainId: 1, block: header, extra },
    { newPools: knownPools, changedPools: PoolMap.empty.with(pools).values(), goneIds: [] },
  )
  database.close()
}

async function mineBlock(block: BlockToAdd): Promise<void> {
  const doneMessage = nextMessage()
  node.postMessage(block)
  await doneMessage
}

function randomPools(count: number) {
  const from = (height * 449) % tradedPools.length
  return Array.from({ length: count }, (_, i) => {
    const { address, family } = tradedPools[(from + i * 5) % tradedPools.length]!
    return { address, family }
  })
}

async function followBlock(changedCount: number): Promise<void> {
  height++
  await mineBlock({ number: height, branch: 0, changed: randomPools(changedCount) })
  await waitForBlock(hashOf(height, 0))
}

async function waitForBlock(hash: string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (market.snapshot().block.hash !== hash) {
    if (Date.now() > deadline) throw new Error(`block ${hash} was not reached: ${market.health().error}`)
    await sleep(5)
  }
  await pricesFollowed
}

async function followBlocks(changedCount: number, pricedTokens = 0): Promise<void> {
  for (let n = 0; n < BLOCKS; n++) {
    await followBlock(changedCount)
    let knownCount = 0
    for (let k = 0; k < pricedTokens; k++)
      if (prices.usd(untrustedTokens[(n * pricedTokens + k * 7) % TOKENS]!) !== null) knownCount++
    if (knownCount < pricedTokens / 2) throw new Error(`${knownCount} of ${pricedTokens} tokens have a price`)
    await sleep(BLOCK_PAUSE_MS)
  }
}

async function measure(name: string, run: () => Promise<unknown>): Promise<void> {
  await sleep(200)
  takeLongestTasks()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  await run()
  const elapsedMs = performance.now() - start
  delay.disable()
  measurements[name] = {
    took: rounded(elapsedMs),
    late: { p99: rounded(delay.percentile(99) / 1e6), most: rounded(delay.max / 1e6) },
    longest: Object.fromEntries([...takeLongestTasks()].map(([kind, ms]) => [kind, rounded(ms, 2)])),
  }
  console.error(name, JSON.stringify(measurements[name]))
}
