/** Map of the pools that a market follows. */
import type { FoundPool } from './pool-reader.ts'

/** Followed pools by id. Keeps the ids of pools that change without a log, since every block must list them. */
export class FoundPools extends Map<string, FoundPool> {
  readonly silent = new Set<string>()
  private readonly isSilent: (entry: FoundPool) => boolean

  constructor(isSilent: (entry: FoundPool) => boolean) {
    super()
    this.isSilent = isSilent
  }

  override set(id: string, entry: FoundPool): this {
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
