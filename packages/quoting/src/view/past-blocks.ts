/**
 * Reads pools and prices at past blocks, for past quotes and past prices. Each block has a market of its own. The node
 * must have the state of the block.
 */
import { type Address, type Chain, listedTokens, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import {
  createMarket,
  type IndexedMarket,
  MarketError,
  type Pool,
  type PoolEntry,
  RedemptionCache,
  type Snapshot,
  type TokenFacts,
} from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import {
  abortable,
  type BlockHeader,
  type BlockRef,
  onAbort,
  type Rpc,
  RpcError,
  rpcWith,
  Semaphore,
} from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { readHoldings, unlistedTokens } from './holdings.ts'

/** Maximum blocks in memory, each with the pools of the requested tokens. */
const MAX_BLOCKS = 8
/** Maximum blocks read at a time; reading mostly waits for the node. */
const MAX_CONCURRENT_READS = 2
/** Maximum reads that are queued or in flight: as many as a price chart needs, with a reserve. */
const MAX_WAITING = 80
/** Maximum milliseconds in the queue; a request whose expected wait is longer is rejected at once. */
const MAX_WAIT_MS = 6_000
/** Maximum tokens of a request that are checked at a time. */
const MAX_CONCURRENT_CHECKS = 8
/** Maximum rounds of checks per request: after a check, a price may depend on other tokens. */
const MAX_ROUNDS = 3
/** Initial estimate of the duration of a read. */
const INITIAL_READ_MS = 200
/** Weight of the newest read in the moving average of the duration. */
const NEWEST_WEIGHT = 0.2
/**
 * Milliseconds that a quote waits at most for pools that are discovered in the background, unless `Options.settleMs` is
 * larger. The wait starts when the known pools of the quote's tokens are read.
 */
const MIN_QUOTE_SETTLE_MS = 2_000

/** A past block in memory. */
type PastBlock = {
  readonly block: BlockHeader
  readonly market: IndexedMarket
  readonly redemptions: RedemptionCache
  readonly prices: Prices
  /** Unlisted tokens whose balances were read and whose sale was tested. */
  readonly checkedTokens: Set<Address>
  /** Tokens that could not be sold at this block. */
  readonly unsellableTokens: Set<Address>
  /** Tokens whose pools were read. */
  readonly pricedTokens: Set<Address>
  /** Token pairs whose pools were read. */
  readonly quotedPairs: Set<string>
  /** Reads in flight. */
  readCount: number
  /** True once the block is no longer in memory. Its market then stops after the last read. */
  isEvicted: boolean
}

/** A read of a past block in flight, with the number of its callers. */
type PastRead = { callers: number; readonly result: Promise<PastBlock> }

/** Prices at the end of a past block. */
export type PastPrices = Pick<PastBlock, 'block' | 'prices'> & {
  /** True for a token whose price depends on unlisted tokens that were not tested, so that it is not served. */
  readonly isPending: (token: Address) => boolean
}

/** Pools for swaps between two tokens at a past block. */
export type PastState = {
  readonly snapshot: Snapshot
  readonly market: IndexedMarket
  readonly prices: Prices
  /** True if the search of past logs for pools is incomplete. */
  readonly poolsPending: boolean
}

/** Pools that only a search of past logs finds, from the market of the newest block, which searches the logs. */
export type ListedPools = {
  readonly pools: readonly PoolEntry[]
  /** False while the logs are still being searched. */
  readonly isComplete: boolean
}
/**
 * Lists the pools of some tokens that the search of past logs has found; undefined if another process searches the
 * logs.
 */
export type ListPools = (tokens: readonly Address[]) => Promise<ListedPools | undefined>

/** Tests whether a token can be sold to a pool at a block; null if that is unknown. @throws RpcError */
export type TestPastSale = (
  token: Address,
  pool: Pool,
  source: { readonly rpc: Rpc; readonly block: BlockRef },
) => Promise<boolean | null>

type Options = {
  /** Tests sales of unlisted tokens before they, and tokens whose prices depend on them, are priced; no tests if absent. */
  readonly testSale?: TestPastSale
  /** Known token facts, which do not change between blocks. */
  readonly facts?: TokenFacts
  /**
   * Maximum wait in milliseconds for pools that are discovered in the background. If all are found in this time,
   * results at a block are reproducible. A service does not wait, because scanning all past logs of a chain takes
   * minutes. Default 0.
   */
  readonly settleMs?: number
}

/** Reads pools and prices at past blocks, and caches the blocks. */
export class PastBlocks {
  private readonly chain: Chain
  private readonly facts: TokenFacts | undefined
  private readonly testSale: TestPastSale
  /** Tokens of the chain's file. For other tokens, the depth of a pool is capped at the balance that the pool holds. */
  private readonly listedTokenSet: ReadonlySet<Address>
  /** By kind (see `ReadRequest`) and block hash. */
  private readonly blocksByKey = new BoundedMap<string, PastBlock>(MAX_BLOCKS, {
    onEvict: (pastBlock) => {
      pastBlock.isEvicted = true
      stopUnused(pastBlock)
    },
  })
  private readonly slots = new Semaphore(MAX_CONCURRENT_READS)
  /** Reads in flight, by block and tokens. */
  private readonly readsByKey = new Map<string, PastRead>()
  /** Blocks that are being opened, by the key of `blocksByKey`. */
  private readonly openingsByKey = new Map<string, Promise<PastBlock>>()
  private readonly settleMs: number
  /** Number of calls of `close`. */
  private closeCount = 0
  private averageReadMs = INITIAL_READ_MS

  constructor(chain: Chain, { facts, settleMs = 0, testSale = async () => null }: Options = {}) {
    this.chain = chain
    this.testSale = testSale
    this.facts = facts
    this.settleMs = settleMs
    this.listedTokenSet = new Set(listedTokens(chain).map(({ address }) => address))
  }

  /**
   * Returns prices at the end of a block.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many
   *   requests are queued
   */
  async pricesAt(blockRef: BlockRef, tokens: readonly Address[], rpc: Rpc, signal?: AbortSignal): Promise<PastPrices> {
    const key = `prices ${blockRef} ${[...new Set(tokens)].sort().join()}`
    const pastBlock = await this.shareRead(key, signal, {
      blockRef,
      rpc,
      kind: 'prices',
      // Pools that other requests have added since may price a token through others that were not checked.
      isLoaded: (pastBlock) =>
        tokens.every((token) => pastBlock.pricedTokens.has(token) && !dependsOnUnchecked(token, pastBlock)),
      read: (pastBlock) => this.readPrices(pastBlock, tokens, rpc),
    })
    const { block, prices } = pastBlock
    return { block, prices, isPending: (token) => dependsOnUnchecked(token, pastBlock) }
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
    const pair = [...pairTokens].sort().join()
    const listedPools = await listPools(pairTokens)
    const { market, prices, quotedPairs } = await this.shareRead(`pools ${blockRef} ${pair}`, signal, {
      blockRef,
      rpc,
      kind: listedPools ? 'listed pools' : 'pools',
      isLoaded: ({ quotedPairs }) => quotedPairs.has(pair),
      read: (pastBlock) => this.readPools(pastBlock, pairTokens, listedPools),
    })
    const poolsPending = !isScanned(market) || listedPools?.isComplete === false || !quotedPairs.has(pair)
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

  private shareRead(key: string, signal: AbortSignal | undefined, readRequest: ReadRequest): Promise<PastBlock> {
    const pastRead = this.readsByKey.get(key) ?? this.startRead(key, readRequest)
    pastRead.callers++
    const stopListening = onAbort(signal, () => pastRead.callers--)
    return abortable(pastRead.result, signal).finally(stopListening)
  }

  private startRead(key: string, readRequest: ReadRequest): PastRead {
    const { size } = this.readsByKey
    if (size >= MAX_WAITING || (size / MAX_CONCURRENT_READS) * this.averageReadMs > MAX_WAIT_MS) throw busyError()
    const hasCallers = () => pastRead.callers > 0
    const result = this.runRead(readRequest, hasCallers).finally(() => this.readsByKey.delete(key))
    const pastRead: PastRead = { callers: 0, result }
    this.readsByKey.set(key, pastRead)
    result.catch(() => {})
    return pastRead
  }

  /**
   * Runs a read once a slot is free. If all callers abort, a queued read is dropped, but a started read continues,
   * since the next request can use its result.
   */
  private async runRead(
    { blockRef, rpc, kind, isLoaded, read }: ReadRequest,
    hasCallers: () => boolean,
  ): Promise<PastBlock> {
    const block = await rpc.getBlock(blockRef)
    if (!block) throw new QuotingError('NO_STATE', `the node has no block ${blockRef}`)
    const cachedBlock = this.blocksByKey.get(`${kind} ${block.hash}`)
    if (cachedBlock && isLoaded(cachedBlock)) return cachedBlock
    const queuedAt = performance.now()
    return this.slots.run(async () => {
      const isLate = performance.now() - queuedAt > MAX_WAIT_MS
      if (isLate || !hasCallers()) throw busyError()
      const startedAt = performance.now()
      const pastBlock = await this.openBlock(kind, block, rpc)
      pastBlock.readCount++
      try {
        await read(pastBlock)
      } finally {
        pastBlock.readCount--
        stopUnused(pastBlock)
      }
      this.averageReadMs += NEWEST_WEIGHT * (performance.now() - startedAt - this.averageReadMs)
      return pastBlock
    })
  }

  private async readPrices(pastBlock: PastBlock, tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { block, market, redemptions, prices } = pastBlock
    const { hubs, wrappedNative } = this.chain
    const wrappedAddress = wrappedNative?.address
    const erc20Tokens = tokens.flatMap((token) =>
      token === NATIVE || token === ZERO_ADDRESS ? (wrappedAddress ?? []) : token,
    )
    await market.ensureGroups([hubs, ...erc20Tokens.map((token) => [token])])
    const realTokens = erc20Tokens.filter((token) => market.tokens.isToken(token) === true)
    const underlyingTokens = await redemptions.readShares(realTokens, {
      rpc,
      block,
      holderOf: (share) => prices.holderOf(share),
    })
    await market.ensureGroups(underlyingTokens.filter((token) => token !== ZERO_ADDRESS).map((token) => [token]))
    await prices.follow(await market.whenIdle(this.settleMs))
    await this.checkTokens(pastBlock, erc20Tokens, rpc)
    for (const token of tokens) pastBlock.pricedTokens.add(token)
  }

  /**
   * Checks the unlisted tokens among some tokens, and those on which their prices depend: reads the balances of their
   * pools, and tests whether they could be sold at the block.
   *
   * @throws RpcError if balances cannot be read
   */
  private async checkTokens(pastBlock: PastBlock, tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { market, prices, checkedTokens } = pastBlock
    const source = { snapshot: market.snapshot(), prices, rpc }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const intermediates = tokens.flatMap((token) => prices.intermediatesOf(token) ?? [])
      const dueTokens = [...new Set([...unlistedTokens(tokens, this.listedTokenSet, prices), ...intermediates])].filter(
        (token) => !checkedTokens.has(token),
      )
      if (dueTokens.length === 0) return
      for (let k = 0; k < dueTokens.length; k += MAX_CONCURRENT_CHECKS)
        await Promise.all(
          dueTokens.slice(k, k + MAX_CONCURRENT_CHECKS).map(async (token) => {
            await Promise.all([readHoldings(token, source), this.checkSale(token, pastBlock, rpc)])
            checkedTokens.add(token)
          }),
        )
    }
  }

  /** Tests a sale to the pools that decide the token's price. A token counts as sellable if the node cannot test it. */
  private async checkSale(token: Address, { block, prices, unsellableTokens }: PastBlock, rpc: Rpc): Promise<void> {
    const source = { rpc, block: { blockHash: block.hash } }
    const results = await Promise.all(
      prices.decidingPoolsOf(token).map((pool) =>
        this.testSale(token, pool, source).catch((error: unknown) => {
          if (error instanceof RpcError) return null
          throw error
        }),
      ),
    )
    if (!results.includes(false)) return
    unsellableTokens.add(token)
    await prices.updateSellability(token)
  }

  private async readPools(
    { market, prices, quotedPairs }: PastBlock,
    pairTokens: readonly [Address, Address],
    listedPools: ListedPools | undefined,
  ): Promise<void> {
    if (listedPools) await market.addFoundPools(listedPools.pools)
    await market.ensureGroups([this.chain.hubs, pairTokens])
    await prices.follow(await market.whenIdle(Math.max(this.settleMs, MIN_QUOTE_SETTLE_MS)))
    // While past logs are being scanned, which takes minutes, the pair counts as read once the pools found so far are.
    const isReadComplete = market.cacheCounts().queued?.entries === 0 || !isScanned(market)
    if (isReadComplete && listedPools?.isComplete !== false) quotedPairs.add([...pairTokens].sort().join())
  }

  private async openBlock(kind: ReadRequest['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const key = `${kind} ${block.hash}`
    const cachedBlock = this.blocksByKey.get(key)
    if (cachedBlock) return cachedBlock
    const opening =
      this.openingsByKey.get(key) ?? this.createBlock(kind, block, rpc).finally(() => this.openingsByKey.delete(key))
    this.openingsByKey.set(key, opening)
    return opening
  }

  private async createBlock(kind: ReadRequest['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const { closeCount } = this
    await assertState(this.chain, block, rpc)
    const market = createMarket({
      chain: this.chain,
      rpc: rpcWithHead(rpc, block),
      ...(this.facts && { facts: this.facts }),
      searchesLogs: kind !== 'listed pools',
    })
    const redemptions = new RedemptionCache(this.chain)
    const unsellableTokens = new Set<Address>()
    const prices = new Prices(this.chain, {
      decimals: (token) => market.tokens.decimals(token),
      isUnsellable: (token) => unsellableTokens.has(token),
      redemptions: (token) => redemptions.readingsOf(token),
    })
    const checked = { checkedTokens: new Set<Address>(), unsellableTokens }
    const loaded = { pricedTokens: new Set<Address>(), quotedPairs: new Set<string>() }
    // A block that is opened during `close` is not kept: nobody would stop its market.
    const isEvicted = this.closeCount !== closeCount
    const pastBlock: PastBlock = {
      ...{ block, market, redemptions, prices, ...checked, ...loaded },
      readCount: 0,
      isEvicted,
    }
    if (!isEvicted) this.blocksByKey.set(`${kind} ${block.hash}`, pastBlock)
    return pastBlock
  }
}

/** A read of a past block. */
type ReadRequest = {
  readonly blockRef: BlockRef
  readonly rpc: Rpc
  /** Blocks of different kinds hold different pools. */
  readonly kind: 'prices' | 'pools' | 'listed pools'
  /** True if the block holds everything that the request needs. */
  readonly isLoaded: (pastBlock: PastBlock) => boolean
  readonly read: (pastBlock: PastBlock) => Promise<void>
}

/** True unless past logs are still being searched for pools. */
export const isScanned = (market: Pick<IndexedMarket, 'health'>): boolean =>
  (market.health().scan?.state ?? 'done') === 'done'

/** True if the price of a token depends on an unlisted token that was not checked, or on too many. */
const dependsOnUnchecked = (token: Address, { prices, checkedTokens }: PastBlock): boolean =>
  prices.intermediatesOf(token)?.some((intermediate) => !checkedTokens.has(intermediate)) ?? true

/** Stops the market of a block that is neither in memory nor being read. */
function stopUnused({ market, readCount, isEvicted }: PastBlock): void {
  if (isEvicted && readCount === 0) void market.stop()
}

const busyError = () => new MarketError('BUSY', 'too many requests for past blocks')

/**
 * Throws if the node has pruned the block's state. Without this check, all pools of the block would seem not to exist.
 */
async function assertState({ hubs }: Chain, { number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    // Read by number: the client then reports a missing state at once. By hash, the client would assume that the node
    // has not received the block yet, and try again.
    await rpc.getCode(hub, number)
  } catch (error) {
    if (!(error instanceof RpcError) || !error.mayDependOnBlock) throw error
    throw new QuotingError('NO_STATE', `the node does not have the state of block ${number} any more`)
  }
}

/** Wraps a node so that its head is the given block. */
const rpcWithHead = (rpc: Rpc, head: BlockHeader): Rpc =>
  rpcWith(rpc, {
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    close: () => {},
  })
