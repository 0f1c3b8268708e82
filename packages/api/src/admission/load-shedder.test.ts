/** Tests of requests that are refused before Express sees them, through the app. */
import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { duplexPair } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { account, ONE, served, TWO } from '../../test/src/in-memory.ts'
import { createApp } from '../app.ts'
import { loadConfig } from '../config.ts'

const SWAP = `/aggregator/1?src=${ONE}&dst=${TWO}&amount=1&from=${account('6')}`

/** Serves a chain that refuses each request with a `Retry-After`, or none if that is undefined. */
function refusing(retryAfter: number | undefined, liveChain: object = {}) {
  const app = served(liveChain, { ERROR_VERSION: 'B' })
  const checkedTasks: unknown[] = []
  const { admission } = app.services.chain(1)
  admission.retryAfterIfRefused = (task) => {
    checkedTasks.push(task)
    return retryAfter
  }
  return { ...app, checkedTasks }
}

describe('a chain without capacity', () => {
  test('refuses with 503, the wait, and the id of the request', async () => {
    const { ask } = refusing(7)
    const { status, headers, body } = await ask(SWAP, { headers: { 'x-request-id': 'mine' } })
    expect([status, headers['retry-after'], headers['x-request-id']]).toEqual([503, '7', 'mine'])
    expect(Number(headers['content-length'])).toBe(body.length)
    expect(JSON.parse(body)).toMatchObject({ code: 'OVERLOADED', requestId: 'mine' })
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  test('has the wait of each request, and ids of the service where none was sent', async () => {
    const waits = [3, 9, 3]
    const { ask, services } = refusing(undefined)
    services.chain(1).admission.retryAfterIfRefused = () => waits.shift()
    const answers = [await ask(SWAP), await ask(SWAP), await ask(SWAP)]
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(['3', '9', '3'])
    const ids = answers.map(({ body }) => JSON.parse(body).requestId)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toEqual(answers.map(({ headers }) => headers['x-request-id']))
  })

  test('is asked about the caller and the kind of work, by the address of the connection', async () => {
    const { ask, checkedTasks } = refusing(1)
    await ask(SWAP)
    expect(checkedTasks).toEqual([{ caller: expect.any(String), kind: 'aggregator' }])
  })

  test('counts refusals by endpoint and integrator', async () => {
    const { ask, metrics } = refusing(1)
    const referer = 'https://dex.example/swap'
    for (const headers of [{ referer }, { referer }, {}]) await ask(SWAP, { headers: { ...headers } })
    await ask('/permit/1')
    metrics.backgroundQueue.flush()
    const seriesOf = async (counter: {
      get: () => Promise<{ values: readonly { labels: object; value: number }[] }>
    }) => (await counter.get()).values.map(({ labels, value }) => [...Object.values(labels), value])
    expect(await seriesOf(metrics.requests)).toEqual([
      ['/aggregator/:chainId', 503, 'OVERLOADED', 3],
      ['/permit/:chainId', 503, 'OVERLOADED', 1],
    ])
    const byIntegrator = await seriesOf(metrics.byIntegrator)
    expect(byIntegrator).toContainEqual(['dex.example', '/aggregator/:chainId', 2])
    expect(byIntegrator.reduce((sum, series) => sum + (series.at(-1) as number), 0)).toBe(4)
  })

  test('answers what needs no capacity', async () => {
    const { ask, checkedTasks } = refusing(1, {
      recentResponse: (url: string) => (url.includes('prices') ? '{}' : undefined),
    })
    expect((await ask(SWAP, { method: 'OPTIONS' })).status).toBe(204)
    expect((await ask('/health')).status).toBe(200)
    expect((await ask('/stats/2')).status).toBe(404)
    expect(await ask(`/prices/1?token=${ONE}`)).toMatchObject({ status: 200, body: '{}' })
    expect(checkedTasks).toEqual([])
  })

  test('refuses prices that no answer of this block has, and posted ones always', async () => {
    const { ask } = refusing(1)
    expect((await ask(`/prices/1?token=${ONE}`)).status).toBe(503)
    const cached = refusing(1, { recentResponse: () => '{}' })
    expect((await cached.ask('/prices/1', { method: 'POST' })).status).toBe(503)
    expect((await cached.ask(SWAP)).status).toBe(503)
  })
})

test('a chain with capacity is asked before Express and once more when the request runs; one that sleeps only then', async () => {
  const awake = refusing(undefined)
  expect((await awake.ask('/permit/1')).status).toBe(400)
  expect(awake.checkedTasks).toHaveLength(2)
  const asleep = refusing(undefined)
  Object.assign(asleep.services, { startedChain: () => undefined })
  expect((await asleep.ask('/permit/1')).status).toBe(400)
  expect(asleep.checkedTasks).toHaveLength(1)
})

describe('many refusals on one connection', () => {
  /** Sends requests at once on one connection, and returns how often reading from it was paused. */
  const pausesOf = async (count: number, environment: Readonly<Record<string, string>>): Promise<number> => {
    const { services } = served()
    services.chain(1).admission.retryAfterIfRefused = () => 1
    const { listener } = createApp(services, loadConfig({ WEB_DIR: '/nowhere', ...environment }))
    const [ours, theirs] = duplexPair()
    Object.assign(theirs, { remoteAddress: '203.0.113.5' })
    let pauses = 0
    const pause = theirs.pause.bind(theirs)
    let isCounting = false
    theirs.pause = () => {
      if (isCounting) pauses++
      return pause()
    }
    const server = createServer((request, response) => {
      for (let k = 1; k < count; k++) {
        // Responses that reach nobody: only their number counts here.
        const silent = { writeHead: () => {}, end: () => {} }
        listener(request, silent as never)
      }
      isCounting = true
      listener(request, response)
    })
    server.emit('connection', theirs)
    const sent = send({ createConnection: () => ours as never, path: SWAP })
    sent.end()
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    return pauses
  }

  test('pause it, unless a trusted proxy shares it between callers', async () => {
    expect(await pausesOf(120, {})).toBeGreaterThan(await pausesOf(10, {}))
    expect(await pausesOf(120, { TRUST_PROXY: '203.0.113.5' })).toBe(await pausesOf(10, {}))
  })
})
