/** Exponential backoff counted in blocks: decides at which block to retry a failed item, after 1, 2, 4, … blocks. */
export class Backoff {
  private readonly waitById = new Map<string, { readonly untilBlock: number; readonly blocks: number }>()
  private readonly maxBlocks: number

  /** @param maxBlocks - maximum blocks between two attempts */
  constructor(maxBlocks: number) {
    this.maxBlocks = maxBlocks
  }

  isDue(id: string, block: number): boolean {
    const wait = this.waitById.get(id)
    return wait === undefined || block >= wait.untilBlock
  }

  recordFailure(id: string, block: number): void {
    const blocks = Math.min(this.maxBlocks, 2 * (this.waitById.get(id)?.blocks ?? 0) || 1)
    this.waitById.set(id, { untilBlock: block + blocks, blocks })
  }

  /** Forgets the failures of an item. Also called for items that are no longer tried. */
  recordSuccess(id: string): void {
    this.waitById.delete(id)
  }
}
