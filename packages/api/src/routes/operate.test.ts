/** Tests of the endpoints for operators. */
import { describe, expect, test } from 'vitest'
import { served } from '../../test/src/in-memory.ts'

type State = 'awake' | 'asleep' | 'failing'
type World = { readonly states?: readonly State[]; readonly isClosing?: boolean; readonly scaleOut?: object }

/** Serves chains with the given states. The registry supports one chain. */
function operated({ states = [], isClosing = false, scaleOut }: World) {
  const chainOf = (state: State, k: number) => ({ liveChain: { status: () => ({ chainId: k + 1, state, head: 9 }) } })
  const app = served({ status: () => ({ chainId: 1, state: states[0] ?? 'asleep' }) })
  Object.assign(app.services, { startedChains: states.map(chainOf), isClosing, scaleOut })
  return app
}

const redis = (isReady: boolean) => ({
  ...{ isReady, scans: new Map() },
  status: () => ({ state: 'connected', owned: [] }),
})

describe('/health', () => {
  test('names the uptime in whole seconds', async () => {
    const before = Math.round(process.uptime())
    const { body, headers } = await operated({ isClosing: true }).ask('/health')
    const after = Math.round(process.uptime())
    const { uptimeSeconds, ...rest } = JSON.parse(body)
    expect(rest).toEqual({ status: 'ok' })
    expect(Number.isInteger(uptimeSeconds)).toBe(true)
    expect(uptimeSeconds).toBeGreaterThanOrEqual(before)
    expect(uptimeSeconds).toBeLessThanOrEqual(after)
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('/ready', () => {
  test.each<[string, World, number]>([
    ['without a request for a chain', {}, 200],
    ['while a chain works', { states: ['awake'] }, 200],
    ['while the only chain fails', { states: ['failing'] }, 503],
    ['while the process stops', { isClosing: true }, 503],
    ['while Redis is ready', { scaleOut: redis(true) }, 200],
    ['while Redis is not ready', { states: ['awake'], scaleOut: redis(false) }, 503],
  ])('%s: %j answers %d', async (_, world, expected) => {
    const { status, body } = await operated(world).ask('/ready')
    expect([status, JSON.parse(body).status]).toEqual([expected, expected === 200 ? 'ready' : 'not ready'])
  })

  test('is ready while some chains work, and lists each chain', async () => {
    const app = operated({ states: ['failing', 'asleep'] })
    Object.assign(app.services.registry, { supportedIds: () => [1, 2] })
    const { status, body, headers } = await app.ask('/ready')
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(JSON.parse(body)).toEqual({
      status: 'ready',
      chains: { 1: { state: 'failing', head: 9 }, 2: { state: 'asleep', head: 9 } },
    })
  })

  test('has the state of Redis if it is used', async () => {
    const { body } = await operated({ scaleOut: redis(true) }).ask('/ready')
    expect(JSON.parse(body).bus).toEqual({ state: 'connected', owned: [] })
  })
})

describe('/ready/{chain}', () => {
  test.each<[World, number]>([
    [{ states: ['awake'] }, 200],
    [{ states: ['asleep'] }, 200],
    [{ states: ['failing'] }, 503],
    [{ states: ['awake'], isClosing: true }, 503],
  ])('%j answers %d', async (world, expected) => {
    const { status, body, headers } = await operated(world).ask('/ready/1')
    expect([status, headers['cache-control']]).toEqual([expected, 'no-store'])
    expect(JSON.parse(body)).toEqual({
      status: expected === 200 ? 'ready' : 'not ready',
      ...{ chainId: 1, state: world.states![0] },
    })
  })
})

describe('/metrics', () => {
  const gauges = async (scaleOut?: object) => {
    const { body } = await operated({ scaleOut: scaleOut as object }).ask('/metrics')
    return body.split('\n').filter((line) => /^sluice_(bus|scan)/.test(line))
  }

  test('shows no Redis without one', async () => {
    expect(await gauges()).toEqual([])
  })

  test.each([
    ['connected', 1, 0],
    ['full', 1, 1],
    ['away', 0, 0],
  ])('shows that Redis is %s', async (state, isConnected, isFull) => {
    const scaleOut = { status: () => ({ state, owned: [1, 5] }), scans: new Map() }
    expect(await gauges(scaleOut)).toEqual([
      `sluice_bus{what="connected"} ${isConnected}`,
      `sluice_bus{what="full"} ${isFull}`,
      'sluice_bus{what="owned"} 2',
    ])
  })

  test('shows the scans of chains that this process indexes', async () => {
    const scans = new Map([
      [5, { state: 'scanning', progress: 0.5, blocksLeft: 70, blocksPerCall: 7 }],
      [6, { state: 'waiting', progress: 0 }],
    ])
    const lines = await gauges({ status: () => ({ state: 'connected', owned: [5, 6] }), scans })
    for (const line of [
      'sluice_scan{chain="5",what="progress"} 0.5',
      'sluice_scan{chain="5",what="blocks_left"} 70',
      'sluice_scan{chain="5",what="blocks_per_call"} 7',
      'sluice_scan{chain="6",what="blocks_left"} 0',
      'sluice_scan{chain="6",what="blocks_per_call"} 0',
    ])
      expect(lines).toContain(line)
    expect(lines.filter((line) => /^sluice_scan_state.* 1$/.test(line))).toEqual([
      'sluice_scan_state{chain="5",state="scanning"} 1',
      'sluice_scan_state{chain="6",state="waiting"} 1',
    ])
    expect(lines.filter((line) => line.startsWith('sluice_scan_state'))).toHaveLength(10)
  })

  test('counts what the queue of the background holds, and forgets drift that is no longer known', async () => {
    const { ask, metrics } = operated({})
    metrics.drift.missed.set({ chain: '1' }, 3)
    metrics.backgroundQueue.add(() => metrics.quotes.inc({ chain: 1, how: 'found' }))
    const { body, headers } = await ask('/metrics')
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toContain('sluice_quotes_total{chain="1",how="found"} 1')
    expect(body).not.toContain('sluice_drift_missed{')
  })
})
