/** Tests of what is counted of a chain's events, its endpoints, and the drift of its quotes. */
import { beforeEach, describe, expect, test } from 'vitest'
import { countEvents } from './count-events.ts'
import { clearDriftSeries, exportDrift } from './drift-metrics.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { exportRpcHealth } from './rpc-metrics.ts'

type Series = { get: () => Promise<{ values: readonly { labels: object; value: number; metricName?: string }[] }> }
const seriesOf = async (metric: Series) =>
  (await metric.get()).values.map(({ labels, value }) => [...Object.values(labels), value])
const sumOf = async (metric: Series) =>
  (await metric.get()).values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value

let metrics: Metrics
beforeEach(() => {
  metrics = createMetrics()
})

describe('events of a chain', () => {
  test('are counted in a batch, failures of endpoints at once', async () => {
    const count = countEvents(metrics, 7)
    count({ kind: 'rpc-failure', endpoint: 2, code: 'TIMEOUT' } as never)
    count({ kind: 'quote', how: 'found' } as never)
    expect(await seriesOf(metrics.rpcErrors)).toEqual([[7, 2, 'TIMEOUT', 1]])
    expect(await seriesOf(metrics.quotes)).toEqual([])
    metrics.backgroundQueue.flush()
    expect(await seriesOf(metrics.quotes)).toEqual([[7, 'found', 1]])
  })

  test('about trials have the outcome, the gap if known, and the size of the shortfall', async () => {
    const count = countEvents(metrics, 7)
    count({ kind: 'trial', outcome: 'exact', shortfallPpm: -40n, optimalityGapBps: 2.5 })
    count({ kind: 'trial', outcome: 'reverted', shortfallPpm: undefined, optimalityGapBps: null })
    metrics.backgroundQueue.flush()
    expect(await seriesOf(metrics.trials)).toEqual([
      [7, 'exact', 1],
      [7, 'reverted', 1],
    ])
    expect([await sumOf(metrics.routeGap), await sumOf(metrics.expectedOutputError)]).toEqual([2.5, 40])
  })

  test('about endpoints are counted by endpoint, method, and priority', async () => {
    const count = countEvents(metrics, 7)
    const send = (event: object) => count({ kind: 'rpc', event } as never)
    send({ kind: 'sent', endpoint: 1, methods: ['eth_call', 'eth_call', 'made_up'], priority: 'quote' })
    for (const kind of ['retry', 'hedge', 'hedge', 'slowed']) send({ kind, endpoint: 1 })
    send({ kind: 'batch', endpoint: 1, size: 20 })
    metrics.backgroundQueue.flush()
    expect(await seriesOf(metrics.rpc.posts)).toEqual([[7, '1', 'quote', 1]])
    expect(await seriesOf(metrics.rpc.calls)).toEqual([
      [7, '1', 'eth_call', 'quote', 2],
      [7, '1', 'other', 'quote', 1],
    ])
    expect(await seriesOf(metrics.rpc.extraRequests)).toEqual([
      [7, '1', 'retry', 1],
      [7, '1', 'hedge', 2],
    ])
    expect(await seriesOf(metrics.rpc.slowedDown)).toEqual([[7, '1', 1]])
    expect(await seriesOf(metrics.rpc.endpoint)).toEqual([[7, '1', 'batch_size', 20]])
  })
})

test('the health of endpoints and the clock of the chain are gauges', async () => {
  const endpoints = [
    { successRate: 0.5, ejected: true, queued: 3, batchSize: 20, callsPerSecond: 9 },
    { successRate: 1, ejected: false, queued: 0, batchSize: 1, callsPerSecond: null },
  ]
  exportRpcHealth(metrics.rpc, 7, {
    endpoints,
    clock: { intervalMs: 12_000, behindSeconds: 2, state: 'resting' },
  } as never)
  const names = ['success_rate', 'ejected', 'queued', 'batch_size', 'calls_per_second']
  expect(await seriesOf(metrics.rpc.endpoint)).toEqual([
    ...names.map((name, k) => [7, '0', name, [0.5, 1, 3, 20, 9][k]]),
    ...names.map((name, k) => [7, '1', name, [1, 0, 0, 1, 0][k]]),
  ])
  expect(await seriesOf(metrics.rpc.clock)).toEqual([
    [7, 'interval', 12],
    [7, 'behind', 2],
  ])
  expect(await seriesOf(metrics.rpc.clockState)).toEqual([
    [7, 'unknown', 0],
    [7, 'moving', 0],
    [7, 'resting', 1],
    [7, 'off', 0],
  ])
  const other = createMetrics()
  exportRpcHealth(other.rpc, 7, {
    endpoints: [],
    clock: { intervalMs: null, behindSeconds: null, state: 'off' },
  } as never)
  expect(await seriesOf(other.rpc.clock)).toEqual([])
})

test('drift is exported for chain, families, DEXes, and pools with samples, and can be removed', async () => {
  const figures = { samples: 3, wouldRevert: 0.25, meanBps: 1.5, medianBps: null, worst5Bps: -9 }
  const none = { samples: 0, wouldRevert: 0, meanBps: 7, medianBps: 7, worst5Bps: 7 }
  const after = { 1: figures, 2: none }
  const pool = { id: 'p', family: 'curve', dex: 'Curve' }
  exportDrift(metrics.drift, 7, {
    ...{ missed: 4, sampleCount: 3, chain: after, families: [{ name: 'curve', after }] },
    ...{ brands: [{ name: 'Curve', after }], pools: [{ ...pool, after }] },
    withdrawing: [{ ...pool, driftPenaltyPpm: 25_000, leftOutUntil: null, samples: 1, withdrew: 1 }],
  } as never)
  const scopes = [
    ['7', 'chain', '7', '1'],
    ['7', 'family', 'curve', '1'],
    ['7', 'brand', 'Curve', '1'],
    ['7', 'pool', 'p', '1'],
  ]
  expect(await seriesOf(metrics.drift.samples)).toEqual(scopes.map((scope) => [...scope, 3]))
  expect(await seriesOf(metrics.drift.wouldRevert)).toEqual(scopes.map((scope) => [...scope, 0.25]))
  expect(await seriesOf(metrics.drift.bps)).toEqual(
    scopes.flatMap((scope) => [
      [...scope, 'mean', 1.5],
      [...scope, 'worst5', -9],
    ]),
  )
  expect(await seriesOf(metrics.drift.driftPenalty)).toEqual([['7', 'p', 'curve', 'Curve', 0.025]])
  expect(await seriesOf(metrics.drift.missed)).toEqual([['7', 4]])
  clearDriftSeries(metrics.drift)
  expect(await seriesOf(metrics.drift.samples)).toEqual([])
})
