/** Tests that the service answers requests in flight when signals stop it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startProcess } from './src/service.ts'

const QUOTE =
  'src=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2&dst=0xdac17f958d2ee523a2206206994597c13d831ec7&amount=1000000000000000000'

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    () => true,
    () => false,
  )
}

test('a request in flight is answered although the signal arrives twice, as by Ctrl-C under npm', async () => {
  const release = Promise.withResolvers<void>()
  const node = createServer(async (_, response) => {
    await release.promise
    response.writeHead(503).end()
  })
  await once(node.listen(0, '127.0.0.1'), 'listening')
  const rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const service = await startProcess({ RPC_URL_1: rpcUrl, CHAINS: '1', SHUTDOWN_GRACE_MS: '60000' })
  try {
    const exited = once(service.process, 'exit')
    const isAsked = once(node, 'request')
    const answer = fetch(`${service.url}/quote/1?${QUOTE}`).then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
    await isAsked
    service.process.kill('SIGINT')
    // The service stops to listen as soon as it handles the signal.
    while (await isListening(service.url)) await setTimeout(20)
    service.process.kill('SIGINT')
    release.resolve()
    expect(await answer).toBe(502)
    expect(await exited).toEqual([0, null])
  } finally {
    service.process.kill('SIGKILL')
    node.closeAllConnections()
    node.close()
  }
})
