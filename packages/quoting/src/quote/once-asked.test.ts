import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAddress } from '@sluice/chains'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onceAsked } from './once-asked.ts'

/** Channel on which undici tells that it writes a request. */
const WRITTEN = 'undici:client:sendHeaders'
const CHAIN_ID = 31_337

/** Answers calls with four words, as the probe of what a node can do does, and everything else with the chain. */
const answer = ({ id, method }: { readonly id: number; readonly method: string }) => ({
  jsonrpc: '2.0',
  id,
  result: method === 'eth_call' ? `0x${'1'.padStart(64, '0').repeat(4)}` : `0x${CHAIN_ID.toString(16)}`,
})
const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const asked = JSON.parse(text)
  response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
})
beforeAll(async () => {
  await once(node.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => node.close())

test('work that waits for nothing is begun when a simulation has been written, to a kept connection too', async () => {
  const { port } = node.address() as AddressInfo
  const rpc = createRpc({ chainId: CHAIN_ID, urls: [`http://127.0.0.1:${port}`] })
  const happened: string[] = []
  const onWritten = () => void happened.push('written')
  subscribe(WRITTEN, onWritten)
  const { signal } = new AbortController()
  const account = toAddress(`0x${'11'.repeat(20)}`)
  const simulate = () => rpc.call({ to: account, data: '0x' }, 'latest', { overrides: { [account]: { code: '0x00' } } })
  // What the node can do is asked before the first.
  await simulate()
  for (let k = 0; k < 3; k++) {
    happened.length = 0
    await Promise.all([simulate(), onceAsked(() => happened.push('worked'), signal)])
    expect(happened).toEqual(['written', 'worked'])
  }
  unsubscribe(WRITTEN, onWritten)
  rpc.close()
})

test('nothing is begun for a request that was given up', async () => {
  const controller = new AbortController()
  let worked = 0
  const waiting = onceAsked(() => worked++, controller.signal)
  controller.abort()
  await waiting
  expect(worked).toBe(0)
})
