/**
 * Connections to one origin. Requests wait here, not in the sockets' queues: a request that is given up leaves nothing behind, and
 * the connections that an origin which does not answer can hold are counted.
 */
import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { onAbort, type Signal } from './abort.ts'
import type { HostResolver } from './host-resolver.ts'
import { LinkedList } from './linked-list.ts'

/** Connections to one origin, open or being opened: to one that has answered a request lately, and to one that has not. */
const MAX_CONNECTIONS = 64
const MAX_CONNECTIONS_UNKNOWN = 8
/** Connections being opened: to an origin that has accepted one lately, and to one that has not. */
const MAX_CONNECTING = 8
const MAX_CONNECTING_UNKNOWN = 2
/** Milliseconds that count as lately. */
const LATELY_MS = 60_000
/** Milliseconds for the name lookup, TCP and TLS. */
const CONNECT_MS = 5_000
/** Milliseconds for which an unused connection is kept: most nodes keep it about as long. */
const KEEP_ALIVE_MS = 60_000

export type PoolOptions = Pick<Client.Options, 'headersTimeout' | 'bodyTimeout' | 'maxResponseSize'>

type Connection = { readonly client: Client; readonly socket: Socket }

type Waiter = {
  /** Wants a new connection, as long as another one may be opened. */
  readonly fresh: boolean
  readonly take: (connection: Connection) => void
  readonly fail: (error: Error) => void
}

export class ConnectionPool {
  private readonly origin: URL
  private readonly options: PoolOptions
  private readonly resolver: HostResolver
  private readonly connector: buildConnector.connector
  /** The connection that was used last is used next. */
  private readonly idle: Connection[] = []
  private readonly waiting = new LinkedList<Waiter>()
  private open = 0
  private connecting = 0
  private acceptedAt = Number.NEGATIVE_INFINITY
  private answeredAt = Number.NEGATIVE_INFINITY

  constructor(origin: string, resolver: HostResolver, options: PoolOptions) {
    this.origin = new URL(origin)
    this.resolver = resolver
    this.options = options
    this.connector = buildConnector({ timeout: CONNECT_MS, lookup: resolver.lookup })
  }

  /** Connections that are open or being opened, and requests that wait for one. */
  get counts(): { readonly open: number; readonly connecting: number; readonly waiting: number } {
    return { open: this.open, connecting: this.connecting, waiting: this.waiting.size }
  }

  /**
   * Sends a request over a connection of the pool.
   *
   * @param fresh - over a new connection, in case the kept ones lead to a node that hangs
   * @throws Error of the connection, or the reason of the signal
   */
  async send<T>(request: (client: Dispatcher) => Promise<T>, signal?: Signal, fresh = false): Promise<T> {
    const connection = await this.acquire(signal, fresh)
    try {
      const answer = await request(connection.client)
      this.answeredAt = Date.now()
      return answer
    } finally {
      if (!connection.socket.destroyed) this.offer(connection)
      this.connectWaiting()
    }
  }

  private acquire(signal: Signal | undefined, fresh: boolean): Promise<Connection> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const kept = fresh && !this.isFull ? undefined : this.idle.pop()
    if (kept) return Promise.resolve(kept)
    return new Promise((resolve, reject) => {
      const link = this.waiting.add({
        fresh,
        take: (connection) => {
          detach()
          resolve(connection)
        },
        fail: (error) => {
          detach()
          reject(error)
        },
      })
      const detach = onAbort(signal, () => {
        this.waiting.remove(link)
        reject(signal!.reason)
      })
      this.connectWaiting()
    })
  }

  private get isFull(): boolean {
    const max = isLately(this.answeredAt) ? MAX_CONNECTIONS : MAX_CONNECTIONS_UNKNOWN
    return this.open + this.connecting >= max
  }

  /** Gives a connection that was used before to the next request, or keeps it. */
  private offer(connection: Connection): void {
    const { isFull } = this
    for (let link = this.waiting.first; link; link = link.next) {
      // At the limit a request that wants a new connection takes what there is.
      if (link.value.fresh && !isFull) continue
      this.waiting.remove(link)
      link.value.take(connection)
      return
    }
    this.idle.push(connection)
  }

  /** Opens connections for requests that wait, within the limits. */
  private connectWaiting(): void {
    const max = isLately(this.acceptedAt) ? MAX_CONNECTING : MAX_CONNECTING_UNKNOWN
    while (this.connecting < Math.min(max, this.waiting.size) && !this.isFull) this.connect()
  }

  private connect(): void {
    this.connecting++
    this.openSocket().then(
      (socket) => this.connected(socket),
      (error: Error) => this.failed(error),
    )
  }

  /** The name is looked up before there is a socket: a host without a name server costs none. */
  private async openSocket(): Promise<Socket> {
    const { host, hostname, protocol, port } = this.origin
    const name = hostname.replace(/^\[|\]$/g, '')
    await this.resolver.resolve(name)
    return new Promise((resolve, reject) =>
      this.connector({ host, hostname: name, protocol, port }, (error, socket) => {
        if (error) reject(error)
        else resolve(socket!)
      }),
    )
  }

  private connected(socket: Socket): void {
    this.connecting--
    this.open++
    this.acceptedAt = Date.now()
    const connection = { socket, client: this.clientOf(socket) }
    socket.once('close', () => {
      this.open--
      const place = this.idle.indexOf(connection)
      if (place !== -1) this.idle.splice(place, 1)
      this.connectWaiting()
    })
    const next = this.waiting.first
    if (next) {
      this.waiting.remove(next)
      next.value.take(connection)
    } else this.idle.push(connection)
    this.connectWaiting()
  }

  private failed(error: Error): void {
    this.connecting--
    // Where others are open or on their way, the requests behind the first may still get one of them.
    const count = this.open + this.connecting > 0 ? 1 : this.waiting.size
    for (let i = 0; i < count; i++) {
      const next = this.waiting.first
      if (!next) break
      this.waiting.remove(next)
      next.value.fail(error)
    }
    this.connectWaiting()
  }

  /** A client of one connection that is open already. */
  private clientOf(socket: Socket): Client {
    let unused: Socket | undefined = socket
    // Undici does this for kept connections; this one would keep the process running until then.
    socket.unref()
    setTimeout(() => unused?.destroy(), KEEP_ALIVE_MS).unref()
    return new Client(this.origin.origin, {
      ...this.options,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (_, callback) => {
        const given = unused?.ref()
        unused = undefined
        // Its own code: after one of its `SocketError`s undici would connect again and again.
        const closed = Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
        queueMicrotask(() => (given ? callback(null, given) : callback(closed, null)))
      },
    })
  }
}

function isLately(at: number): boolean {
  return Date.now() - at < LATELY_MS
}
