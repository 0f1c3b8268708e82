/** The view of a chain at one block that requests use. */
import type { Address, Hex } from '@sluice/chains'
import type { SampledSwap, Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import type { Graph } from '@sluice/routing'
import type { BoundedMap } from '@sluice/simulation'
import type { ResponseCache } from './response-cache.ts'

/** State of a chain at one block, shared by all requests at that block. */
export type ChainView = {
  readonly snapshot: Snapshot
  /** Keys of token groups (addresses joined by commas) whose pools are loaded, and of tokens loaded for prices. */
  readonly groups: BoundedMap<string, true>
  /** Responses to requests at this block. */
  readonly responses: ResponseCache
  /** Returns the routing graph of the pools, which is built on first use. */
  readonly graph: () => Graph
  /**
   * Reads the outputs of sampled pools (quoted from simulated swaps) for more inputs. Returns a view of the same block
   * with these samples, or this view if there is a newer block in memory. Absent if another process reads the pools.
   *
   * @param swaps - inputs to sample, by pool id
   * @throws RpcError if the node fails
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
  /** Reads an account's balance of a token at this block, and caches it; 0n if the token does not respond. */
  readonly balanceOf: (token: Address, account: Address) => Promise<bigint>
  /** True while the search for pools is incomplete: it still runs, or it fails for some families. */
  readonly poolsPending: () => boolean
  /**
   * Rejects with QuotingError `GUARD_NOT_DEPLOYED` unless our contracts (Guard and Executor) have their recorded code
   * at this block.
   */
  readonly assertDeployed: () => Promise<void>
}
