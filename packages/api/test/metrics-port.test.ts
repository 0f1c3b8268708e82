/** Tests `METRICS_PORT`. */
import { freePort } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { ask, startWithoutChain } from './src/service.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWithoutChain({ METRICS_PORT: String(await freePort()) })
})
afterAll(() => server.close())

test('a separate metrics port serves metrics only', async () => {
  const { text, type, status } = await ask(server.metricsUrl!)
  expect(status).toBe(200)
  expect(type).toContain('text/plain')
  expect(text).toContain('sluice_rpc_calls_total')
  const origin = new URL(server.metricsUrl!).origin
  for (const path of ['/', '/health', '/chains', '/metrics/1', '/aggregator/1'])
    expect((await ask(`${origin}${path}`)).status, path).toBe(404)
  const posted = await ask(server.metricsUrl!, { method: 'POST' })
  expect(posted.status).toBe(405)
})

test('the public port does not serve metrics', async () => {
  expect((await ask(`${server.url}/health`)).status).toBe(200)
  for (const path of ['/metrics', '/metrics/', '/METRICS', '//metrics', '/%6detrics', '/./metrics?x=1'])
    expect((await ask(`${server.url}${path}`)).text, path).not.toContain('sluice_')
})

test('the metrics port listens on loopback by default', () => {
  expect(new URL(server.metricsUrl!).hostname).toBe('127.0.0.1')
})

test('both ports close when the service stops', async () => {
  const other = await startWithoutChain({ METRICS_PORT: String(await freePort()), METRICS_HOST: '0.0.0.0' })
  expect((await ask(other.metricsUrl!)).status).toBe(200)
  await other.close()
  await expect(fetch(other.metricsUrl!)).rejects.toThrow()
})

test.each(['PORT', 'METRICS_PORT'])('a taken port is refused by the name of its variable, %s', async (variable) => {
  const { port } = new URL(server.url)
  await expect(startWithoutChain({ [variable]: port })).rejects.toThrow(`${variable}: ${port} is in use on `)
})
