/** Map of the pools that a market follows. */
import type { PoolEntry } from './pool-reader.ts'

/** Followed pools by id. Keeps the ids of pools that change without a log, since every block must list them. */
export class FollowedPools extends Map<string, PoolEntry> {
  readonly silent = new Set<string>()
  private readonly isSilent: (entry: PoolEntry) => boolean

  constructor(isSilent: (entry: PoolEntry) => boolean) {
    super()
    this.isSilent = isSilent
  }

  override set(id: string, entry: PoolEntry): this {
    if (this.isSilent(entry)) this.silent.add(id)
    else this.silent.delete(id)
    return super.set(id, entry)
  }

  override delete(id: string): boolean {
    this.silent.delete(id)
    return super.delete(id)
  }

  override clear(): void {
    this.silent.clear()
    super.clear()
  }
}
