/** Map of the pools that a market follows. */
import type { PoolEntry } from './pool-reader.ts'

/** Followed pools by id. `silentIds` are the pools that change without a log, which are read again at every block. */
export class FollowedPools extends Map<string, PoolEntry> {
  readonly silentIds = new Set<string>()
  private readonly isSilent: (entry: PoolEntry) => boolean

  constructor(isSilent: (entry: PoolEntry) => boolean) {
    super()
    this.isSilent = isSilent
  }

  override set(id: string, entry: PoolEntry): this {
    if (this.isSilent(entry)) this.silentIds.add(id)
    else this.silentIds.delete(id)
    return super.set(id, entry)
  }

  override delete(id: string): boolean {
    this.silentIds.delete(id)
    return super.delete(id)
  }

  override clear(): void {
    this.silentIds.clear()
    super.clear()
  }
}
