import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAddress } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../src/client.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}` as const
const [requestedHash, another] = [hash('a'), hash('b')]
const logOf = (blockHash: string, logIndex: number) => ({
  ...{ address: toAddress(`0x${'1'.repeat(40)}`), topics: [hash('c')], data: '0x', blockNumber: '0x7', blockHash },
  ...{ transactionHash: hash('d'), transactionIndex: '0x0', logIndex: `0x${logIndex}`, removed: false },
})

let logs: readonly unknown[] = []
/** A node that answers eth_getLogs with `logs`. */
const node = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString())
  const answer = ({ id, method }: { id: number; method: string }) => {
    const results: Record<string, unknown> = { eth_chainId: '0x7a69', eth_getLogs: logs }
    return method in results
      ? { jsonrpc: '2.0', id, result: results[method] }
      : { jsonrpc: '2.0', id, error: { code: -32601, message: 'the method does not exist' } }
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)))
})
beforeAll(() => new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  node.closeAllConnections()
  node.close()
})

test.each([
  ['all logs of another block', [another, another]],
  ['the first log of another block', [another, requestedHash]],
  ['the last log of another block', [requestedHash, another]],
])('an answer with %s is refused', async (_, hashes) => {
  logs = hashes.map(logOf)
  const rpc = createRpc({ chainId: 31337, urls: [`http://127.0.0.1:${(node.address() as AddressInfo).port}`] })
  await expect(rpc.getLogs({ blockHash: requestedHash })).rejects.toMatchObject({ code: 'BAD_ANSWER' })
})

test('an answer with logs of the requested block is passed on', async () => {
  logs = [logOf(requestedHash, 0), logOf(requestedHash, 1)]
  const rpc = createRpc({ chainId: 31337, urls: [`http://127.0.0.1:${(node.address() as AddressInfo).port}`] })
  expect((await rpc.getLogs({ blockHash: requestedHash })).map(({ blockHash }) => blockHash)).toEqual([
    requestedHash,
    requestedHash,
  ])
})
