/**
 * Process started by `sync.ts` to measure a restart, from the start of the process until every saved pool is in memory.
 */
import { loadSnapshot } from '@sluice/liquidity'

const importedMs = performance.now()
const { pools } = await loadSnapshot(process.argv[2]!)
console.log(JSON.stringify({ pools: pools.size, importedMs, readyMs: performance.now() }))
