/** Measures updates of the compiled graph. */
import { PoolMap } from '@sluice/liquidity'
import { buildGraph } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { generate } from './generate.ts'
import { loadScenario } from './scenario.ts'

const UPDATES = 200

/**
 * Returns the time to update the compiled graph of 20,000 pools to the next block, for one changed pool and for a
 * hundred.
 */
export function measureChangedPools() {
  const { snapshot } = loadScenario(generate({ name: 'changes', nPools: 20_000, seed: 940_001, nTrades: 1 }))
  const ids = [...snapshot.pools.keys()]
  let pools = PoolMap.empty.with(snapshot.pools.values())
  let graph = buildGraph({ ...snapshot, pools })
  const msPerPool = (count: number) => {
    const times: number[] = []
    for (let update = 0; update < UPDATES; update++) {
      const changedIds = new Set(
        Array.from({ length: count }, (_, index) => ids[(update * 97 + index * 31) % ids.length]!),
      )
      // A new object with the same state is compiled again, as after a trade.
      pools = pools.with(Array.from(changedIds, (id) => ({ ...pools.get(id)! })))
      const start = performance.now()
      graph = buildGraph({ ...snapshot, pools }, graph)
      times.push((performance.now() - start) / count)
    }
    return rounded(median(times), 4)
  }
  msPerPool(10)
  return { pools: ids.length, msPerPool: { alone: msPerPool(1), ofAHundred: msPerPool(100) } }
}
