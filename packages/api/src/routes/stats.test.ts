/** Tests of the endpoints for operators and of figures of drift, with the chain in memory. */
import { describe, expect, test } from 'vitest'
import { served } from '../../test/src/in-memory.ts'

const figures = (change: object = {}) => ({
  ...{ samples: 3, wouldRevert: 0.123_456, meanBps: 1.235, medianBps: -0.004, worst5Bps: null },
  ...change,
})
const after = { 1: figures(), 2: figures({ samples: 0, wouldRevert: 0, meanBps: null, medianBps: null }) }
const blocks = [
  { after: 1, samples: 3, wouldRevertPercent: 12.35, driftBps: { mean: 1.24, median: -0, worst5: null } },
  { after: 2, samples: 0, wouldRevertPercent: 0, driftBps: { mean: null, median: null, worst5: null } },
]

/** JSON has no negative zero. */
const roundTrip = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('/stats', () => {
  const limits: unknown[] = []
  const { ask } = served({
    driftPercent: 1,
    drift: (limit: unknown) => {
      limits.push(limit)
      const pool = { id: 'pool', family: 'curve', dex: 'Curve' }
      return {
        ...{ sampleCount: 9, missed: 2, chain: after, families: [{ name: 'curve', after }] },
        ...{ brands: [{ name: 'Curve', after }], pools: [{ ...pool, after }] },
        withdrawing: [{ ...pool, driftPenaltyPpm: 25_000, leftOutUntil: 70, samples: 1.006, withdrew: 0.994 }],
      }
    },
  })

  test('has figures of the chain, families, DEXes, and pools, rounded to two decimals', async () => {
    expect(JSON.parse((await ask('/stats/1?limit=7')).body)).toEqual({
      ...{ chainId: 1, samplePercent: 1, samples: 9, missed: 2, blocks: roundTrip(blocks) },
      families: [{ protocol: 'curve', blocks: roundTrip(blocks) }],
      brands: [{ dex: 'Curve', blocks: roundTrip(blocks) }],
      pools: [{ pool: 'pool', protocol: 'curve', dex: 'Curve', blocks: roundTrip(blocks) }],
      withdrawing: [
        {
          ...{ pool: 'pool', protocol: 'curve', dex: 'Curve', haircutPercent: 2.5, leftOutUntil: 70 },
          ...{ samples: 1.01, withdrew: 0.99 },
        },
      ],
    })
    expect(limits).toEqual([7])
  })
})

describe('readiness', () => {
  const chain = (chainId: number, state: string) => ({ liveChain: { status: () => ({ chainId, state, head: 5 }) } })
  const readyWith = async (change: object) => {
    const { ask, services } = served()
    Object.assign(services, change)
    const { status, body, headers } = await ask('/ready')
    expect(headers['cache-control']).toBe('no-store')
    return [status, JSON.parse(body)]
  }

  test('lists the chains that have started', async () => {
    expect(await readyWith({ startedChains: [chain(1, 'following')] })).toEqual([
      200,
      { status: 'ready', chains: { 1: { state: 'following', head: 5 } } },
    ])
  })

  test('is denied if all chains fail, but not if some do', async () => {
    const registry = { supportedIds: () => [1, 2] }
    expect(await readyWith({ registry, startedChains: [chain(1, 'failing'), chain(2, 'asleep')] })).toMatchObject([
      200,
      {},
    ])
    const failing = [chain(1, 'failing'), chain(2, 'failing')]
    expect(await readyWith({ registry, startedChains: failing })).toMatchObject([503, { status: 'not ready' }])
  })

  test('is denied while the service ends, or Redis is not ready', async () => {
    expect((await readyWith({ isClosing: true }))[0]).toBe(503)
    const scaleOut = (isReady: boolean) => ({ isReady, status: () => ({ state: 'away' }), scans: new Map() })
    expect(await readyWith({ scaleOut: scaleOut(false) })).toMatchObject([503, { bus: { state: 'away' } }])
    expect((await readyWith({ scaleOut: scaleOut(true) }))[0]).toBe(200)
  })

  test('of one chain is denied while it fails or the service ends, and not while it sleeps', async () => {
    const readyChain = async (state: string, change: object = {}) => {
      const { ask, services } = served({ status: () => ({ chainId: 1, state, head: 5 }) })
      Object.assign(services, change)
      const { status, body } = await ask('/ready/1')
      return [status, JSON.parse(body)]
    }
    expect(await readyChain('asleep')).toEqual([200, { status: 'ready', chainId: 1, state: 'asleep', head: 5 }])
    expect(await readyChain('failing')).toMatchObject([503, { status: 'not ready' }])
    expect(await readyChain('following', { isClosing: true })).toMatchObject([503, { status: 'not ready' }])
  })
})

describe('metrics of several processes', () => {
  test('say whether Redis is there or full, and how many chains the process owns', async () => {
    const seriesIn = async (state: string) => {
      const { ask, services } = served()
      const scaleOut = { status: () => ({ state, owned: [1, 5] }), scans: new Map(), isReady: true }
      Object.assign(services, { scaleOut })
      const { body, headers } = await ask('/metrics')
      expect(headers['cache-control']).toBe('no-store')
      return Object.fromEntries(
        [...body.matchAll(/^sluice_bus\w*\{what="(\w+)"\} (\d+)$/gm)].map(([, name, n]) => [name, n]),
      )
    }
    expect(await seriesIn('ready')).toEqual({ connected: '1', full: '0', owned: '2' })
    expect(await seriesIn('away')).toEqual({ connected: '0', full: '0', owned: '2' })
    expect(await seriesIn('full')).toEqual({ connected: '1', full: '1', owned: '2' })
  })
})
