import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { connect } from '../src/connection.ts'

let server: Server
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

async function serve(onConnection: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `redis://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['sends nothing', () => {}],
  ['never ends its reply', (socket: Socket) => socket.write('$999999999\r\nAAAA')],
  ['is not Redis', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
])(
  'connecting to a server that %s fails with AWAY, and the error does not contain the URL',
  async (_, onConnection) => {
    const url = await serve(onConnection)
    const error = await connect(url).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'AWAY', message: expect.not.stringContaining('secret') })
  },
  10_000,
)
