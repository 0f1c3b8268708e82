import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Exporter } from './exporter.ts'
import type { FinishedSpan } from './otlp.ts'

const SPAN: FinishedSpan = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentId: undefined,
  name: 'GET /chains',
  kind: 'server',
  attributes: {},
  startedAtMs: 1,
  endedAtMs: 2,
  hasFailed: false,
}

/** Starts a collector whose first response waits for `respond`. Later requests get the same status immediately. */
async function startCollector(status: number) {
  const requests: ServerResponse[] = []
  const collector = createServer((request, response) => {
    request.resume()
    requests.push(response)
    if (requests.length > 1) response.writeHead(status).end()
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const respond = () => requests[0]!.writeHead(status).end()
  return { collector, endpoint, requests, respond }
}

/** Closes an exporter with 513 spans while a request with 512 of them is in flight. Returns the counts after it. */
async function closeWithRequestInFlight(status: number) {
  const { collector, endpoint, requests, respond } = await startCollector(status)
  let lostCount = 0
  const exporter = new Exporter({ endpoint, headers: {}, resource: {}, onLost: (spans) => (lostCount += spans) })
  const firstRequest = once(collector, 'request')
  for (let k = 0; k < 513; k++) exporter.add(SPAN)
  await firstRequest
  const closed = exporter.close()
  respond()
  await closed
  const requestsAtClose = requests.length
  // A request that `close` left in flight arrives before or together with this one.
  await fetch(endpoint, { method: 'POST' })
  const laterRequests = requests.length - requestsAtClose - 1
  collector.close()
  return { requestsAtClose, laterRequests, lostCount }
}

test('close sends the spans that are queued behind a request in flight, and waits for the response', async () => {
  expect(await closeWithRequestInFlight(200)).toEqual({ requestsAtClose: 2, laterRequests: 0, lostCount: 0 })
})

test('close starts no request after the request in flight has failed', async () => {
  expect(await closeWithRequestInFlight(500)).toEqual({ requestsAtClose: 1, laterRequests: 0, lostCount: 512 })
})
