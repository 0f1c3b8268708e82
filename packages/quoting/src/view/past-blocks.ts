/** Pools and prices at past blocks. The pools of each block are read separately, if the node has its state. */
import { type Address, type Chain, listedTokens, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import {
  createMarket,
  type IndexedMarket,
  MarketError,
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
import { readHoldings, unlistedOf } from './holdings.ts'

/** Maximum blocks in memory, each with the pools of the requested tokens. */
const MAX_BLOCKS = 8
/** Maximum blocks read at a time; reading mostly waits for the node. */
const MAX_CONCURRENT_READS = 2
/** Maximum reads queued or in flight: as many as a chart needs, with a reserve. */
const MAX_WAITING = 80
/** Maximum milliseconds in the queue; a request whose expected wait is longer is rejected at once. */
const MAX_WAIT_MS = 6_000
/** Initial estimate of a read in milliseconds, and weight of the newest read in its moving average. */
const INITIAL_READ_MS = 200
const NEWEST_WEIGHT = 0.2
/**
 * Maximum milliseconds that a quote waits for pools discovered in the background, after the pools of its tokens are
 * read.
 */
const QUOTE_SETTLE_MS = 2_000

/** A past block in memory. */
type PastBlock = {
  readonly block: BlockHeader
  readonly market: IndexedMarket
  readonly redemptions: RedemptionCache
  readonly prices: Prices
  /** Tokens whose pools were read. */
  readonly pricedTokens: Set<Address>
  /** Token pairs whose pools were read. */
  readonly quotedPairs: Set<string>
}

/** A read of a past block in flight, with the number of its callers. */
type PastRead = { callers: number; readonly work: Promise<PastBlock> }

/** Pools for swaps between two tokens at a past block. */
export type PastState = {
  readonly snapshot: Snapshot
  readonly market: IndexedMarket
  readonly prices: Prices
  /** True if the search of past logs for pools is incomplete. */
  readonly poolsPending: boolean
}

/** Pools that can only be discovered in past logs, as the market of the newest block has discovered them. */
export type ListedPools = {
  readonly pools: readonly PoolEntry[]
  /** False while the logs are still being searched. */
  readonly isWhole: boolean
}
/** Lists the pools of some tokens that the log scan found; undefined if another process searches the logs. */
export type ListPools = (tokens: readonly Address[]) => Promise<ListedPools | undefined>

type Options = {
  /** Known token facts, which do not change between blocks. */
  readonly facts?: TokenFacts
  /**
   * Maximum wait in milliseconds for pools discovered in the background. If it suffices, answers at a block are
   * reproducible. A service does not wait, because past logs of a whole chain take minutes. Default 0.
   */
  readonly settleMs?: number
}

/** Reads pools and prices at past blocks, and caches the blocks. */
export class PastBlocks {
  private readonly chain: Chain
  private readonly facts: TokenFacts | undefined
  /** Tokens of the chain's file, whose pools' balances are not checked. */
  private readonly registry: ReadonlySet<Address>
  /** By kind and block hash; quotes and prices have separate entries. */
  private readonly blocks = new BoundedMap<string, PastBlock>(MAX_BLOCKS, {
    onEvict: ({ market }) => void market.stop(),
  })
  private readonly slots = new Semaphore(MAX_CONCURRENT_READS)
  /** Reads in flight, by block and tokens. */
  private readonly reading = new Map<string, PastRead>()
  /** Blocks that are being opened, by the key of `known`. */
  private readonly opening = new Map<string, Promise<PastBlock>>()
  private readonly settleMs: number
  private readMs = INITIAL_READ_MS

  constructor(chain: Chain, { facts, settleMs = 0 }: Options = {}) {
    this.chain = chain
    this.facts = facts
    this.settleMs = settleMs
    this.registry = new Set(listedTokens(chain).map(({ address }) => address))
  }

  /**
   * Returns prices at the end of a block.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many
   *   requests are queued
   */
  async pricesAt(
    number: BlockRef,
    tokens: readonly Address[],
    rpc: Rpc,
    signal?: AbortSignal,
  ): Promise<Pick<PastBlock, 'block' | 'prices'>> {
    const key = `prices ${number} ${[...new Set(tokens)].sort().join()}`
    return this.find(key, signal, {
      number,
      rpc,
      kind: 'prices',
      isKnown: ({ pricedTokens }) => tokens.every((token) => pricedTokens.has(token)),
      read: (past) => this.readPrices(past, tokens, rpc),
    })
  }

  /**
   * Returns the pools for a swap between two tokens, at the end of a block.
   *
   * @param ends - ERC-20 tokens
   * @param listPools - lists pools from the market of the newest block; past logs are searched if it returns undefined
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many
   *   requests are queued
   */
  async poolsAt(
    number: BlockRef,
    ends: readonly [Address, Address],
    { rpc, listPools, signal }: { readonly rpc: Rpc; readonly listPools: ListPools; readonly signal?: AbortSignal },
  ): Promise<PastState> {
    const pair = [...ends].sort().join()
    const listedPools = await listPools(ends)
    const { market, prices, quotedPairs } = await this.find(`pools ${number} ${pair}`, signal, {
      number,
      rpc,
      kind: listedPools ? 'listed pools' : 'pools',
      isKnown: ({ quotedPairs }) => quotedPairs.has(pair),
      read: (past) => this.readPools(past, ends, listedPools),
    })
    const poolsPending = !isScanned(market) || listedPools?.isWhole === false || !quotedPairs.has(pair)
    return { snapshot: market.snapshot(), market, prices, poolsPending }
  }

  /** Number of blocks in memory. */
  get count(): StateCount {
    return this.blocks.count
  }

  /** Drops all blocks. */
  async close(): Promise<void> {
    const all = [...this.blocks.values()]
    this.blocks.clear()
    await Promise.all(all.map(({ market }) => market.stop()))
  }

  private find(key: string, signal: AbortSignal | undefined, search: Search): Promise<PastBlock> {
    const reading = this.reading.get(key) ?? this.begin(key, search)
    reading.callers++
    const leave = onAbort(signal, () => reading.callers--)
    return abortable(reading.work, signal).finally(leave)
  }

  private begin(key: string, search: Search): PastRead {
    const { size } = this.reading
    if (size >= MAX_WAITING || (size / MAX_CONCURRENT_READS) * this.readMs > MAX_WAIT_MS) throw tooBusy()
    const hasCallers = () => reading.callers > 0
    const work = this.search(search, hasCallers).finally(() => this.reading.delete(key))
    const reading: PastRead = { callers: 0, work }
    this.reading.set(key, reading)
    work.catch(() => {})
    return reading
  }

  /**
   * Runs a read when it is its turn. A read in progress continues if all callers abort, since the next request can use
   * it; a queued read is dropped.
   */
  private async search({ number, rpc, kind, isKnown, read }: Search, hasCallers: () => boolean): Promise<PastBlock> {
    const block = await rpc.getBlock(number)
    if (!block) throw new QuotingError('NO_STATE', `the node has no block ${number}`)
    const cachedBlock = this.blocks.get(`${kind} ${block.hash}`)
    if (cachedBlock && isKnown(cachedBlock)) return cachedBlock
    const queuedAt = performance.now()
    return this.slots.run(async () => {
      const isLate = performance.now() - queuedAt > MAX_WAIT_MS
      if (isLate || !hasCallers()) throw tooBusy()
      const startedAt = performance.now()
      const past = await this.open(kind, block, rpc)
      await read(past)
      this.readMs += NEWEST_WEIGHT * (performance.now() - startedAt - this.readMs)
      return past
    })
  }

  private async readPrices(past: PastBlock, tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { block, market, redemptions, prices } = past
    const { hubs, wrappedNative } = this.chain
    const wrapper = wrappedNative?.address
    const wrappedTokens = tokens.flatMap((token) =>
      token === NATIVE || token === ZERO_ADDRESS ? (wrapper ?? []) : token,
    )
    await market.ensureGroups([hubs, ...wrappedTokens.map((token) => [token])])
    const realTokens = wrappedTokens.filter((token) => market.tokens.isToken(token) === true)
    const parts = await redemptions.readShares(realTokens, { rpc, block, holderOf: (share) => prices.holderOf(share) })
    const snapshot = await market.ensureGroups(parts.filter((token) => token !== ZERO_ADDRESS).map((part) => [part]))
    await prices.follow(this.settleMs > 0 ? await market.whenIdle(this.settleMs) : snapshot)
    const source = { snapshot: market.snapshot(), prices, rpc }
    await Promise.all(unlistedOf(wrappedTokens, this.registry, prices).map((token) => readHoldings(token, source)))
    for (const token of tokens) past.pricedTokens.add(token)
  }

  private async readPools(
    { market, prices, quotedPairs }: PastBlock,
    ends: readonly [Address, Address],
    listedPools: ListedPools | undefined,
  ): Promise<void> {
    if (listedPools) await market.addFoundPools(listedPools.pools)
    await market.ensureGroups([this.chain.hubs, ends])
    await prices.follow(await market.whenIdle(Math.max(this.settleMs, QUOTE_SETTLE_MS)))
    // Searching a whole chain's logs takes minutes, so other requests do not wait for it either.
    const isSettled = market.cacheCounts().queued?.entries === 0 || !isScanned(market)
    if (isSettled && listedPools?.isWhole !== false) quotedPairs.add([...ends].sort().join())
  }

  private async open(kind: Search['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const key = `${kind} ${block.hash}`
    const cachedBlock = this.blocks.get(key)
    if (cachedBlock) return cachedBlock
    const opening = this.opening.get(key) ?? this.create(kind, block, rpc).finally(() => this.opening.delete(key))
    this.opening.set(key, opening)
    const past = await opening
    this.blocks.set(key, past)
    return past
  }

  private async create(kind: Search['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    await assertState(this.chain, block, rpc)
    const market = createMarket({
      chain: this.chain,
      rpc: headedBy(rpc, block),
      ...(this.facts && { facts: this.facts }),
      searchesLogs: kind !== 'listed pools',
    })
    const redemptions = new RedemptionCache(this.chain)
    const prices = new Prices(this.chain, {
      decimals: (token) => market.tokens.decimals(token),
      redemptions: (token) => redemptions.readingsOf(token),
    })
    return { block, market, redemptions, prices, pricedTokens: new Set(), quotedPairs: new Set() }
  }
}

/** A read of a past block. */
type Search = {
  readonly number: BlockRef
  readonly rpc: Rpc
  /** Blocks of different kinds hold different pools. */
  readonly kind: 'prices' | 'pools' | 'listed pools'
  /** True if the block holds everything that the request needs. */
  readonly isKnown: (past: PastBlock) => boolean
  readonly read: (past: PastBlock) => Promise<void>
}

/** True unless past logs are still being searched for pools. */
export const isScanned = (market: Pick<IndexedMarket, 'health'>): boolean =>
  (market.health().scan?.state ?? 'done') === 'done'

const tooBusy = () => new MarketError('BUSY', 'too many requests for past blocks')

/**
 * Throws if the node has pruned the block's state: pruned nodes report an error here, but pools would just seem not to
 * exist.
 */
async function assertState({ hubs }: Chain, { number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    // By number: the block is not the newest, so a node without its state will not have it a moment later.
    await rpc.getCode(hub, number)
  } catch (error) {
    if (!(error instanceof RpcError) || !error.ofBlock) throw error
    throw new QuotingError('NO_STATE', `the node does not have the state of block ${number} any more`)
  }
}

/** Wraps a node so that its head is the given block. */
const headedBy = (rpc: Rpc, head: BlockHeader): Rpc =>
  rpcWith(rpc, {
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    close: () => {},
  })
