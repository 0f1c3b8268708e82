/** A rotating re-read: compares memory with the chain, a few pools at a time, and repairs what differs. */
import type { Hex } from '@sluice/chains'
import type { AuditCount } from '../snapshot.ts'
import type { Follower, MarketParts } from './follow.ts'

/** Each round reads this share of the pools, so that all are seen once in as many rounds. */
const ROUNDS = 256
const LEAST_POOLS = 16

export class Auditor {
  private readonly parts: MarketParts
  private readonly follower: Follower
  private round = 0
  /** Block of the last round. */
  private audited: Hex | undefined
  private checked = 0
  private repaired = 0

  constructor(parts: MarketParts, follower: Follower) {
    this.parts = parts
    this.follower = follower
  }

  get count(): AuditCount {
    return { checked: this.checked, repaired: this.repaired }
  }

  /** Compares the next few pools. New blocks do not wait for it: only a repair holds them up. @throws RpcError */
  async run(): Promise<void> {
    const { history } = this.parts.ledger
    // Where no block was followed yet, the pools have just been read at the only one that there is.
    if (!history || history.top === history.oldest) return
    const { top } = history
    // What is true of a block does not change.
    if (top.block.hash === this.audited) return
    this.audited = top.block.hash
    const rounds = Math.max(1, Math.min(ROUNDS, Math.floor(top.pools.size / LEAST_POOLS)))
    this.round = (this.round + 1) % rounds
    const ids = new Set(top.pools.idsOfPart(this.round, rounds))
    const { differ, gone } = await this.follower.reread(top.block, top.pools, ids, 'background')
    this.checked += ids.size
    if (differ.length + gone.length > 0) await this.repair(new Set([...differ.map(({ id }) => id), ...gone]))
  }

  /** Reads again at the newest block what was wrong at an earlier one. */
  private repair(ids: ReadonlySet<string>): Promise<void> {
    return this.parts.ledger.mutex.run(async () => {
      this.repaired += await this.follower.repair(ids)
    })
  }
}
