import type { Address, Hex } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import type { Graph } from '@sluice/routing'
import type { Bounded } from '@sluice/simulation'
import type { Answers } from './answers.ts'

/** All that one request needs to know of a chain, at one block. Shared by all requests of that block. */
export type ChainView = {
  readonly snapshot: Snapshot
  /** Tokens, joined by commas, whose pools the snapshot is known to hold. */
  readonly groups: Bounded<string, true>
  readonly answers: Answers
  readonly graph: () => Graph
  /** Prices of the newest block in memory, which may be a later one. */
  readonly prices: () => Prices
  /** Wei per gas that the network asks for now. */
  readonly gasPriceWei: () => Promise<bigint>
  /** Wei per byte of calldata for publishing on the chain below; 0 where that costs nothing or is not known. */
  readonly l1FeePerByteWei: () => Promise<number>
  /** Code of an account at this block, read once. */
  readonly codeOf: (account: Address) => Promise<Hex>
  /** True while pools of some families are still being searched for, or cannot be found. */
  readonly poolsPending: () => boolean
  /** Rejects with QuotingError `GUARD_NOT_DEPLOYED` unless Guard and Executor have their recorded code at this block. */
  readonly assertDeployed: () => Promise<void>
}
