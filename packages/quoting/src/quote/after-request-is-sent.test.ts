import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAddress } from '@sluice/chains'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterRequestIsSent } from './after-request-is-sent.ts'

/** Channel on which undici reports that it writes a request. */
const WRITTEN = 'undici:client:sendHeaders'
const CHAIN_ID = 31_337

/** Answers `eth_call` with four words, as the capability probe expects, and everything else with the chain id. */
const answer = ({ id, method }: { readonly id: number; readonly method: string }) => ({
  jsonrpc: '2.0',
  id,
  result: method === 'eth_call' ? `0x${'1'.padStart(64, '0').repeat(4)}` : `0x${CHAIN_ID.toString(16)}`,
})
const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const requests = JSON.parse(text)
  response.end(JSON.stringify(Array.isArray(requests) ? requests.map(answer) : answer(requests)))
})
beforeAll(async () => {
  await once(node.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => node.close())

test('the work runs after the simulation is written to the socket, also on a kept-alive connection', async () => {
  const { port } = node.address() as AddressInfo
  const rpc = createRpc({ chainId: CHAIN_ID, urls: [`http://127.0.0.1:${port}`] })
  const happened: string[] = []
  const onWritten = () => void happened.push('written')
  subscribe(WRITTEN, onWritten)
  const { signal } = new AbortController()
  const account = toAddress(`0x${'11'.repeat(20)}`)
  const simulate = () => rpc.call({ to: account, data: '0x' }, 'latest', { overrides: { [account]: { code: '0x00' } } })
  // The first call also probes the node's capabilities.
  await simulate()
  for (let k = 0; k < 3; k++) {
    happened.length = 0
    await Promise.all([simulate(), afterRequestIsSent(() => happened.push('worked'), signal)])
    expect(happened).toEqual(['written', 'worked'])
  }
  unsubscribe(WRITTEN, onWritten)
  rpc.close()
})

test('the work does not run after an abort', async () => {
  const controller = new AbortController()
  let worked = 0
  const waiting = afterRequestIsSent(() => worked++, controller.signal)
  controller.abort()
  await waiting
  expect(worked).toBe(0)
})
