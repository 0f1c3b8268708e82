/** Rotating audit: compares a few pools in memory with the chain and repairs those that differ. */
import type { Hex } from '@sluice/chains'
import type { AuditCount } from '../snapshot.ts'
import type { MarketComponents, MarketFollower } from './follow.ts'

/** Number of rounds, each for one part of the pools, in which the audit compares all pools once; fewer for few pools. */
const ROUNDS = 256
/** Minimum pools per round. */
const MIN_POOLS = 16
/** Maximum attempts of a round. A part of the pools that the node never returns must not stop the audit of the others. */
const MAX_ATTEMPTS = 3

export class Auditor {
  private readonly components: MarketComponents
  private readonly follower: MarketFollower
  private round = 0
  /** Failed attempts of `round` in a row. */
  private failedAttempts = 0
  /** Block of the last round. */
  private auditedBlock: Hex | undefined
  private checkedCount = 0
  private repairedCount = 0

  constructor(components: MarketComponents, follower: MarketFollower) {
    this.components = components
    this.follower = follower
  }

  get auditCount(): AuditCount {
    return { checked: this.checkedCount, repaired: this.repairedCount }
  }

  /**
   * Compares the next few pools. Does not delay new blocks, unless a pool must be repaired. After a failure, the next
   * call compares the same pools again.
   *
   * @throws RpcError
   */
  async run(): Promise<void> {
    const { history } = this.components.ledger
    // A history of a single block exists only right after a read of all pools.
    if (!history || history.top === history.oldest) return
    const { top } = history
    // Compare each block at most once.
    if (top.block.hash === this.auditedBlock) return
    this.auditedBlock = top.block.hash
    const rounds = Math.max(1, Math.min(ROUNDS, Math.floor(top.pools.size / MIN_POOLS)))
    if (this.failedAttempts === 0 || this.failedAttempts === MAX_ATTEMPTS) {
      this.round++
      this.failedAttempts = 0
    }
    // The number of pools may have changed since a failed attempt.
    this.round %= rounds
    this.failedAttempts++
    const { directory } = this.components
    // Skip pools that are quoted from simulated swaps (samples): a new sample uses other amounts.
    const ids = new Set([...top.pools.idsOfPart(this.round, rounds)].filter((id) => !directory.sampling.has(id)))
    const { differingPools, goneIds } = await this.follower.reread(top.block, top.pools, ids, 'background')
    this.checkedCount += ids.size
    const differingIds = [...differingPools.map(({ id }) => id), ...goneIds]
    // A pool that waits for its refresh is expected to differ.
    const waitingIds = differingIds.filter((id) => directory.awaitsRefresh(id))
    await this.repair(waitingIds)
    const repairedCount = await this.repair(differingIds.filter((id) => !waitingIds.includes(id)))
    this.repairedCount += repairedCount
    this.failedAttempts = 0
  }

  /**
   * Rereads pools that differed from the chain at an earlier block, now at the newest block.
   *
   * @returns the number of pools corrected
   */
  private async repair(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0
    return this.components.ledger.mutex.run(() => this.follower.repair(new Set(ids)))
  }
}
