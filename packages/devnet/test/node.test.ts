/** Tests when a chain is reverted. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from '../src/node.ts'

const methods: string[] = []
let pendingCounts: string[] = []
const server = createServer(async (req, res) => {
  let body = ''
  for await (const chunk of req) body += chunk
  const { method } = JSON.parse(body) as { method: string }
  methods.push(method)
  const result = method === 'txpool_status' ? { pending: pendingCounts.shift() ?? '0x0', queued: '0x0' } : true
  res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
})
let url: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('a revert waits until mined transactions have left the pool', async () => {
  methods.length = 0
  pendingCounts = ['0x2', '0x1']
  await request(url, 'evm_revert', ['0x0'])
  expect(methods).toEqual(['txpool_status', 'txpool_status', 'txpool_status', 'evm_revert'])
})

test('a revert does not wait forever for transactions that nobody mines', async () => {
  methods.length = 0
  pendingCounts = Array.from({ length: 10_000 }, () => '0x1')
  expect(await request(url, 'evm_revert', ['0x0'])).toBe(true)
  expect(methods.length).toBeLessThan(1000)
})

test('other requests do not read the pool', async () => {
  methods.length = 0
  await request(url, 'evm_snapshot', [])
  expect(methods).toEqual(['evm_snapshot'])
})
