/**
 * `npm run bench -- bus [pools]`: measures the cost and latency of the bus (state of a chain shared over Redis) with
 * its own redis-server. Half of the changed pools have ticks, and a fifth of these change their ticks. Cases:
 * - a write of the full state
 * - one joining worker, and three at once
 * - blocks of 200 changed pools, at 10 and 40 per second and at full speed, with four workers and without
 * - blocks of 20 changed pools
 * - blocks of swaps that do not change ticks
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  connect,
  familyOf,
  keysOf,
  Lease,
  type PublishedState,
  Publisher,
  syntheticPool,
  TestRedis,
} from '@sluice/bus/testing'
import { type Pool, PoolMap } from '@sluice/liquidity'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'

const POOL_COUNT = Number(process.argv[2] ?? 100_000)
const POOLS_PER_BLOCK = 200
const WORKERS = 4
/** Blocks that are prepared before they are published. A real indexer keeps 64 blocks in memory. */
const PREPARED_BLOCKS = 100
const NO_PAIRS = { added: [], removed: [] }
const keys = keysOf(1)

const redis = await TestRedis.start()
const connection = await connect(redis.url)
await connection.call('CONFIG', 'SET', 'appendonly', 'no')
const lease = new Lease(keys)
const publisher = new Publisher({ keys, lease })
await lease.acquire(connection)
lease.startRenewal(connection, () => true)
const info = async (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(await redis.call<string>('INFO'))?.[1])
const redisCpuMs = async () => 1_000 * ((await info('used_cpu_user')) + (await info('used_cpu_sys')))

const numbers = Array.from({ length: POOL_COUNT }, (_, n) => n)
const v3Numbers = numbers.filter((n) => familyOf(n) === 'uniswap-v3')
const v2Numbers = numbers.filter((n) => familyOf(n) === 'uniswap-v2')
const ids = numbers.map((n) => syntheticPool(n, 0).id)
let blockNumber = 0
let pools = PoolMap.empty
for (let offset = 0; offset < POOL_COUNT; offset += 1_000)
  pools = pools.with(numbers.slice(offset, offset + 1_000).map((n) => syntheticPool(n, 0)))

/** Returns the state of a new block to publish. Its timestamp is the current time in milliseconds. */
function stateOf(map: PoolMap): PublishedState {
  blockNumber++
  const hash = `0x${blockNumber.toString(16).padStart(64, '0')}` as const
  const miner = syntheticPool(0, 0).address
  const otherFields = { parentHash: hash, gasLimit: 30_000_000n, baseFeePerGas: 7n, miner }
  return { block: { number: blockNumber, hash, timestamp: Date.now(), ...otherFields }, pools: map, canonical: [hash] }
}

/**
 * Returns the pools after a block that changes `perBlock` of them.
 *
 * @param hasTicks - true if a fifth of the changed pools with ticks change their ticks too
 */
function changePools(map: PoolMap, version: number, hasTicks: boolean, perBlock: number): PoolMap {
  const pick = (choices: readonly number[], i: number) => choices[(version * 7_919 + i * 61) % choices.length]!
  const next = Array.from({ length: perBlock }, (_, i) => {
    const n = pick(i % 2 === 0 ? v3Numbers : v2Numbers, i)
    const old = map.get(ids[n]!) as Pool<{ ticks?: unknown }>
    // Every fifth change also replaces the ticks.
    const pool = syntheticPool(n, version) as Pool<object>
    if (!old.state.ticks || (hasTicks && (version + i / 2) % 5 === 0)) return { ...old, state: pool.state }
    return { ...old, state: { ...pool.state, ticks: old.state.ticks } }
  })
  return map.with(next)
}

type WorkerFigures = {
  /** Milliseconds from each block's timestamp to its arrival in the worker. */
  readonly lags: number[]
  readonly cpuMsPerBlock: number
}
type JoinReport = { readonly joinMs: number; readonly cpuMs: number; readonly pools: number }
const nextMessage = <T>(worker: ChildProcess) =>
  new Promise<T>((resolve) => worker.once('message', (message) => resolve(message as T)))
async function startWorker(): Promise<{ worker: ChildProcess; joined: JoinReport }> {
  const worker = fork(join(import.meta.dirname, 'follower.ts'), [redis.url], { execArgv: ['--expose-gc'] })
  return { worker, joined: await nextMessage<JoinReport>(worker) }
}
const requestFromWorker = <T>(worker: ChildProcess, subject: 'number' | 'figures' | 'heap') => {
  const answer = nextMessage<T>(worker)
  worker.send(subject)
  return answer
}

/** Blocks to publish. */
type BlockLoad = {
  readonly count: number
  /** Milliseconds between blocks; 0 for full speed. */
  readonly everyMs?: number
  /** True if a fifth of the changed pools with ticks change their ticks too. */
  readonly hasTicks?: boolean
  /** Number of changed pools per block. */
  readonly perBlock?: number
}

/**
 * Publishes blocks like an indexer, which encodes a block while Redis writes the previous one. Prepares the blocks in
 * batches before the measured time. The size of the batches makes the heap about as large as an indexer's.
 */
async function publishBlocks({ count, everyMs = 0, hasTicks = true, perBlock = POOLS_PER_BLOCK }: BlockLoad) {
  const totals = { seconds: 0, writerCpuMs: 0, redisCpuMs: 0 }
  for (let remaining = count; remaining > 0; remaining -= PREPARED_BLOCKS) {
    const states: PoolMap[] = []
    for (let i = 0; i < Math.min(PREPARED_BLOCKS, remaining); i++) {
      pools = changePools(pools, blockNumber + i + 1, hasTicks, perBlock)
      states.push(pools)
      // Yields to the timer that renews the lease.
      await sleep(0)
    }
    await lease.acquire(connection)
    const [redisCpu, cpu, start] = [await redisCpuMs(), process.cpuUsage(), performance.now()]
    let pendingWrite: Promise<void> | undefined
    for (const [i, map] of states.entries()) {
      const waitMs = start + i * everyMs - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      const previousWrite = pendingWrite
      pendingWrite = (await publisher.send(connection, stateOf(map), NO_PAIRS)).answer
      await previousWrite
    }
    await pendingWrite
    totals.seconds += (performance.now() - start) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    totals.writerCpuMs += (user + system) / 1_000
    totals.redisCpuMs += (await redisCpuMs()) - redisCpu
  }
  return totals
}

async function measureBlocks(workers: readonly ChildProcess[], load: BlockLoad) {
  const { count, perBlock = POOLS_PER_BLOCK } = load
  for (const worker of workers) worker.send('begin')
  const { bytes } = publisher.counts
  const { seconds, writerCpuMs, redisCpuMs } = await publishBlocks(load)
  while (
    (await Promise.all(workers.map((worker) => requestFromWorker<number>(worker, 'number')))).some(
      (workerBlock) => workerBlock < blockNumber,
    )
  )
    await sleep(20)
  const figures = await Promise.all(workers.map((worker) => requestFromWorker<WorkerFigures>(worker, 'figures')))
  const lags = figures.flatMap((workerFigures) => workerFigures.lags)
  return {
    blocksPerSecond: rounded(count / seconds),
    poolUpdatesPerSecond: Math.round((count * perBlock) / seconds),
    kBPerBlock: rounded((publisher.counts.bytes - bytes) / count / 1e3),
    writerCpuMsPerBlock: rounded(writerCpuMs / count, 2),
    redisCpuMsPerBlock: rounded(redisCpuMs / count, 2),
    ...(workers.length > 0 && {
      lagMs: { p50: median(lags), p99: quantile(lags, 0.99), max: lags.at(-1) },
      workerCpuMsPerBlock: figures.map((workerFigures) => rounded(workerFigures.cpuMsPerBlock, 2)),
    }),
  }
}

const emptyRedisBytes = await info('used_memory')
// Acquires the lease again, because the creation of the pools blocked the timer that renews it.
await lease.acquire(connection)
const start = performance.now()
await publisher.writeAll(connection, stateOf(pools), [])
const fullWrite = {
  ms: Math.round(performance.now() - start),
  redisMB: rounded(((await info('used_memory')) - emptyRedisBytes) / 1e6),
}
console.log('full write', fullWrite)
const firstWorker = await startWorker()
const threeWorkers = await Promise.all([startWorker(), startWorker(), startWorker()])
const workers = [firstWorker, ...threeWorkers].slice(0, WORKERS).map(({ worker }) => worker)
const joins = {
  alone: rounded(firstWorker.joined.joinMs),
  threeAtOnce: threeWorkers.map(({ joined }) => rounded(joined.joinMs)),
}
console.log('joins', joins)
// Runs before the cases that change ticks, while all pools still have their initial ticks.
const swapBlocks = await measureBlocks(workers, { count: 40, everyMs: 50, hasTicks: false })
console.log('only swaps, 20 blocks per second', swapBlocks)
const smallBlocks = await measureBlocks(workers, { count: 100, everyMs: 100, perBlock: 20 })
console.log('20 pools, 10 blocks per second', smallBlocks)
const paced10 = await measureBlocks(workers, { count: 150, everyMs: 100 })
console.log('10 blocks per second', paced10)
const paced40 = await measureBlocks(workers, { count: 400, everyMs: 25 })
console.log('40 blocks per second', paced40)
const fullSpeed = await measureBlocks(workers, { count: 400 })
// Runs after the timed cases with workers. It forces a garbage collection in all workers, after which their next
// collections would also coincide.
const heaps = await Promise.all(workers.map((worker) => requestFromWorker<number>(worker, 'heap')))
for (const worker of workers) worker.kill('SIGKILL')
await connection.call('XTRIM', keys.entries, 'MAXLEN', 0)
const costsWithoutWorkers = await measureBlocks([], { count: 600 })
const entryCount = await connection.call<number>('XLEN', keys.entries)
const streamKBPerBlock = rounded(
  (await connection.call<number>('MEMORY', 'USAGE', keys.entries, 'SAMPLES', 0)) / entryCount / 1e3,
)
connection.close()
await redis.stop()
record('bus', {
  pools: POOL_COUNT,
  perBlock: POOLS_PER_BLOCK,
  full: fullWrite,
  joinMs: joins,
  joinCpuMs: rounded(firstWorker.joined.cpuMs),
  workerHeapMB: heaps.map(Math.round),
  ofTwenty: smallBlocks,
  paced10,
  paced40,
  ofSwaps: swapBlocks,
  flatOut: fullSpeed,
  withoutWorkers: costsWithoutWorkers,
  /** Redis memory per retained block. */
  streamKBPerBlock,
})
process.exit()
