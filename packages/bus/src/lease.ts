/** The right to write a chain's state: a random token that expires. */
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'
import { run } from './scripts.ts'

/** Milliseconds that a killed owner's lease outlives it: the longest that a chain stands still by that. */
export const LEASE_MS = 3_000
/** Milliseconds between two renewals: two may be lost. */
const RENEW_MS = 750

/** The same token for as long as the process wants to own the chain: one that lost it for a while may go on. */
export class Lease {
  readonly token = randomUUID()
  private readonly keys: ChainKeys
  private timer: NodeJS.Timeout | undefined

  constructor(keys: ChainKeys) {
    this.keys = keys
  }

  /** Takes it where nobody has it. */
  async acquire(connection: Connection): Promise<boolean> {
    const taken = await connection.call('SET', this.keys.lease, this.token, 'NX', 'PX', LEASE_MS)
    return taken === 'OK' || this.renew(connection, false)
  }

  /** @param isCurrent - what was published last is the chain's now */
  async renew(connection: Connection, isCurrent: boolean): Promise<boolean> {
    const { lease, head } = this.keys
    return (await run(connection, 'renew', [lease, head], [this.token, LEASE_MS, isCurrent ? 1 : 0])) === 1
  }

  /** Renews it by a timer, whatever else is under way; a failure shows at the next write. */
  keep(connection: Connection, isCurrent: () => boolean): () => void {
    clearInterval(this.timer)
    const timer = setInterval(() => void this.renew(connection, isCurrent()).catch(() => {}), RENEW_MS)
    this.timer = timer
    return () => clearInterval(timer)
  }

  /** Lets the next one take it at once. */
  async release(connection: Connection): Promise<void> {
    clearInterval(this.timer)
    await run(connection, 'release', [this.keys.lease], [this.token])
  }
}
