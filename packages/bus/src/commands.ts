/** One connection for single commands, shared by the chains of a process and reopened on demand. */
import { type Argument, type Connection, connect, type RedisReply } from './connection.ts'
import { BusError } from './errors.ts'

/**
 * Milliseconds after a failed connection during which calls fail at once, so that requests do not wait for a dead
 * Redis.
 */
const PAUSE_MS = 250

/** Shared connection for single commands. */
export class Commands implements Connection {
  private readonly url: string
  private current: Promise<Connection> | null = null
  private failedMs = 0
  private isClosed = false

  constructor(url: string) {
    this.url = url
  }

  async call<T = RedisReply>(...command: readonly Argument[]): Promise<T> {
    const connection = await this.connection()
    try {
      return await connection.call<T>(...command)
    } catch (error) {
      if (error instanceof BusError && error.code === 'AWAY') this.current = null
      throw error
    }
  }

  close(): void {
    this.isClosed = true
    void this.current?.then((connection) => connection.close()).catch(() => {})
    this.current = null
  }

  private connection(): Promise<Connection> {
    if (this.current) return this.current
    if (this.isClosed || Date.now() - this.failedMs < PAUSE_MS)
      return Promise.reject(new BusError('AWAY', 'no connection to Redis'))
    const connecting = connect(this.url)
    this.current = connecting
    connecting.catch(() => {
      this.failedMs = Date.now()
      if (this.current === connecting) this.current = null
    })
    return connecting
  }
}
