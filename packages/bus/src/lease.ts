/** The exclusive right to write a chain's state: a random token in Redis that expires. */
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'
import { runScript } from './scripts.ts'

/**
 * Lifetime of a lease in milliseconds. If the owner of a chain is killed, the chain has no owner for at most this time.
 */
export const LEASE_MS = 3_000
/** Milliseconds between two renewals; the lease survives two failed renewals. */
const RENEW_MS = 750

/**
 * Lease of one process on one chain. The token never changes, so that a process can take the lease again after losing
 * it.
 */
export class Lease {
  readonly token = randomUUID()
  private readonly keys: ChainKeys
  private timer: NodeJS.Timeout | undefined

  constructor(keys: ChainKeys) {
    this.keys = keys
  }

  /** Takes the lease if it is free. @returns true if this process holds it */
  async acquire(connection: Connection): Promise<boolean> {
    const answer = await connection.call('SET', this.keys.lease, this.token, 'NX', 'PX', LEASE_MS)
    return answer === 'OK' || this.renew(connection, false)
  }

  /**
   * Renews the lease.
   *
   * @param isCurrent - true if the published head is the chain's head now
   * @returns false if the lease was lost
   */
  async renew(connection: Connection, isCurrent: boolean): Promise<boolean> {
    const { lease, head } = this.keys
    return (await runScript(connection, 'renew', [lease, head], [this.token, LEASE_MS, isCurrent ? 1 : 0])) === 1
  }

  /**
   * Renews the lease from a timer, independently of other work. A failure surfaces at the next write.
   *
   * @returns function that stops the renewal
   */
  startRenewal(connection: Connection, isCurrent: () => boolean): () => void {
    clearInterval(this.timer)
    const timer = setInterval(() => void this.renew(connection, isCurrent()).catch(() => {}), RENEW_MS)
    this.timer = timer
    return () => clearInterval(timer)
  }

  /** Releases the lease for the next owner. */
  async release(connection: Connection): Promise<void> {
    clearInterval(this.timer)
    await runScript(connection, 'release', [this.keys.lease], [this.token])
  }
}
