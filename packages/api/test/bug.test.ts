/** Tests how an unexpected exception in a dependency of the app appears to clients and operators. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadRegistry } from '@sluice/chains'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { createMetrics } from '../src/metrics.ts'
import { Services } from '../src/services.ts'
import { ask } from './src/service.ts'

const SECRET = 'https://node.example/v2/the-key-of-the-operator'

class BrokenServices extends Services {
  override chain(): never {
    throw new TypeError(`cannot read properties of undefined, from ${SECRET}`)
  }
}

describe.each(['A', 'B'] as const)('version %s', (version) => {
  let server: Server
  let url: string
  const lines: string[] = []
  const metrics = createMetrics()
  beforeAll(async () => {
    const config = loadConfig({ ERROR_VERSION: version })
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
    server = createServer(createApp(new BrokenServices(loadRegistry(), config, metrics, log), config).listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  test.each(['aggregator', 'simulate', 'prices', 'liquidity'])(
    'an unexpected error in /%s is a 500 with an id and no details',
    async (endpoint) => {
      lines.length = 0
      const { status, type, text, headers } = await ask(`${url}/${endpoint}/1`, {
        headers: { 'x-request-id': 'trace-7' },
      })
      expect(status).toBe(500)
      expect(headers.get('x-request-id')).toBe('trace-7')
      const words = 'unexpected error; please report it with the request id'
      if (version === 'A') expect({ type, text }).toEqual({ type: 'text/plain', text: `${words} trace-7` })
      else expect(JSON.parse(text)).toMatchObject({ error: `${words} trace-7`, code: 'INTERNAL', requestId: 'trace-7' })
      expect(text).not.toContain(SECRET)

      metrics.backgroundQueue.flush()
      const logged = lines.map((line) => JSON.parse(line))
      expect(logged.find(({ msg }) => msg === 'unexpected error')).toMatchObject({
        requestId: 'trace-7',
        err: { type: 'TypeError', stack: expect.stringContaining('bug.test.ts') },
      })
      expect(logged.find(({ msg }) => msg === 'request')).toMatchObject({
        requestId: 'trace-7',
        status: 500,
        code: 'INTERNAL',
      })
    },
  )

  test('the service keeps answering', async () => {
    expect((await ask(`${url}/health`)).status).toBe(200)
    const { text } = await ask(`${url}/metrics`)
    expect(text).toContain('status="500",code="INTERNAL"')
  })
})
