/** Tests chains whose endpoints are all down, over real sockets. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { toAddress } from '@sluice/chains'
import { type Anvil, NodeProxy, startAnvil } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createRpc, type Rpc, type RpcErrorCode } from '../src/index.ts'

let anvil: Anvil
const rpcs: Rpc[] = []
const stops: (() => unknown)[] = []
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.stop())
afterEach(async () => {
  for (const rpc of rpcs.splice(0)) rpc.close()
  for (const stop of stops.splice(0)) await stop()
})

function rpcOf(url: string): Rpc {
  const rpc = createRpc({ chainId: 31337, urls: [url], timeoutMs: 1_000 })
  rpcs.push(rpc)
  return rpc
}

/**
 * Repeats requests until they fail at once, as during an outage. The first ones may time out, because a name server may
 * take longer than a request.
 */
async function untilOut(rpc: Rpc, code: RpcErrorCode): Promise<void> {
  for (let round = 0; round < 40; round++) {
    const start = performance.now()
    const error: unknown = await rpc.gasPrice().catch((reason: unknown) => reason)
    if (performance.now() - start >= 5) continue
    expect(error).toMatchObject({ code })
    return
  }
  throw new Error('failures never came at once')
}

test('a host without an address: after some seconds requests fail at once, with the reason', {
  tags: 'long',
  timeout: 30_000,
}, async () => {
  const rpc = rpcOf('http://node.sluice.invalid:8545')
  await untilOut(rpc, 'UNREACHABLE')
  const results = await Promise.allSettled(Array.from({ length: 1_000 }, () => rpc.gasPrice()))
  for (const result of results)
    expect(result).toMatchObject({ reason: { message: expect.stringMatching(/ENOTFOUND|EAI_/) } })
})

test('a hanging node is probed rarely, and used again once it answers', { tags: 'long', timeout: 60_000 }, async () => {
  const node = await NodeProxy.start(anvil.url)
  stops.push(() => node.stop())
  const rpc = rpcOf(node.url)
  await rpc.gasPrice()
  node.injectFault = () => 'hang'
  await untilOut(rpc, 'TIMEOUT')
  const requestsBefore = node.requestCount
  const results = await Promise.allSettled(Array.from({ length: 500 }, () => rpc.gasPrice()))
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(node.requestCount - requestsBefore).toBeLessThanOrEqual(1)
  node.injectFault = () => undefined
  await expect.poll(() => rpc.gasPrice().catch(() => null), { timeout: 30_000, interval: 50 }).toBeGreaterThan(0n)
  // After that, requests work as before.
  expect(await Promise.all(Array.from({ length: 50 }, () => rpc.gasPrice()))).toHaveLength(50)
})

test('a host that does not complete handshakes costs two connections, for any number of requests', {
  tags: 'long',
  timeout: 30_000,
}, async () => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const rpc = rpcOf(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  let maxSockets = 0
  const watch = setInterval(() => {
    maxSockets = Math.max(maxSockets, sockets.size)
  }, 1)
  stops.push(() => clearInterval(watch))
  for (let round = 0; round < 5; round++)
    await Promise.allSettled(Array.from({ length: 200 }, () => rpc.gasPrice({ timeoutMs: 500 })))
  expect(maxSockets).toBe(2)
})

test('a first endpoint that never answers delays requests with long timeouts only briefly', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  stops.push(() => silent.close())
  const urls = [`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, anvil.url]
  const rpc = createRpc({ chainId: 31337, urls })
  rpcs.push(rpc)
  // The timeout of background discovery; this test has less time.
  const patient = { timeoutMs: 120_000 }
  const to = `0x${'00'.repeat(19)}04` as const
  const results = await Promise.all([
    rpc.getLogs({ address: [], topics: [], fromBlock: 0, toBlock: 0 }, { ...patient, priority: 'scan' }),
    rpc.call({ to: toAddress(to), data: '0x01' }, 'latest', { ...patient, priority: 'background' }),
  ])
  expect(results).toEqual([[], '0x01'])
}, 60_000)
