import type { Snapshot } from '@sluice/liquidity'

/** Which pools have changed in the newest block: their price oracles are up to date there, and cost gas again in the next. */
export class TouchedPools {
  private block: string | undefined
  /** Null when every pool may have changed. */
  private ids: Set<string> | null = null

  observe({ block, changed }: Snapshot): void {
    if (changed === null) this.ids = null
    else if (block.hash !== this.block) this.ids = new Set(changed)
    // Pools found meanwhile count as changed: what the block did to them is not known.
    else for (const id of changed) this.ids?.add(id)
    this.block = block.hash
  }

  has(id: string): boolean {
    return this.ids?.has(id) ?? true
  }
}
