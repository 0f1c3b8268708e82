import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAddress } from '@sluice/chains'
import { type Anvil, startAnvil } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../src/client.ts'

let anvil: Anvil
const account = toAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
const contract = toAddress('0x00000000000000000000000000000000000c0de0')

beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.stop())

const rpcOf = (...urls: string[]) => createRpc({ chainId: 31337, urls, timeoutMs: 1500, ejectMs: 200 })

test('requests of the same tick get their own responses', async () => {
  const rpc = rpcOf(anvil.url)
  const [block, price, code] = await Promise.all([
    rpc.getBlock('latest'),
    rpc.gasPrice(),
    rpc.getCode(account, 'latest'),
  ])
  expect(block?.number).toBe(0)
  expect(price).toBeGreaterThan(0n)
  expect(code).toBe('0x')
})

test('a call with code put in place by an override runs that code', async () => {
  // PUSH1 42 PUSH0-free: 602a600052602060 00f3 returns the word 42
  const answer = await rpcOf(anvil.url).call({ to: contract, data: '0x' }, 'latest', {
    overrides: { [contract]: { code: '0x602a60005260206000f3' } },
  })
  expect(BigInt(answer)).toBe(42n)
})

test('a revert is distinguished from a node failure, and has its data', async () => {
  const overrides = { [contract]: { code: '0x602a60005260206000fd' as const } }
  await expect(rpcOf(anvil.url).call({ to: contract, data: '0x' }, 'latest', { overrides })).rejects.toMatchObject({
    code: 'REVERTED',
    data: `0x${'2a'.padStart(64, '0')}`,
  })
})

test('an unknown method fails with the error of the node', async () => {
  await expect(rpcOf(anvil.url).request('eth_nothing', [])).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('a dead endpoint is skipped, and a single dead one is UNREACHABLE', async () => {
  const dead = 'http://127.0.0.1:9'
  expect((await rpcOf(dead, anvil.url).getBlock('latest'))?.number).toBe(0)
  await expect(rpcOf(dead).getBlock('latest')).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('an endpoint of another chain is rejected', async () => {
  const other = await startAnvil({ chainId: 5 })
  try {
    await expect(rpcOf(other.url).getBlock('latest')).rejects.toMatchObject({ code: 'WRONG_CHAIN' })
    expect((await rpcOf(other.url, anvil.url).getBlock('latest'))?.number).toBe(0)
  } finally {
    await other.stop()
  }
})

test('a node that never answers times out, and a caller can abort earlier', async () => {
  const mute = createServer(() => {})
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`
  try {
    const rpc = createRpc({ chainId: 31337, urls: [url], timeoutMs: 100 })
    await expect(rpc.gasPrice()).rejects.toMatchObject({ code: 'TIMEOUT' })
    const caller = new AbortController()
    const answer = rpc.gasPrice({ signal: caller.signal, timeoutMs: 5000 })
    caller.abort()
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' })
  } finally {
    mute.closeAllConnections()
    mute.close()
  }
})

test('an answer that is not JSON is a failure of the endpoint', async () => {
  const html = createServer((_, response) => response.end('<html>busy</html>'))
  await new Promise<void>((resolve) => html.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(html.address() as AddressInfo).port}`
  await expect(rpcOf(url).gasPrice()).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  html.close()
})
