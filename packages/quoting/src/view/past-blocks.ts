/**
 * Caches the pools and prices of past blocks, for past quotes and past prices. The node must have the states of these
 * blocks. A market finds pools and reads their states.
 */
import type { Address, Chain, Hex } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { BlockHeader, BlockRef, Rpc } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { isScanned, type ListedPools, PastBlock, type PastBlockOptions } from './past-block.ts'
import { SharedReads } from './shared-reads.ts'

/** Maximum blocks in memory, each with the pools of the requested tokens. */
const MAX_BLOCKS = 8

/** Prices at the end of a past block. */
export type PastPrices = Pick<PastBlock, 'block' | 'prices'> & {
  /**
   * True for a token whose price depends on tokens outside the chain's file that were not tested. Such a price must not
   * be served.
   */
  readonly isPending: (token: Address) => boolean
}

/** Pools for swaps between two tokens at a past block. */
export type PastState = Pick<PastBlock, 'market' | 'prices'> & {
  readonly snapshot: Snapshot
  /** True if the search of past logs for pools is incomplete. */
  readonly poolsPending: boolean
}

/**
 * Lists the pools of some tokens that the search of past logs has found; undefined if another process searches the
 * logs.
 */
export type ListPools = (tokens: readonly Address[]) => Promise<ListedPools | undefined>

/**
 * Kind of pools that a block holds.
 * - `prices`: pools that decide prices.
 * - `pools`: pools for swaps, found by the block's own search of past logs.
 * - `listed pools`: pools for swaps, found by the market of the newest block.
 */
type BlockKind = 'prices' | 'pools' | 'listed pools'

/** A read of a past block. */
type ReadRequest = {
  readonly blockRef: BlockRef
  readonly rpc: Rpc
  readonly kind: BlockKind
  /** True if the block holds everything that the request needs. */
  readonly isLoaded: (pastBlock: PastBlock) => boolean
  readonly read: (pastBlock: PastBlock) => Promise<void>
}

/** Reads pools and prices at past blocks, and caches the blocks. */
export class PastBlocks {
  private readonly chain: Chain
  private readonly options: PastBlockOptions
  /** Cached blocks. Key: kind and block hash. */
  private readonly blocksByKey = new BoundedMap<string, PastBlock>(MAX_BLOCKS, {
    onEvict: (pastBlock) => pastBlock.evict(),
  })
  /** Blocks that are being opened, by the key of `blocksByKey`. */
  private readonly openingsByKey = new Map<string, Promise<PastBlock>>()
  private readonly reads = new SharedReads<PastBlock>()
  /** Number of calls of `close`. */
  private closeCount = 0

  constructor(chain: Chain, options: PastBlockOptions = {}) {
    this.chain = chain
    this.options = options
  }

  /**
   * Returns prices at the end of a block.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many
   *   requests are queued
   */
  async pricesAt(blockRef: BlockRef, tokens: readonly Address[], rpc: Rpc, signal?: AbortSignal): Promise<PastPrices> {
    const pastBlock = await this.read(`prices ${blockRef} ${[...new Set(tokens)].sort().join()}`, signal, {
      ...{ blockRef, rpc, kind: 'prices' },
      isLoaded: (pastBlock) => pastBlock.hasPrices(tokens),
      read: (pastBlock) => pastBlock.readPrices(tokens, rpc),
    })
    const { block, prices } = pastBlock
    return { block, prices, isPending: (token) => pastBlock.dependsOnUnchecked(token) }
  }

  /**
   * Returns the pools for a swap between two tokens, at the end of a block.
   *
   * @param pairTokens - ERC-20 tokens
   * @param listPools - lists pools from the market of the newest block; undefined if past logs must be searched
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many
   *   requests are queued
   */
  async poolsAt(
    blockRef: BlockRef,
    pairTokens: readonly [Address, Address],
    { rpc, listPools, signal }: { readonly rpc: Rpc; readonly listPools: ListPools; readonly signal?: AbortSignal },
  ): Promise<PastState> {
    const listedPools = await listPools(pairTokens)
    const pastBlock = await this.read(`pools ${blockRef} ${[...pairTokens].sort().join()}`, signal, {
      ...{ blockRef, rpc, kind: listedPools ? 'listed pools' : 'pools' },
      isLoaded: (pastBlock) => pastBlock.hasPools(pairTokens),
      read: (pastBlock) => pastBlock.readPools(pairTokens, listedPools),
    })
    const { market, prices } = pastBlock
    const poolsPending = !isScanned(market) || listedPools?.isComplete === false || !pastBlock.hasPools(pairTokens)
    return { snapshot: market.snapshot(), market, prices, poolsPending }
  }

  /** Number of blocks in memory. */
  get count(): StateCount {
    return this.blocksByKey.count
  }

  /** Drops all blocks. A read in flight ends, but its block is not kept. */
  async close(): Promise<void> {
    this.closeCount++
    const cachedBlocks = [...this.blocksByKey.values()]
    this.blocksByKey.clear()
    await Promise.all(cachedBlocks.map(({ market }) => market.stop()))
  }

  private read(
    key: string,
    signal: AbortSignal | undefined,
    { blockRef, rpc, kind, isLoaded, read }: ReadRequest,
  ): Promise<PastBlock> {
    return this.reads.run(key, signal, async (runInSlot) => {
      const block = await rpc.getBlock(blockRef)
      if (!block) throw new QuotingError('NO_STATE', `the node has no block ${blockRef}`)
      const cachedBlock = this.blocksByKey.get(keyOf(kind, block))
      if (cachedBlock && isLoaded(cachedBlock)) return cachedBlock
      return runInSlot(async () => {
        const pastBlock = await this.open(kind, block, rpc)
        await pastBlock.use(() => read(pastBlock))
        return pastBlock
      })
    })
  }

  private async open(kind: BlockKind, block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const key = keyOf(kind, block)
    const cachedBlock = this.blocksByKey.get(key)
    if (cachedBlock) return cachedBlock
    const opening =
      this.openingsByKey.get(key) ?? this.create(kind, block, rpc).finally(() => this.openingsByKey.delete(key))
    this.openingsByKey.set(key, opening)
    return opening
  }

  private async create(kind: BlockKind, block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const { closeCount } = this
    const searchesLogs = kind !== 'listed pools'
    const pastBlock = await PastBlock.open(this.chain, block, rpc, { ...this.options, searchesLogs })
    // A block that is opened during `close` is not kept: nobody would stop its market.
    if (this.closeCount === closeCount) this.blocksByKey.set(keyOf(kind, block), pastBlock)
    else pastBlock.evictAfterRead()
    return pastBlock
  }
}

const keyOf = (kind: BlockKind, { hash }: { readonly hash: Hex }): string => `${kind} ${hash}`
