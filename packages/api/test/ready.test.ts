import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { ask, startWithoutChain } from './src/service.ts'

const A = `0x${'aa'.repeat(20)}`
let server: RunningServer
beforeAll(async () => {
  server = await startWithoutChain({}, [1, 10])
})
afterAll(() => server.close())

const get = async (path: string) => {
  const { status, text } = await ask(server.url + path)
  return { status, body: JSON.parse(text) }
}

test('a chain that sleeps is ready, and is not woken by the question', async () => {
  expect(await get('/ready/10')).toEqual({ status: 200, body: { chainId: 10, status: 'ready', state: 'asleep' } })
  expect(await get('/ready')).toEqual({ status: 200, body: { status: 'ready', failing: 0, chains: {} } })
})

test('a chain whose node is dead says so and takes nobody down', async () => {
  expect((await get(`/prices/1?token=${A}`)).status).toBe(502)
  const { status, body } = await get('/ready')
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'ready', failing: 1, chains: { 1: { state: 'failing' } } })
  expect((await get('/ready/1')).status).toBe(503)
  expect((await get('/ready/10')).status).toBe(200)
  expect((await ask(`${server.url}/metrics`)).text).toMatch(/^sluice_chain_failing{chain="1"} 1$/m)
})

test('where no chain is left that could be served, the process is not ready', async () => {
  expect((await get(`/prices/10?token=${A}`)).status).toBe(502)
  expect(await get('/ready')).toMatchObject({ status: 503, body: { status: 'not ready', failing: 2 } })
})
