/** When to try again what did not work: at the next block, after two, four, and so on. */
export class Backoff {
  private readonly waits = new Map<string, { readonly until: number; readonly blocks: number }>()
  private readonly most: number

  /** @param most - blocks between two attempts at last */
  constructor(most: number) {
    this.most = most
  }

  isDue(id: string, block: number): boolean {
    const wait = this.waits.get(id)
    return wait === undefined || block >= wait.until
  }

  failed(id: string, block: number): void {
    const blocks = Math.min(this.most, 2 * (this.waits.get(id)?.blocks ?? 0) || 1)
    this.waits.set(id, { until: block + blocks, blocks })
  }

  worked(id: string): void {
    this.waits.delete(id)
  }
}
