/**
 * Tests clients that send single bytes slowly to hold connections open (slowloris).
 *
 * @module-tag long
 */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startWithoutChain } from './src/service.ts'

const CLIENTS = 20
const BYTE_MS = 500
/** Test timeout, above the service's 20 s for a whole request. */
const MAX_MS = 60_000

let server: RunningServer
const sockets: Socket[] = []
const timers: NodeJS.Timeout[] = []
beforeAll(async () => {
  server = await startWithoutChain()
})
afterAll(async () => {
  for (const timer of timers) clearInterval(timer)
  for (const socket of sockets) socket.destroy()
  await server?.close()
})

/** Sends the beginning at once and the rest byte by byte. @returns everything received until the service closed the connection */
function sendSlowly(begin: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(begin))
    sockets.push(socket)
    timers.push(setInterval(() => socket.writable && socket.write('a'), BYTE_MS))
    socket.on('data', (chunk) => {
      received += String(chunk)
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(received))
  })
}

/** Requests a path and reads the response to its end. @returns its status, or 0 if the connection broke */
async function fetchStatus(path: string): Promise<number> {
  try {
    const answer = await fetch(`${server.url}${path}`)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

test('are disconnected, and do not delay other clients', { timeout: MAX_MS }, async () => {
  const headers = Array.from({ length: CLIENTS }, () => sendSlowly('GET /chains HTTP/1.1\r\nHost: x\r\nX-Slow: '))
  const body =
    'POST /simulate/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"from": "'
  const bodies = Array.from({ length: CLIENTS }, () => sendSlowly(body))
  const honest: Promise<number>[] = []
  const asking = setInterval(() => honest.push(fetchStatus('/chains')), 1_000)
  timers.push(asking)
  for (const received of await Promise.all(headers)) {
    expect(received).toMatch(/^HTTP\/1.1 408 /)
    expect(received).toContain('REQUEST_TIMEOUT')
  }
  for (const received of await Promise.all(bodies)) {
    expect(received).toMatch(/^HTTP\/1.1 (408|504) /)
  }
  clearInterval(asking)
  const statuses = await Promise.all(honest)
  expect(statuses.length).toBeGreaterThan(3)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
})
