/** Pools that the newest block has changed. */
import type { Snapshot } from '@sluice/liquidity'

/**
 * Tracks the pools that changed in the newest block. Their price oracles are up to date in that block, and cost gas
 * again in the next.
 */
export class TouchedPools {
  private block: string | undefined
  /** Null if every pool may have changed. */
  private ids: Set<string> | null = null

  observe({ block, changedIds: changed }: Snapshot): void {
    if (changed === null) this.ids = null
    else if (block.hash !== this.block) this.ids = new Set(changed)
    // Pools discovered in the meantime count as changed, since the block may have changed them.
    else for (const id of changed) this.ids?.add(id)
    this.block = block.hash
  }

  has(id: string): boolean {
    return this.ids?.has(id) ?? true
  }
}
