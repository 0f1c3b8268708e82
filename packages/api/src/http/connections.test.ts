/** Tests of the limits on connections and pipelined requests, with sockets in memory. */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { describe, expect, test } from 'vitest'
import { limitConnections, limitInFlight } from './connections.ts'

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string | undefined
  destroyed = false
  sent: string | undefined
  constructor(remoteAddress?: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  end(text: string | Buffer, onSent: () => void) {
    this.sent = String(text)
    onSent()
  }
  destroy() {
    this.destroyed = true
    this.emit('close')
  }
}

describe('connections of one caller', () => {
  const limited = (max: number) => {
    const server = new EventEmitter()
    const isTrustedProxy = (address: string) => address === '10.0.0.1'
    limitConnections(server as Server, { max, version: 'B', isTrustedProxy })
    return (address?: string) => {
      const socket = new FakeSocket(address)
      server.emit('connection', socket)
      return socket
    }
  }

  test('are as many as allowed, and further ones get an answer', () => {
    const connect = limited(2)
    const open = [connect('203.0.113.5'), connect('203.0.113.5')]
    expect(open.map(({ sent }) => sent)).toEqual([undefined, undefined])
    const refused = connect('203.0.113.5')
    expect(refused.sent).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused.sent).toContain('too many connections are open')
    expect(refused.destroyed).toBe(true)
    expect(connect('203.0.113.6').sent).toBeUndefined()
    expect(connect().sent).toBeUndefined()
  })

  test('count until they close', () => {
    const connect = limited(2)
    const [first] = [connect('203.0.113.5'), connect('203.0.113.5')]
    first!.destroy()
    expect(connect('203.0.113.5').sent).toBeUndefined()
    expect(connect('203.0.113.5').sent).toBeDefined()
    // The one that was refused is not counted.
    expect(connect('203.0.113.5').sent).toBeDefined()
  })

  test('have no limit for a trusted proxy', () => {
    const connect = limited(1)
    expect(Array.from({ length: 5 }, () => connect('10.0.0.1').sent)).toEqual(Array(5).fill(undefined))
  })
})

describe('requests on one connection', () => {
  test('are at most 64 without an answer', () => {
    const socket = new FakeSocket()
    let served = 0
    const listener = limitInFlight(() => {
      served++
    })
    const responses: EventEmitter[] = []
    const send = () => {
      const response = new EventEmitter()
      responses.push(response)
      listener({ socket } as never, response as never)
    }
    for (let k = 0; k < 64; k++) send()
    expect([served, socket.destroyed]).toEqual([64, false])
    responses[0]!.emit('close')
    send()
    expect([served, socket.destroyed]).toEqual([65, false])
    send()
    expect([served, socket.destroyed]).toEqual([65, true])
    for (const response of responses) response.emit('close')
    // Requests that were parsed before the connection was closed.
    send()
    expect(served).toBe(65)
  })
})
