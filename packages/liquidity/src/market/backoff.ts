/** Exponential backoff counted in blocks. */
/** Decides at which block to retry a failed item: after 1, 2, 4, … blocks. */
export class Backoff {
  private readonly waits = new Map<string, { readonly untilBlock: number; readonly blocks: number }>()
  private readonly maxBlocks: number

  /** @param maxBlocks - maximum blocks between two attempts */
  constructor(maxBlocks: number) {
    this.maxBlocks = maxBlocks
  }

  isDue(id: string, block: number): boolean {
    const wait = this.waits.get(id)
    return wait === undefined || block >= wait.untilBlock
  }

  recordFailure(id: string, block: number): void {
    const blocks = Math.min(this.maxBlocks, 2 * (this.waits.get(id)?.blocks ?? 0) || 1)
    this.waits.set(id, { untilBlock: block + blocks, blocks })
  }

  recordSuccess(id: string): void {
    this.waits.delete(id)
  }
}
