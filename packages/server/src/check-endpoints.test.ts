/** Tests of the endpoint check before the start. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkEndpoints } from './check-endpoints.ts'
import { isNewEnough } from './newer-node.ts'

let node: Server
let url: string
beforeAll(async () => {
  node = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x2105"}'))
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}/secret`
})
afterAll(() => void node.close())

test('an endpoint of its own chain is fine', async () => {
  expect(await checkEndpoints({ RPC_URL_8453: url })).toEqual({ mistakes: [], warnings: [] })
  expect(await checkEndpoints({ RPC_URL_8453: url, CHAINS: '1, 8453' })).toEqual({ mistakes: [], warnings: [] })
})

test('an endpoint of another chain, and a chain that is not served, are mistakes with their cure', async () => {
  expect((await checkEndpoints({ RPC_URL_1: url })).mistakes).toEqual([
    expect.stringMatching(/chain 8453, not of 1: use --rpc 8453=/),
  ])
  expect((await checkEndpoints({ RPC_URL_8543: url })).mistakes).toEqual([
    expect.stringMatching(/8543 .*did you mean 8453/),
  ])
  expect((await checkEndpoints({ RPC_URL_999999937: url })).mistakes).toEqual([expect.stringContaining('CHAINS_DIR')])
  expect((await checkEndpoints({ RPC_URL_8453: url, CHAINS: '1' })).mistakes).toEqual([
    expect.stringContaining('--chains 1'),
  ])
})

test('an endpoint that is dead is reported without its key, and the service starts', async () => {
  const { mistakes, warnings } = await checkEndpoints({ RPC_URL_1: 'http://127.0.0.1:9/secret' })
  expect(mistakes).toEqual([])
  expect(warnings).toEqual([expect.stringMatching(/^127\.0\.0\.1:9 of chain 1 does not answer/)])
  expect(warnings.join()).not.toContain('secret')
})

test.each([
  ['me:secr%40t', 'me:secr@t'],
  [':50%off', ':50%off'],
])('an endpoint with the credentials %s gets them as a header, as in the service', async (credentials, expected) => {
  const authorizations: unknown[] = []
  const guardedNode = createServer(({ headers }, response) => {
    authorizations.push(headers.authorization)
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x2105"}')
  })
  await new Promise<void>((resolve) => guardedNode.listen(0, '127.0.0.1', resolve))
  const { port } = guardedNode.address() as AddressInfo
  const report = await checkEndpoints({ RPC_URL_8453: `http://${credentials}@127.0.0.1:${port}/key` })
  guardedNode.close()
  expect(report).toEqual({ mistakes: [], warnings: [] })
  expect(authorizations).toEqual([`Basic ${btoa(expected)}`])
})

test('no warning contains the credentials or the text of a wrong URL', async () => {
  const urls = [
    'http://me:secret@127.0.0.1:9/secret',
    'secret',
    'ftp://me:secret@host/secret',
    'http://%:%secret@127.0.0.1:9',
  ]
  const { mistakes, warnings } = await checkEndpoints({ RPC_URL_1: urls.join() })
  expect(mistakes).toEqual([])
  expect(warnings).toHaveLength(urls.length)
  expect(warnings.join()).not.toContain('secret')
})

test('Node 22.15 is new enough, and 22.14 is not', () => {
  expect(['22.15.0', '24.0.0', '23.1.0'].map(isNewEnough)).toEqual([true, true, true])
  expect(['22.14.9', '20.18.0', '18.20.1'].map(isNewEnough)).toEqual([false, false, false])
})
