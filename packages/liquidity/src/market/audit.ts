/** Rotating audit: compares a few pools in memory with the chain and repairs those that differ. */
import type { Hex } from '@sluice/chains'
import type { AuditCount } from '../snapshot.ts'
import type { MarketFollower, MarketParts } from './follow.ts'

/** Each round reads one of this many parts of the pools, but at least `MIN_POOLS`. */
const ROUNDS = 256
const MIN_POOLS = 16

export class Auditor {
  private readonly parts: MarketParts
  private readonly follower: MarketFollower
  private round = 0
  /** Block of the last round. */
  private auditedBlock: Hex | undefined
  private checkedCount = 0
  private repairedCount = 0

  constructor(parts: MarketParts, follower: MarketFollower) {
    this.parts = parts
    this.follower = follower
  }

  get count(): AuditCount {
    return { checked: this.checkedCount, repaired: this.repairedCount }
  }

  /** Compares the next few pools. Does not delay new blocks, unless a pool must be repaired. @throws RpcError */
  async run(): Promise<void> {
    const { history } = this.parts.ledger
    // With a single block in the history all pools were just read.
    if (!history || history.top === history.oldest) return
    const { top } = history
    // Compare each block at most once.
    if (top.block.hash === this.auditedBlock) return
    this.auditedBlock = top.block.hash
    const rounds = Math.max(1, Math.min(ROUNDS, Math.floor(top.pools.size / MIN_POOLS)))
    this.round = (this.round + 1) % rounds
    const { sampling } = this.parts.directory
    // Samples are taken at each block, at other amounts each time.
    const ids = new Set([...top.pools.idsOfPart(this.round, rounds)].filter((id) => !sampling.has(id)))
    const { differingPools, goneIds } = await this.follower.reread(top.block, top.pools, ids, 'background')
    this.checkedCount += ids.size
    if (differingPools.length + goneIds.length > 0)
      await this.repair(new Set([...differingPools.map(({ id }) => id), ...goneIds]))
  }

  /** Reads pools that were wrong at an earlier block again at the newest block. */
  private repair(ids: ReadonlySet<string>): Promise<void> {
    return this.parts.ledger.mutex.run(async () => {
      this.repairedCount += await this.follower.repair(ids)
    })
  }
}
