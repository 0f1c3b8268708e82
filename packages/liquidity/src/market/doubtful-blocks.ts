/**
 * Blocks that came without logs although their filter says that there may be some: a node may file logs seconds late. They are
 * asked for again a few times, at the blocks after them.
 */
import type { Hex } from '@sluice/chains'

/** Milliseconds before the first time; each later one takes twice as long. */
const FIRST_MS = 500
const MAX_CHECKS = 4
const MAX_BLOCKS = 64

export class DoubtfulBlocks {
  private readonly blocks = new Map<Hex, { checks: number; dueAt: number }>()
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  add(hash: Hex): void {
    if (this.blocks.size < MAX_BLOCKS) this.blocks.set(hash, { checks: 0, dueAt: this.now() + FIRST_MS })
  }

  /** Those that are to be asked for now; each is given back a last time after a few times. */
  takeDue(): readonly Hex[] {
    const now = this.now()
    const due = [...this.blocks].filter(([, { dueAt }]) => dueAt <= now)
    for (const [hash, block] of due) {
      block.checks++
      block.dueAt = now + FIRST_MS * 2 ** block.checks
      if (block.checks >= MAX_CHECKS) this.blocks.delete(hash)
    }
    return due.map(([hash]) => hash)
  }

  /** Its logs have come, or it is gone. */
  drop(hash: Hex): void {
    this.blocks.delete(hash)
  }

  get isEmpty(): boolean {
    return this.blocks.size === 0
  }
}
