/** Sends single commands over one connection that all chains of a process share. Reopens the connection on demand. */
import { type Argument, type Connection, connect, type RedisReply } from './connection.ts'
import { BusError } from './errors.ts'

/**
 * Milliseconds after a failed connection during which calls fail at once, so that requests do not wait for a dead
 * Redis.
 */
const FAILURE_PAUSE_MS = 250

export class Commands implements Connection {
  private readonly url: string
  private currentConnection: Promise<Connection> | null = null
  private failedAtMs = Number.NEGATIVE_INFINITY
  private isClosed = false

  constructor(url: string) {
    this.url = url
  }

  async call<T = RedisReply>(...command: readonly Argument[]): Promise<T> {
    const usedConnection = this.connection()
    const connection = await usedConnection
    try {
      return await connection.call<T>(...command)
    } catch (error) {
      // Another call may have opened a new connection.
      const isBroken = error instanceof BusError && error.code === 'AWAY'
      if (isBroken && this.currentConnection === usedConnection) this.currentConnection = null
      throw error
    }
  }

  close(): void {
    this.isClosed = true
    void this.currentConnection?.then((connection) => connection.close()).catch(() => {})
    this.currentConnection = null
  }

  private connection(): Promise<Connection> {
    if (this.currentConnection) return this.currentConnection
    if (this.isClosed || performance.now() - this.failedAtMs < FAILURE_PAUSE_MS)
      return Promise.reject(new BusError('AWAY', 'no connection to Redis'))
    const pendingConnection = connect(this.url)
    this.currentConnection = pendingConnection
    pendingConnection.catch(() => {
      this.failedAtMs = performance.now()
      if (this.currentConnection === pendingConnection) this.currentConnection = null
    })
    return pendingConnection
  }
}
