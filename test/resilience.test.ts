/** Tests the service while its node is unreachable. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Devnet, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devnetDir, type Service, serviceEnv, startProcess } from './src/service.ts'
import { get, quote, type SwapQuery, send, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

/** A TCP connection to the node that can be cut and restored. */
class Wire {
  private readonly sockets = new Set<Socket>()
  private server: Server | undefined
  private readonly target: number
  port = 0

  constructor(target: number) {
    this.target = target
  }
  async mend() {
    this.server = createServer((client) => {
      const upstream = connect(this.target, '127.0.0.1')
      for (const socket of [client, upstream]) {
        this.sockets.add(socket)
        socket.on('error', () => socket.destroy())
        socket.on('close', () => this.sockets.delete(socket))
      }
      client.pipe(upstream).pipe(client)
    })
    await new Promise<void>((resolve) => this.server?.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.server.address() as AddressInfo).port
  }
  async cut() {
    const closed = new Promise<void>((resolve) => this.server?.close(() => resolve()))
    for (const socket of this.sockets) socket.destroy()
    await closed
  }
}

let devnet: Devnet
let service: Service
let node: Node
let wire: Wire
let query: SwapQuery

beforeAll(async () => {
  devnet = await startDevnet({ dir: devnetDir })
  node = new Node(devnet.url)
  wire = new Wire(Number(new URL(devnet.url).port))
  await wire.mend()
  service = await startProcess({
    ...serviceEnv(devnet),
    [`RPC_URL_${devnet.chainId}`]: `http://127.0.0.1:${wire.port}`,
  })
  const { tokens, accounts } = devnet.info
  query = { src: tokens.WETH!.address, dst: tokens.USDC!.address, amount: 10n ** 18n, from: accounts[0]!.address }
})
afterAll(async () => {
  await service?.stop()
  await wire?.cut()
  await devnet?.stop()
})

test('a dead node gives 502, and the service recovers by itself when it is back', async () => {
  await quote(service.url, devnet.chainId, query)
  await wire.cut()
  const dead = await get<{ error: string }>(swapUrl(service.url, devnet.chainId, query))
  expect(dead.status, JSON.stringify(dead.body)).toBe(502)
  expect(dead.body.error).not.toMatch(/at .*\.ts:\d+/)
  expect((await get(`${service.url}/chains`)).status).toBe(200)
  await wire.mend()
  const deadline = Date.now() + 15_000
  while ((await get(swapUrl(service.url, devnet.chainId, query))).status !== 200) {
    expect(Date.now(), 'the service did not recover').toBeLessThan(deadline)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
})

test('a head that moves backwards is followed: the next quote uses the old state', async () => {
  const before = await quote(service.url, devnet.chainId, query)
  const snapshot = await node.request<string>('evm_snapshot')
  await node.approve(query.src, query.from, before.tx.to, 200n * 10n ** 18n)
  for (let swap = 0; swap < 3; swap++) {
    const route = await quote(service.url, devnet.chainId, { ...query, amount: 20n * 10n ** 18n, maxPriceImpact: 100 })
    expect((await send(node, route)).receipt.status).toBe(true)
  }
  const moved = await quote(service.url, devnet.chainId, query)
  expect(BigInt(moved.toAmount)).toBeLessThan(BigInt(before.toAmount))
  await node.undo(snapshot)
  const deadline = Date.now() + 10_000
  let after = await quote(service.url, devnet.chainId, query)
  while (after.toAmount !== before.toAmount && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    after = await quote(service.url, devnet.chainId, query)
  }
  expect(after.toAmount).toBe(before.toAmount)
})

test('minimumBlock far ahead of the head is refused with 503 and Retry-After', async () => {
  const head = Number(await node.request<string>('eth_blockNumber'))
  const { status, headers } = await get(swapUrl(service.url, devnet.chainId, { ...query, minimumBlock: head + 50 }))
  expect(status).toBe(503)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  const route = await quote(service.url, devnet.chainId, { ...query, minimumBlock: head })
  expect(route.simulationBlock).toBeGreaterThanOrEqual(head)
})

test('two starts of the local chain have the same quotes', { tags: 'long' }, async () => {
  const quotes: string[] = []
  for (let start = 0; start < 2; start++) {
    const fresh = await startDevnet({ dir: devnetDir })
    const api = await startProcess(serviceEnv(fresh))
    try {
      const { toAmount, swaps } = await quote(api.url, fresh.chainId, {
        ...query,
        amount: 50n * 10n ** 18n,
        maxPriceImpact: 100,
      })
      quotes.push(JSON.stringify({ toAmount, swaps }))
    } finally {
      await api.stop()
      await fresh.stop()
    }
  }
  expect(quotes[0]).toBe(quotes[1])
})
