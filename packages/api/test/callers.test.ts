/** Tests fairness between callers: each gets a share of the capacity and of the connections. */
import { connect } from 'node:net'
import { type Devnet, NodeProxy } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connection, getRequest } from '../../../bench/load/connection.ts'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

const GREEDY = '127.0.0.66'
const POLITE = '127.0.0.2'

let devnet: Devnet
let proxy: NodeProxy
const servers: RunningServer[] = []
beforeAll(async () => {
  devnet = await startChain()
  proxy = await NodeProxy.start(devnet.url)
})
afterAll(async () => {
  for (const server of servers) await server.close()
  await proxy?.stop()
  await devnet?.stop()
})
async function start(env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const server = await startOver(proxy.url, env)
  servers.push(server)
  return server
}

let requestCount = 0
function swapPath(): string {
  const { tokens, accounts } = devnet.info
  const swap = { src: tokens.WETH!.address, dst: tokens.USDC!.address, from: accounts[0]!.address }
  return `/aggregator/31337?${new URLSearchParams({ ...swap, amount: String(10n ** 18n + BigInt(requestCount++)) })}`
}

test.skipIf(process.platform !== 'linux')(
  'one caller with sixteen connections shares equally with another caller',
  async () => {
    const { url } = await start({ MAX_CONCURRENT: '2', MAX_WAIT_MS: '60000' })
    expect((await ask(url + swapPath())).status).toBe(200)
    proxy.delayMs = 40
    let over = false
    let takenCount = 0
    const greedy = Array.from({ length: 16 }, async () => {
      const connection = await Connection.open(url, GREEDY)
      while (!over) {
        expect((await connection.send(getRequest(swapPath()))).status).toBe(200)
        takenCount++
      }
      connection.close()
    })
    const polite = await Connection.open(url, POLITE)
    while (takenCount < 16) await new Promise((resolve) => setTimeout(resolve, 10))
    const before = takenCount
    const requests = 10
    for (let k = 0; k < requests; k++) expect((await polite.send(getRequest(swapPath()))).status).toBe(200)
    const passed = (takenCount - before) / requests
    over = true
    polite.close()
    await Promise.all(greedy)
    proxy.delayMs = 0
    // In order of arrival, sixteen requests would be served before each.
    expect(passed).toBeLessThan(6)
  },
  60_000,
)

test.skipIf(process.platform !== 'linux')('connections are limited per address', async () => {
  const { url } = await start({ MAX_CONNECTIONS_PER_CALLER: '3' })
  const health = getRequest('/health')
  const open = await Promise.all([1, 2, 3].map(() => Connection.open(url, GREEDY)))
  for (const connection of open) expect((await connection.send(health)).status).toBe(200)
  const port = Number(new URL(url).port)
  const refused = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', localAddress: GREEDY })
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(text))
  })
  expect(refused).toMatch(/^HTTP\/1.1 503 .*"code":"OVERLOADED"/s)
  const other = await Connection.open(url, POLITE)
  expect((await other.send(health)).status).toBe(200)
  open[0]!.close()
  await expect
    .poll(async () => {
      const again = await Connection.open(url, GREEDY)
      const status = await again.send(health).then(
        ({ status }) => status,
        () => 0,
      )
      again.close()
      return status
    })
    .toBe(200)
  for (const connection of [...open, other]) connection.close()
})

test('a connection that pipelines too many requests is closed, and the service keeps answering', async () => {
  const { url } = await start({})
  const port = Number(new URL(url).port)
  await new Promise<void>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(Array.from({ length: 2_000 }, () => getRequest(swapPath())).join(''))
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume()
  })
  expect((await ask(`${url}/health`)).status).toBe(200)
  await expect
    .poll(async () => (await ask(`${url}/metrics`)).text, { timeout: 10_000 })
    .toMatch(/sluice_chain_requests{chain="31337",state="waiting"} 0/)
})
