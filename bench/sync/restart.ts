/**
 * Process that `sync.ts` starts to measure a restart: the time from its start until all saved pools are in memory.
 */
import { loadSnapshot } from '@sluice/liquidity'

const importedMs = performance.now()
const { pools } = await loadSnapshot(process.argv[2]!)
console.log(JSON.stringify({ pools: pools.size, importedMs, readyMs: performance.now() }))
