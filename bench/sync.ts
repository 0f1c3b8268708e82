/**
 * `npm run bench -- sync`: following a chain whose market holds 100,000 pools. How long it takes to apply the logs of a
 * block that changes 200 of them and to have the next map of pools, what the pools and 64 blocks of history weigh, how long
 * a round over all of them takes, and how long saving them and starting again from the file. Results in `results/sync.json`.
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { IUniswapV2PairEvents__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { toBeHex } from 'ethers'
import { applyLogs } from '../packages/liquidity/src/market/apply.ts'
import { PoolMap } from '../packages/liquidity/src/market/pool-map.ts'
import { SnapshotDatabase } from '../packages/liquidity/src/store/database.ts'
import { record, rounded } from './record.ts'

const POOLS = 100_000
const CHANGED = 200
const BLOCKS = 64

const events = IUniswapV2PairEvents__factory.createInterface()
const sync = events.getEvent('Sync')
const addressOf = (n: number) => toAddress(toBeHex((BigInt(n) * 0x9e3779b97f4a7c15n) % (1n << 160n), 20))

const before = memory()
const pools: Pool[] = Array.from({ length: POOLS }, (_, n) => ({
  id: addressOf(n + 1),
  family: 'uniswap-v2',
  dex: 'Bench',
  address: addressOf(n + 1),
  tokens: [addressOf(POOLS + n), addressOf(2 * POOLS + n)],
  state: { reserve0: 10n ** 20n + BigInt(n), reserve1: 10n ** 20n - BigInt(n), feePpm: 3000 },
}))
let map = PoolMap.empty.with(pools)
const history = [map]

const times: number[] = []
for (let block = 1; block <= BLOCKS; block++) {
  const logs = Array.from({ length: CHANGED }, (_, i) => {
    const { data, topics } = events.encodeEventLog(sync, [10n ** 20n + BigInt(block), 10n ** 20n + BigInt(i)])
    const address = pools[(i * 499 + block) % POOLS]!.address
    return {
      address,
      topics: topics as Hex[],
      data: data as Hex,
      blockNumber: block,
      blockHash: toBeHex(block, 32) as Hex,
      logIndex: i,
    }
  })
  const start = performance.now()
  const { changed } = applyLogs(map, logs, familyOf, (log) => log.address)
  map = map.with(changed.values())
  times.push(performance.now() - start)
  if (changed.size !== CHANGED) throw new Error(`${changed.size} pools changed`)
  history.push(map)
}
times.sort((a, b) => a - b)
const bytes = memory() - before

const start = performance.now()
let count = 0
for (const pool of map.values()) if (pool.state) count++
const walkMs = performance.now() - start
if (count !== POOLS || history.length !== BLOCKS + 1) throw new Error('pools were lost')

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
const facts = { chainId: 1, block, extra: null }
const database = new SnapshotDatabase(path)
const known = [...map.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: 0 }))
const saveMs = await timed(() => database.save(facts, known, map.values(), []))
const { changed } = map.changesSince(history.at(-2)!)
const saveNextMs = await timed(() => database.save({ ...facts, extra: 1 }, [], changed, []))
database.close()
const fileMb = statSync(path).size / 2 ** 20
const restoreMs = await timed(async () => {
  const again = new SnapshotDatabase(path)
  const loaded = await again.load()
  if (loaded?.pools.size !== POOLS) throw new Error('pools were lost')
  again.close()
})
rmSync(dir, { recursive: true })

async function timed(task: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await task()
  return performance.now() - start
}

record('sync', {
  pools: POOLS,
  changedPerBlock: CHANGED,
  blocks: BLOCKS,
  applyMs: { median: rounded(times[BLOCKS / 2]!, 2), worst: rounded(times.at(-1)!, 2) },
  memoryMb: rounded(bytes / 2 ** 20),
  walkMs: rounded(walkMs),
  saved: {
    firstMs: rounded(saveMs),
    nextMs: rounded(saveNextMs),
    fileMb: rounded(fileMb),
    restoreMs: rounded(restoreMs),
  },
})

function memory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
