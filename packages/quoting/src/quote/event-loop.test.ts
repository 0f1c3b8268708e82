import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAddress } from '@sluice/chains'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilSent, workAfterSending } from './event-loop.ts'

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

const account = toAddress(`0x${'11'.repeat(20)}`)
const events: string[] = []
const onWritten = () => void events.push('written')

/** Connects to the node. The first call also probes the node's capabilities. */
async function connect() {
  const { port } = node.address() as AddressInfo
  const rpc = createRpc({ chainId: CHAIN_ID, urls: [`http://127.0.0.1:${port}`] })
  const simulate = () => rpc.call({ to: account, data: '0x' }, 'latest', { overrides: { [account]: { code: '0x00' } } })
  await simulate()
  events.length = 0
  subscribe(WRITTEN, onWritten)
  return {
    simulate,
    close: () => {
      unsubscribe(WRITTEN, onWritten)
      rpc.close()
    },
  }
}

test('the work runs once the simulation is written to the socket, however late it starts', async () => {
  const { simulate, close } = await connect()
  const { signal } = new AbortController()
  for (const readsFirst of [false, true, true]) {
    events.length = 0
    await workAfterSending(
      () => events.push('worked'),
      signal,
      async (onSimulate) => {
        // The simulation waits for other reads of the node first.
        if (readsFirst) await simulate()
        onSimulate()
        await simulate()
        onSimulate()
        await simulate()
      },
    )
    expect(events.filter((event) => event === 'worked')).toHaveLength(1)
    expect(events.indexOf('worked')).toBe(readsFirst ? 2 : 1)
  }
  close()
})

test('blocking work after untilSent finds the reads written', async () => {
  const { simulate, close } = await connect()
  for (let k = 0; k < 3; k++) {
    events.length = 0
    const read = simulate()
    await untilSent([read])
    events.push('worked')
    await read
    expect(events).toEqual(['written', 'worked'])
  }
  close()
})

test('untilSent neither waits for reads that ended nor throws their errors', async () => {
  let turns = 0
  setImmediate(() => turns++)
  await untilSent([Promise.resolve(), Promise.reject(new Error('unreachable'))])
  expect(turns).toBe(0)
})

test('the work runs even if nothing is simulated, but not after an abort or a failure', async () => {
  const controller = new AbortController()
  let worked = 0
  const work = () => worked++
  expect(await workAfterSending(work, controller.signal, async () => 'none')).toBe('none')
  expect(worked).toBe(1)
  const failure = new Error('no such block')
  const failing = workAfterSending(work, controller.signal, () => Promise.reject(failure))
  await expect(failing).rejects.toBe(failure)
  controller.abort()
  await workAfterSending(work, controller.signal, async (onSimulate) => onSimulate())
  expect(worked).toBe(1)
})

test('a failure of the work is thrown', async () => {
  const failure = new Error('bad bound')
  const fail = () => {
    throw failure
  }
  const { signal } = new AbortController()
  await expect(workAfterSending(fail, signal, async (onSimulate) => onSimulate())).rejects.toBe(failure)
})
