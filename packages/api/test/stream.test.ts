/** Tests quote streams over HTTP on the local chain: an event for each changed quote, and the reason of the end. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Devnet, NodeProxy } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { EventStreams, sendEvent } from '../src/http/event-streams.ts'
import { ApiError, type RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { EventReader } from './src/event-source.ts'
import { ask, warmUp } from './src/service.ts'

let devnet: Devnet
let server: RunningServer
const readers: EventReader[] = []
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
  await warmUp(server.url, `/quote/31337?${query()}`)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const token = (symbol: string) => devnet.info.tokens[symbol]!.address
const query = (change: Record<string, string> = {}) =>
  new URLSearchParams({ src: token('WETH'), dst: token('USDC'), amount: `${10n ** 18n}`, ...change })
const watch = (change: Record<string, string> = {}, from = server) => {
  const reader = new EventReader(`${from.url}/stream/31337?${query(change)}`)
  readers.push(reader)
  return reader
}
const mine = () => request(devnet.url, 'evm_mine')
const get = async (path: string) => JSON.parse((await ask(server.url + path)).text)

/** Sells native tokens of an account, which moves prices. */
async function sell(index: number): Promise<void> {
  const from = devnet.info.accounts[index]!.address
  const { tx } = await get(`/aggregator/31337?${query({ from, src: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' })}`)
  const transaction = { from, to: tx.to, data: tx.data, value: `0x${BigInt(tx.value).toString(16)}`, gas: '0x1c9c380' }
  await request(devnet.url, 'eth_sendTransaction', transaction)
}

test('a stream sends the response of the endpoint, an event for each unchanged block, and a new response after a change', async () => {
  // Both requests need the same deadline, because each zero byte of calldata costs 12 gas less.
  const deadline = `${Math.floor(Date.now() / 1000) + 3600}`
  const reader = watch({ deadline })
  await reader.until((events) => events.length === 1)
  expect(reader.status).toBe(200)
  expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(reader.headers.get('x-request-id')).toBeTruthy()
  const { event, id, data } = reader.events[0]!
  expect({ event, data }).toEqual({ event: 'quote', data: await get(`/quote/31337?${query({ deadline })}`) })
  expect(id).toBe(data.simulationBlock)

  await mine()
  await reader.until((events) => events.length === 2)
  expect(reader.events[1]).toMatchObject({ event: 'block', id: id! + 1, data: { simulationBlock: id! + 1 } })

  await sell(1)
  await reader.until((events) => events.some(({ event }, k) => k > 0 && event === 'quote'))
  const next = reader.events.at(-1)!
  expect(next.data).toEqual(await get(`/quote/31337?${query({ deadline })}`))
  expect(next.data.toAmount).not.toBe(data.toAmount)
  const ids = reader.events.map(({ id }) => id)
  expect(new Set(ids).size, 'one event a block').toBe(ids.length)
})

test('a stream with a sender includes the transaction; identical streams share their work', async () => {
  const from = devnet.info.accounts[0]!.address
  const [one, other, walletless] = [watch({ from }), watch({ from: from.toLowerCase() }), watch()]
  for (const reader of [one, other, walletless]) await reader.until((events) => events.length > 0)
  expect(one.events[0]!.data.tx).toMatchObject({ from, data: expect.stringMatching(/^0x/) })
  expect(other.events[0]!.data.tx).toEqual({ ...one.events[0]!.data.tx, from: from.toLowerCase() })
  expect(walletless.events[0]!.data.tx).toBeUndefined()
  const metrics = (await ask(`${server.url}/metrics`)).text
  expect(metrics).toContain('sluice_streams{chain="31337",kind="streams"} 3')
  expect(metrics).toContain('sluice_streams{chain="31337",kind="quotes"} 2')
  one.close()
  other.close()
  walletless.close()
  await expect.poll(async () => (await ask(`${server.url}/metrics`)).text).toContain('kind="streams"} 0')
})

test('a refusal is an event of the stream; an invalid request gets an error instead of a stream', async () => {
  const reader = watch({ maxPriceImpact: '0.0001', amount: `${10n ** 20n}` })
  await reader.until((events) => events.length === 1)
  expect(reader.events[0]).toMatchObject({
    event: 'refused',
    data: { code: 'PRICE_IMPACT', error: expect.any(String) },
  })
  await mine()
  await reader.until((events) => events.length === 2)
  expect(reader.events[1]!.event).toBe('block')
  for (const [change, status] of [
    [{ amount: '1.5' }, 400],
    [{ convenienceFee: '11' }, 403],
  ] as const)
    expect((await ask(`${server.url}/stream/31337?${query(change)}`)).status).toBe(status)
  expect((await ask(`${server.url}/stream/5?${query()}`)).status).toBe(404)
  for (const method of ['HEAD', 'POST']) {
    const { status, headers } = await ask(`${server.url}/stream/31337?${query()}`, { method })
    expect([status, headers.get('allow')], method).toEqual([405, 'GET'])
  }
})

test('streams are limited per caller and in total', async () => {
  const small = await startOver(devnet.url, { MAX_STREAMS: '3', MAX_STREAMS_PER_CALLER: '2', TRUST_PROXY: 'true' })
  try {
    const as = (caller: string) =>
      fetch(`${small.url}/stream/31337?${query()}`, { headers: { 'x-forwarded-for': caller } })
    const open = [await as('1.1.1.1'), await as('1.1.1.1')]
    const refused = await as('1.1.1.1')
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    open.push(await as('2.2.2.2'))
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await as('3.3.3.3')).status).toBe(503)
    await open[0]!.body!.cancel()
    await expect.poll(async () => (await as('3.3.3.3')).status).toBe(200)
  } finally {
    await small.close()
  }
})

test('a stream ends with a reason when the service stops, and does not open if the node fails', async () => {
  const proxy = await NodeProxy.start(devnet.url)
  const other = await startOver(proxy.url, { RPC_TIMEOUT_MS: '300' })
  try {
    await warmUp(other.url, `/quote/31337?${query()}`)
    const reader = watch({}, other)
    await reader.until((events) => events.length === 1)
    const closing = other.close()
    await reader.until((events) => events.some(({ event }) => event === 'end'))
    expect(reader.events.at(-1)!.data).toMatchObject({ code: 'NOT_READY' })
    await reader.ended
    await closing
  } finally {
    await proxy.stop()
  }
  const dead = await startOver('http://127.0.0.1:9', { RPC_TIMEOUT_MS: '300' })
  try {
    expect((await ask(`${dead.url}/stream/31337?${query()}`)).status).toBe(502)
  } finally {
    await dead.close()
  }
})

test('streams end when the node of their chain fails', async () => {
  const proxy = await NodeProxy.start(devnet.url)
  const other = await startOver(proxy.url, { RPC_TIMEOUT_MS: '300' })
  try {
    await warmUp(other.url, `/quote/31337?${query()}`)
    const reader = watch({}, other)
    await reader.until((events) => events.length === 1)
    await proxy.stop()
    await reader.until((events) => events.some(({ event }) => event === 'end'))
    expect(reader.events.at(-1)!.data).toMatchObject({ code: 'RPC_FAILED' })
    await reader.ended
  } finally {
    await other.close()
  }
}, 120_000)

/** Opens a stream and reads nothing from it. */
async function unread(from: RunningServer): Promise<Socket> {
  const { hostname, port } = new URL(from.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  await new Promise((resolve) => socket.once('connect', resolve))
  const sender = devnet.info.accounts[0]!.address
  socket.write(`GET /stream/31337?${query({ from: sender })} HTTP/1.1\r\nHost: x\r\n\r\n`)
  return socket
}
const streamsOf = async (from: RunningServer) =>
  Number(/sluice_streams\{chain="31337",kind="streams"\} (\d+)/.exec((await ask(`${from.url}/metrics`)).text)?.[1])

test('a service stops although clients do not read their streams', { tags: 'long', timeout: 90_000 }, async () => {
  const other = await startOver(devnet.url)
  await warmUp(other.url, `/quote/31337?${query()}`)
  const sockets = await Promise.all(Array.from({ length: 20 }, () => unread(other)))
  try {
    await expect.poll(() => streamsOf(other), { timeout: 30_000 }).toBe(20)
    await other.close()
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

/** Fake response of a client that reads nothing. */
class Unread extends EventEmitter {
  writableEnded = false
  writableLength = 0
  readonly written: string[] = []
  destroyed = 0
  write(text: string): boolean {
    this.written.push(text)
    this.writableLength += text.length
    return false
  }
  end(): void {
    this.writableEnded = true
  }
  destroy(): void {
    this.destroyed++
  }
  get response(): ServerResponse {
    return this as unknown as ServerResponse
  }
}

test('a client that does not read is disconnected: at once beyond the buffer limit, soon after the last event', async () => {
  const full = new Unread()
  for (let k = 0; k < 10 && full.destroyed === 0; k++) sendEvent(full.response, 'quote', k, 'x'.repeat(20_000))
  expect(full.destroyed).toBe(1)
  expect(full.written).toHaveLength(2)

  const streams = new EventStreams({ maxTotal: 10, maxPerCaller: 10 })
  const [early, late] = [new Unread(), new Unread()]
  streams.keepAlive(early.response, () => undefined)
  streams.endAll(new ApiError('NOT_READY', 'the service is stopping'))
  // A stream that was about to open when all were ended.
  streams.keepAlive(late.response, () => undefined)
  for (const one of [early, late]) {
    expect(one.written.at(-1)).toContain('NOT_READY')
    await expect.poll(() => one.destroyed, { timeout: 3_000 }).toBe(1)
  }
})
