/**
 * Tracks blocks that had no logs although their bloom filter matched. A node may index logs seconds late, so
 * `MarketFollower` requests the logs of these blocks again a few times.
 */
import type { Hex } from '@sluice/chains'

/** Milliseconds before the first check; each further check waits twice as long. */
const FIRST_PAUSE_MS = 500
/** Maximum checks of a block, and maximum blocks. */
const MAX_CHECKS = 4
const MAX_BLOCKS = 64

/** Blocks to check again, at most `MAX_BLOCKS`. */
export class DoubtfulBlocks {
  private readonly blocks = new Map<Hex, { checks: number; dueAtMs: number }>()
  private readonly now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  add(hash: Hex): void {
    if (this.blocks.size < MAX_BLOCKS) this.blocks.set(hash, { checks: 0, dueAtMs: this.now() + FIRST_PAUSE_MS })
  }

  /** Yields the blocks that are due for a check, and counts each check. A block is dropped after its last check. */
  *takeDue(): Generator<Hex> {
    const now = this.now()
    for (const [hash, block] of [...this.blocks]) {
      if (block.dueAtMs > now) continue
      block.checks++
      block.dueAtMs = now + FIRST_PAUSE_MS * 2 ** block.checks
      if (block.checks >= MAX_CHECKS) this.blocks.delete(hash)
      yield hash
    }
  }

  drop(hash: Hex): void {
    this.blocks.delete(hash)
  }

  get isEmpty(): boolean {
    return this.blocks.size === 0
  }
}
