import { once } from 'node:events'
import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { StateBus } from '../src/bus.ts'
import { Commands } from '../src/commands.ts'
import { connect } from '../src/connection.ts'
import { hasRedis, TestRedis } from './redis.ts'

let server: Server | undefined
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server?.close()
  server = undefined
})

async function serve(onConnection: (socket: Socket) => void): Promise<string> {
  const listener = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  server = listener
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return `redis://user:secret@127.0.0.1:${(listener.address() as AddressInfo).port}`
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

test.each([
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
  'MISCONF Errors writing to the AOF file: No space left on device',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'NOREPLICAS Not enough good replicas to write.',
  'ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -MISCONF Errors writing to the AOF file',
])('a write that Redis refuses fails with FULL: %s', async (message) => {
  const url = await serve((socket) => {
    socket.on('data', (data) => {
      const commandCount = data.toString().match(/^\*\d/gm)?.length ?? 0
      socket.write(data.includes('SET\r\n$1') ? `-${message}\r\n` : '+OK\r\n'.repeat(commandCount))
    })
  })
  const connection = await connect(url)
  await expect(connection.call('SET', 'a', 1)).rejects.toMatchObject({ code: 'FULL' })
  expect(await connection.call('PING')).toBe('OK')
  connection.close()
})

/** See redis/ioredis#1862, joeferner/redis-commander#562: a proxy routes TLS connections by the name of the server. */
test.each([
  ['localhost', true],
  ['127.0.0.1', false],
])('TLS to %s names the server: %s', async (host, isNamed) => {
  const hello = Promise.withResolvers<Buffer>()
  const url = await serve((socket) => socket.once('data', hello.resolve))
  const refused = connect(`rediss://${host}:${new URL(url).port}`)
  refused.catch(() => {})
  expect((await hello.promise).includes(host)).toBe(isNamed)
  for (const socket of sockets) socket.destroy()
  await expect(refused).rejects.toMatchObject({ code: 'AWAY' })
})

test.skipIf(!hasRedis)(
  'a password with a percent sign that encodes nothing, with or without a user, connects',
  async () => {
    const redis = await TestRedis.start()
    try {
      await redis.call('ACL', 'SETUSER', 'me@home', 'on', '>50%off=^', '~*', '+@all')
      await redis.call('CONFIG', 'SET', 'requirepass', '100%')
      for (const credentials of ['me%40home:50%off=^', 'me%40home:50%25off%3D%5e', ':100%', 'default:100%25']) {
        const connection = await connect(`redis://${credentials}@127.0.0.1:${redis.port}/3`)
        expect(await connection.call('PING'), credentials).toBe('PONG')
        connection.close()
      }
      await expect(connect(`redis://:100@127.0.0.1:${redis.port}`)).rejects.toMatchObject({ code: 'AWAY' })
    } finally {
      await redis.stop()
    }
  },
)

test.skipIf(!hasRedis)('a server in cluster mode fails with CLUSTER, and the bus reports it at its start', async () => {
  const redis = await TestRedis.start({ 'cluster-enabled': 'yes' })
  try {
    await expect(redis.call('SET', 'a', 1)).rejects.toMatchObject({ code: 'CLUSTER' })
    const reported = new Promise((resolve) => {
      const bus = new StateBus({ url: redis.url, onAway: resolve })
      void onTestFinished(() => bus.close())
    })
    expect(await reported).toMatchObject({ code: 'CLUSTER', message: expect.stringContaining('not supported') })
  } finally {
    await redis.stop()
  }
})

test.each([
  'MOVED 3999 127.0.0.1:6381',
  'ASK 3999 127.0.0.1:6381',
  "CROSSSLOT Keys in request don't hash to the same slot",
])('a reply of a cluster fails with CLUSTER: %s', async (message) => {
  const url = await serve((socket) => {
    socket.on('data', (data) => {
      const commandCount = data.toString().match(/^\*\d/gm)?.length ?? 0
      socket.write(data.includes('SET\r\n$1') ? `-${message}\r\n` : '+OK\r\n'.repeat(commandCount))
    })
  })
  const connection = await connect(url)
  await expect(connection.call('SET', 'a', 1)).rejects.toMatchObject({ code: 'CLUSTER' })
  connection.close()
})

test.skipIf(!hasRedis)('after a failover, commands leave the server that became a replica', async () => {
  const [oldPrimary, newPrimary] = await Promise.all([TestRedis.start(), TestRedis.start()])
  let { port } = oldPrimary
  const url = await serve((socket) => {
    const upstream = openSocket(port, '127.0.0.1')
    sockets.push(upstream)
    socket.pipe(upstream).pipe(socket)
  })
  const commands = new Commands(url.replace('user:secret@', ''))
  try {
    expect(await commands.call('SET', 'a', 1)).toBe('OK')
    await oldPrimary.call('REPLICAOF', '127.0.0.1', newPrimary.port)
    port = newPrimary.port
    await expect(commands.call('SET', 'a', 2)).rejects.toMatchObject({ code: 'AWAY' })
    expect(await commands.call('SET', 'a', 3)).toBe('OK')
    expect(await newPrimary.call('GET', 'a')).toBe('3')
  } finally {
    commands.close()
    await Promise.all([oldPrimary.stop(), newPrimary.stop()])
  }
})

test('calls that fail together open one new connection, which is closed at the end', async () => {
  const url = await serve((socket) =>
    socket.on('data', (data) => {
      for (const command of data.toString().split(/(?=\*\d+\r\n)/))
        if (!command.includes('HANG')) socket.write('+OK\r\n')
    }),
  )
  const commands = new Commands(url)
  await commands.call('PING')
  const retriedCall = commands.call('HANG').catch(() => commands.call('PING'))
  const failedCall = commands.call('HANG').catch(() => 'failed')
  expect(await Promise.all([retriedCall, failedCall])).toEqual(['OK', 'failed'])
  await commands.call('PING')
  expect(sockets).toHaveLength(2)
  const closed = once(sockets[1]!, 'close')
  commands.close()
  await closed
}, 10_000)
