/** Tracks the pools that the newest block has changed. */
import type { Snapshot } from '@sluice/liquidity'

/**
 * Tracks the pools that changed in the newest block. Such a pool has already written its price oracle in that block, so
 * a simulation in the block does not include the write. A swap in the next block does.
 */
export class TouchedPools {
  private blockHash: string | undefined
  /** Null if every pool may have changed. */
  private poolIds: Set<string> | null = null

  observe({ block, changedIds }: Snapshot): void {
    if (changedIds === null) this.poolIds = null
    else if (block.hash !== this.blockHash) this.poolIds = new Set(changedIds)
    // Pools discovered in the meantime count as changed, since the block may have changed them.
    else for (const id of changedIds) this.poolIds?.add(id)
    this.blockHash = block.hash
  }

  has(id: string): boolean {
    return this.poolIds?.has(id) ?? true
  }
}
