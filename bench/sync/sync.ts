/**
 * `npm run bench -- sync`: measures the service's work for a chain with 100,000 pools: to apply the logs of a block
 * with 200 changed pools, to iterate over all pools, to save them, and to start from the saved file in a new process.
 * Also measures the memory of the pools, and of 64 blocks of history. Results in `results/sync.json`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { IUniswapV2PairEvents__factory, IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { familyOf, type Pool, poolChanges } from '@sluice/liquidity'
import { applyLogs, PoolMap, SnapshotDatabase } from '@sluice/liquidity/testing'
import { atOnce, type Log } from '@sluice/rpc'
import { toBeHex } from 'ethers'
import { record, rounded } from '../record.ts'
import { addressOf, syntheticPools } from './pools.ts'

const POOLS = 100_000
const CHANGED_POOLS = 200
const BLOCKS = 64
const RESTARTS = 3

const pairEvents = IUniswapV2PairEvents__factory.createInterface()
const poolEvents = IUniswapV3PoolEvents__factory.createInterface()

const bytesBefore = usedBytes()
const pools = syntheticPools(POOLS)
let poolMap = PoolMap.empty.with(pools)
const history = [poolMap]

/** Pools for which the benchmark creates logs. Most are V2 pairs, as on real chains. */
const followedPools = pools.filter(({ family }) => family === 'uniswap-v2' || family === 'uniswap-v3')

/** Returns a log of the pool. Logs of different blocks set different states. */
function logOf({ family, address }: Pool, block: number): Pick<Log, 'address' | 'topics' | 'data'> {
  const amount = 10n ** 20n + BigInt(block)
  const { data, topics } =
    family === 'uniswap-v2'
      ? pairEvents.encodeEventLog('Sync', [amount, amount])
      : poolEvents.encodeEventLog('Swap', [address, address, amount, -amount, 1n << 96n, amount, block])
  return { address, topics: topics as Hex[], data: data as Hex }
}

const applyTimes: number[] = []
for (let block = 1; block <= BLOCKS; block++) {
  const logs = Array.from({ length: CHANGED_POOLS }, (_, i) => ({
    ...logOf(followedPools[(i * 449 + block) % followedPools.length]!, block),
    blockNumber: block,
    blockHash: toBeHex(block, 32) as Hex,
    logIndex: i,
  }))
  const start = performance.now()
  const { changedPools: changed } = atOnce(applyLogs(poolMap, logs, familyOf, (log) => [log.address]))
  poolMap = poolMap.with(changed.values())
  applyTimes.push(performance.now() - start)
  if (changed.size !== CHANGED_POOLS) throw new Error(`${changed.size} pools changed`)
  history.push(poolMap)
}
applyTimes.sort((a, b) => a - b)
const bytes = usedBytes() - bytesBefore

const start = performance.now()
let poolsWithState = 0
for (const pool of poolMap.values()) if (pool.state) poolsWithState++
const walkMs = performance.now() - start
if (poolsWithState !== POOLS || history.length !== BLOCKS + 1) throw new Error('pools were lost')

const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const path = join(dir, 'pools.sqlite')
const block = {
  number: 1,
  hash: toBeHex(1, 32) as Hex,
  parentHash: toBeHex(0, 32) as Hex,
  timestamp: 1_700_000_000,
  gasLimit: 30_000_000n,
  baseFeePerGas: null,
  miner: addressOf(1),
}
const snapshotFields = { chainId: 1, block, extra: null }
const database = new SnapshotDatabase(path)
const knownPools = [...poolMap.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: 0 }))
const saveMs = timeOf(() =>
  database.save(snapshotFields, { newPools: knownPools, changedPools: poolMap.values(), goneIds: [] }),
)
const { changedPools: changed } = poolChanges(history.at(-2)!, poolMap)
const saveNextMs = timeOf(() =>
  database.save({ ...snapshotFields, extra: 1 }, { newPools: [], changedPools: changed, goneIds: [] }),
)
database.close()
const fileMb = statSync(path).size / 2 ** 20
const restarts = Array.from({ length: RESTARTS }, measureRestart).sort((a, b) => a.readyMs - b.readyMs)
rmSync(dir, { recursive: true })

/** Measures a restart in a new process, in which no code is compiled yet. */
function measureRestart(): { readonly importedMs: number; readonly readyMs: number } {
  const script = join(import.meta.dirname, 'restart.ts')
  const report = JSON.parse(execFileSync(process.execPath, [script, path], { encoding: 'utf8' }))
  if (report.pools !== POOLS) throw new Error('pools were lost')
  return report
}

function timeOf(task: () => void): number {
  const start = performance.now()
  task()
  return performance.now() - start
}

record('sync', {
  pools: POOLS,
  changedPerBlock: CHANGED_POOLS,
  blocks: BLOCKS,
  applyMs: { median: rounded(applyTimes[BLOCKS / 2]!, 2), worst: rounded(applyTimes.at(-1)!, 2) },
  memoryMb: rounded(bytes / 2 ** 20),
  walkMs: rounded(walkMs),
  saved: {
    firstMs: rounded(saveMs),
    nextMs: rounded(saveNextMs),
    fileMb: rounded(fileMb),
  },
  restart: {
    importedMs: rounded(restarts[1]!.importedMs),
    readyMs: { median: rounded(restarts[1]!.readyMs), worst: rounded(restarts.at(-1)!.readyMs) },
  },
})

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
