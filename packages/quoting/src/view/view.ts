/** A chain at one block, as requests see it. */
import type { Address, Hex } from '@sluice/chains'
import type { SampledSwap, Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import type { Graph } from '@sluice/routing'
import type { BoundedMap } from '@sluice/simulation'
import type { ResponseCache } from './answers.ts'

/** State of a chain at one block, shared by all requests at that block. */
export type ChainView = {
  readonly snapshot: Snapshot
  /** Groups of tokens, joined by commas, whose pools the snapshot holds. */
  readonly groups: BoundedMap<string, true>
  readonly answers: ResponseCache
  readonly graph: () => Graph
  /**
   * Samples pools at the inputs of swaps, by pool id. Returns a view of the same block with these samples, or this view
   * if the chain has moved on. Absent if this process does not read the chain.
   *
   * @throws RpcError
   */
  readonly refine?: (swaps: ReadonlyMap<string, readonly SampledSwap[]>) => Promise<ChainView>
  /** Prices of the newest block in memory, which may be later than this block. */
  readonly prices: () => Prices
  /** Current gas price in wei. */
  readonly gasPriceWei: () => Promise<bigint>
  /** Data fee of publishing on L1, in wei per byte of calldata; 0 if there is none or it is unknown. */
  readonly l1FeePerByteWei: () => Promise<number>
  /** Reads an account's code at this block, and caches it. */
  readonly codeOf: (account: Address) => Promise<Hex>
  /** True while pools of some families are still being searched for, or cannot be found. */
  readonly poolsPending: () => boolean
  /**
   * Rejects with QuotingError `GUARD_NOT_DEPLOYED` unless Guard and Executor have their recorded code at this block.
   */
  readonly assertDeployed: () => Promise<void>
}
