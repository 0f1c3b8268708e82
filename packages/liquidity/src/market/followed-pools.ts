/** Map of the pools that a market follows. */
import type { Address } from '@sluice/chains'
import type { PoolEntry } from './pool-reader.ts'

const NO_IDS: ReadonlySet<string> = new Set()

/**
 * Followed pools by id. `silentIds` are the pools that change without a log. The market reads them again at every
 * block, unless the gas budget of these reads is used up (`refresh-budget.ts`).
 */
export class FollowedPools extends Map<string, PoolEntry> {
  readonly silentIds = new Set<string>()
  private readonly isSilent: (entry: PoolEntry) => boolean
  private readonly followsContract: (entry: PoolEntry) => boolean
  /**
   * Ids of pools by contract, only for pools that `followsContract` accepts. The contracts of a pool are its own address
   * and the address of its row (the DEX deployment in the chain's file).
   */
  private readonly idsByContract = new Map<Address, Set<string>>()

  /** @param followsContract - true for a pool whose family has `contractTopics`: logs for all pools of a contract */
  constructor(isSilent: (entry: PoolEntry) => boolean, followsContract: (entry: PoolEntry) => boolean) {
    super()
    this.isSilent = isSilent
    this.followsContract = followsContract
  }

  /** Returns the ids of the pools that a log of a contract with a topic of `contractTopics` concerns. */
  idsOfContract(contract: Address): Iterable<string> {
    return this.idsByContract.get(contract) ?? NO_IDS
  }

  override set(id: string, entry: PoolEntry): this {
    // A pool that is set again keeps its place in `silentIds`, because pools are refreshed in turns in this order.
    if (this.isSilent(entry)) this.silentIds.add(id)
    else this.silentIds.delete(id)
    this.removeContracts(id)
    for (const contract of this.followsContract(entry) ? contractsOf(entry) : []) {
      const ids = this.idsByContract.get(contract)
      if (ids) ids.add(id)
      else this.idsByContract.set(contract, new Set([id]))
    }
    return super.set(id, entry)
  }

  override delete(id: string): boolean {
    this.silentIds.delete(id)
    this.removeContracts(id)
    return super.delete(id)
  }

  override clear(): void {
    this.silentIds.clear()
    this.idsByContract.clear()
    super.clear()
  }

  private removeContracts(id: string): void {
    const entry = this.get(id)
    for (const contract of entry ? contractsOf(entry) : []) {
      const ids = this.idsByContract.get(contract)
      if (ids?.delete(id) && ids.size === 0) this.idsByContract.delete(contract)
    }
  }
}

const contractsOf = ({ row, pool }: PoolEntry): readonly Address[] => [row.address, pool.address]
