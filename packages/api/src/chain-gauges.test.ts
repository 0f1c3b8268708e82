/** Tests the gauges of a chain. */
import { expect, test } from 'vitest'
import { clearChainSeries, exportGauges } from './chain-gauges.ts'
import { createMetrics } from './metrics.ts'
import type { ServedChain } from './served-chain.ts'

test('show state, head, queue and remembered callers of the chain, and none of these figures once it sleeps', async () => {
  const metrics = createMetrics()
  const none = { samples: 0 }
  const liveChain = {
    ...{ chain: { chainId: 7 }, counts: { pools: { entries: 3, evicted: 1 } } },
    status: () => ({ state: 'awake', head: 90, lagSeconds: 2, pools: 5, scan: { state: 'failing', progress: 0.5 } }),
    audit: { checked: 3, repaired: 1 },
    ...{ simulation: { slots: { statistics: { known: 4 } } }, tokens: { trustTracker: { counts: { earned: 6 } } } },
    drift: () => ({ missed: 0, chain: { 1: none, 2: none }, families: [], brands: [], pools: [], withdrawing: [] }),
    streams: { counts: { open: 8 } },
  }
  const chain = { liveChain, admission: { load: { running: 2, waiting: 9 }, callers: 11 } } as unknown as ServedChain
  exportGauges(chain, metrics)
  const seriesOf = (gauge: { get: () => Promise<{ values: readonly { labels: object; value: number }[] }> }) =>
    gauge.get().then(({ values }) => values.map(({ labels, value }) => [...Object.values(labels), value]))
  expect(await seriesOf(metrics.callers)).toEqual([['7', 11]])
  expect(await seriesOf(metrics.load)).toEqual([
    ['7', 'running', 2],
    ['7', 'waiting', 9],
  ])
  expect([await seriesOf(metrics.headBlock), await seriesOf(metrics.headAge), await seriesOf(metrics.pools)]).toEqual([
    ...[[['7', 90]], [['7', 2]], [['7', 5]]],
  ])
  expect(await seriesOf(metrics.state)).toEqual([['7', 'pools', 3]])
  expect(await seriesOf(metrics.evictions)).toEqual([['7', 'pools', 1]])
  expect((await seriesOf(metrics.chainState)).filter(([, , value]) => value === 1)).toEqual([['7', 'awake', 1]])
  expect([await seriesOf(metrics.slots), await seriesOf(metrics.trust), await seriesOf(metrics.streams)]).toEqual([
    ...[[['7', 'known', 4]], [['7', 'earned', 6]], [['7', 'open', 8]]],
  ])

  const asleep = {
    ...liveChain,
    ...{ counts: {}, status: () => ({ state: 'asleep' }), audit: undefined },
  }
  clearChainSeries(metrics)
  exportGauges({ ...chain, liveChain: asleep } as unknown as ServedChain, metrics)
  const { headBlock, headAge, pools, scan, scanState, audited, state } = metrics
  for (const gauge of [headBlock, headAge, pools, scan, scanState, audited, state])
    expect(await seriesOf(gauge)).toEqual([])
  expect((await seriesOf(metrics.chainState)).filter(([, , value]) => value === 1)).toEqual([['7', 'asleep', 1]])
})
