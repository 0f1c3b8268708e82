/**
 * Connection pool of one origin. A request waits in this pool, not in the queue of a socket, until a connection is
 * free. So a request that is aborted while it waits is never sent. The pool opens few connections to an origin that
 * does not respond.
 */
import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { onAbort, type Signal } from './abort.ts'
import type { HostResolver } from './host-resolver.ts'
import { LinkedList } from './linked-list.ts'
import { monotonicMs } from './monotonic-clock.ts'

/** Maximum connections to an origin that answered a request recently. */
const MAX_CONNECTIONS = 64
/** Maximum connections to any other origin. */
const MAX_CONNECTIONS_UNKNOWN = 8
/** Maximum connections that are being opened at the same time to an origin that accepted a connection recently. */
const MAX_CONNECTING = 8
/** Maximum connections that are being opened at the same time to any other origin. */
const MAX_CONNECTING_UNKNOWN = 2
/** Milliseconds for which an answer, or an accepted connection, counts as recent. */
const RECENT_MS = 60_000
/** Timeout of DNS lookup, TCP, and TLS together. */
const CONNECT_MS = 5_000
/** Time for which an unused connection is kept; most nodes close unused connections after about this time. */
const KEEP_ALIVE_MS = 60_000

export type PoolOptions = Pick<Client.Options, 'headersTimeout' | 'bodyTimeout' | 'maxResponseSize' | 'maxHeaderSize'>

type Connection = { readonly client: Client; readonly socket: Socket }

/** A request that waits for a connection. */
type Waiter = {
  /** True if the request needs a new connection, unless the pool is full. */
  readonly needsNewConnection: boolean
  readonly onConnection: (connection: Connection) => void
  readonly onFailure: (error: Error) => void
}

/** Connections to one origin, shared by all requests to it. */
export class ConnectionPool {
  private readonly origin: URL
  private readonly options: PoolOptions
  private readonly resolver: HostResolver
  private readonly connector: buildConnector.connector
  /** Used as a stack: the most recently used connection is reused first. */
  private readonly idle: Connection[] = []
  private readonly waiting = new LinkedList<Waiter>()
  private openCount = 0
  private connectingCount = 0
  private acceptedAt = Number.NEGATIVE_INFINITY
  private answeredAt = Number.NEGATIVE_INFINITY

  constructor(origin: string, resolver: HostResolver, options: PoolOptions) {
    this.origin = new URL(origin)
    this.resolver = resolver
    this.options = options
    this.connector = buildConnector({ timeout: CONNECT_MS, lookup: resolver.lookup })
  }

  /** Open connections, connections being opened, and queued requests. */
  get counts(): { readonly open: number; readonly connecting: number; readonly waiting: number } {
    return { open: this.openCount, connecting: this.connectingCount, waiting: this.waiting.size }
  }

  /**
   * Sends a request over a pooled connection.
   *
   * @param needsNewConnection - true to use a new connection, because existing connections may lead to a hanging node
   * @throws Error of the connection, or the reason of the signal
   */
  async send<T>(request: (client: Dispatcher) => Promise<T>, signal?: Signal, needsNewConnection = false): Promise<T> {
    const connection = await this.acquire(signal, needsNewConnection)
    try {
      const answer = await request(connection.client)
      this.answeredAt = monotonicMs()
      return answer
    } finally {
      if (!connection.socket.destroyed) this.release(connection)
      this.connectWaiting()
    }
  }

  private acquire(signal: Signal | undefined, needsNewConnection: boolean): Promise<Connection> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const idleConnection = needsNewConnection && !this.isFull ? undefined : this.idle.pop()
    if (idleConnection) return Promise.resolve(idleConnection)
    return new Promise((resolve, reject) => {
      const link = this.waiting.add({
        needsNewConnection,
        onConnection: (connection) => {
          detach()
          resolve(connection)
        },
        onFailure: (error) => {
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
    const max = isRecent(this.answeredAt) ? MAX_CONNECTIONS : MAX_CONNECTIONS_UNKNOWN
    return this.openCount + this.connectingCount >= max
  }

  /** Passes a used connection to the next queued request, or keeps it idle. */
  private release(connection: Connection): void {
    const { isFull } = this
    for (let link = this.waiting.first; link; link = link.next) {
      // If the pool is full, a request for a new connection reuses an existing one.
      if (link.value.needsNewConnection && !isFull) continue
      this.waiting.remove(link)
      link.value.onConnection(connection)
      return
    }
    this.idle.push(connection)
  }

  /** Opens connections for queued requests, within the limits. */
  private connectWaiting(): void {
    const max = isRecent(this.acceptedAt) ? MAX_CONNECTING : MAX_CONNECTING_UNKNOWN
    while (this.connectingCount < Math.min(max, this.waiting.size) && !this.isFull) this.connect()
  }

  private connect(): void {
    this.connectingCount++
    this.openSocket().then(
      (socket) => this.onConnected(socket),
      (error: Error) => this.onError(error),
    )
  }

  /** Opens a socket. Resolves the host before, so that a DNS failure needs no socket. */
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

  private onConnected(socket: Socket): void {
    this.connectingCount--
    this.openCount++
    this.acceptedAt = monotonicMs()
    const connection = { socket, client: this.clientOf(socket) }
    socket.once('close', () => {
      this.openCount--
      const index = this.idle.indexOf(connection)
      if (index !== -1) this.idle.splice(index, 1)
      this.connectWaiting()
    })
    const nextWaiter = this.waiting.first
    if (nextWaiter) {
      this.waiting.remove(nextWaiter)
      nextWaiter.value.onConnection(connection)
    } else this.idle.push(connection)
    this.connectWaiting()
  }

  private onError(error: Error): void {
    this.connectingCount--
    // If other connections are open or being opened, the other queued requests can use them. So only the first queued
    // request fails.
    const count = this.openCount + this.connectingCount > 0 ? 1 : this.waiting.size
    for (let i = 0; i < count; i++) {
      const nextWaiter = this.waiting.first
      if (!nextWaiter) break
      this.waiting.remove(nextWaiter)
      nextWaiter.value.onFailure(error)
    }
    this.connectWaiting()
  }

  /** Creates an undici client on an open socket. */
  private clientOf(socket: Socket): Client {
    let unusedSocket: Socket | undefined = socket
    // Until undici takes the socket over, it must not keep the process alive.
    socket.unref()
    setTimeout(() => unusedSocket?.destroy(), KEEP_ALIVE_MS).unref()
    return new Client(this.origin.origin, {
      ...this.options,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (_, callback) => {
        const takenSocket = unusedSocket?.ref()
        unusedSocket = undefined
        // Not an undici `SocketError`, after which undici would reconnect in a loop.
        const closedError = Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
        queueMicrotask(() => (takenSocket ? callback(null, takenSocket) : callback(closedError, null)))
      },
    })
  }
}

function isRecent(timestamp: number): boolean {
  return monotonicMs() - timestamp < RECENT_MS
}
