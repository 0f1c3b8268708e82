/** Pools and prices at past blocks: each block's pools are read for it alone, if the node has its state. */
import { type Address, type Chain, listedTokens, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import {
  createMarket,
  type FoundPool,
  type IndexedMarket,
  MarketError,
  Redemptions,
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
import { Bounded, type StateCount } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { readHoldings, unlistedOf } from './holdings.ts'

/** Blocks in memory, each with the pools of the tokens that were asked for. */
const MAX_BLOCKS = 8
/** Blocks that are read at a time: mostly the node is waited for. */
const AT_ONCE = 2
/** Requests that may wait for their block at a time: a chart's, with some to spare. Those for what is known wait for nothing. */
const MAX_WAITING = 80
/** Milliseconds after which a caller would have given up: a request that is expected to begin later is refused at once. */
const MAX_WAIT_MS = 6_000
/** Milliseconds that a block takes as long as none was read, and weight of the newest one read. */
const FIRST_GUESS_MS = 200
const NEWEST = 0.2
/** Milliseconds that a quote waits for pools that are found in the background, once the pools of its tokens are read. */
const QUOTE_SETTLE_MS = 2_000

/** A past block in memory. */
type PastBlock = {
  readonly block: BlockHeader
  readonly market: IndexedMarket
  readonly redemptions: Redemptions
  readonly prices: Prices
  /** Tokens that were looked for. */
  readonly pricedTokens: Set<Address>
  /** Pairs of tokens whose pools were looked for. */
  readonly quotedPairs: Set<string>
}

/** A read of a past block that is in flight, with the number of callers that wait for it. */
type PastRead = { callers: number; readonly work: Promise<PastBlock> }

/** Pools that trade two tokens at a past block. */
export type PastState = {
  readonly snapshot: Snapshot
  readonly market: IndexedMarket
  readonly prices: Prices
  /** The search of past logs for pools has not ended. */
  readonly poolsPending: boolean
}

/** Pools that only past logs tell of, as the market of the newest block has found them. */
export type ListedPools = {
  readonly pools: readonly FoundPool[]
  /** False while the logs are still being searched. */
  readonly isWhole: boolean
}
/** Undefined if another process searches the logs. */
export type ListPools = (tokens: readonly Address[]) => Promise<ListedPools | undefined>

type Options = {
  /** Token facts that are known already; they do not change from block to block. */
  readonly facts?: TokenFacts
  /**
   * Longest wait for pools that are found in the background: one block has one answer if that is enough. A service does not wait,
   * because past logs of a whole chain take minutes.
   */
  readonly settleMs?: number
}

export class PastBlocks {
  private readonly chain: Chain
  private readonly facts: TokenFacts | undefined
  /** Tokens that the chain's file lists: the balances of their pools are not read. */
  private readonly listed: ReadonlySet<Address>
  /** By hash, and for quotes apart from prices. */
  private readonly known = new Bounded<string, PastBlock>(MAX_BLOCKS, { onEvict: ({ market }) => void market.stop() })
  private readonly turns = new Semaphore(AT_ONCE)
  /** By block and tokens. */
  private readonly reading = new Map<string, PastRead>()
  /** By the key of `known`. */
  private readonly opening = new Map<string, Promise<PastBlock>>()
  private readonly settleMs: number
  private readMs = FIRST_GUESS_MS

  constructor(chain: Chain, { facts, settleMs = 0 }: Options = {}) {
    this.chain = chain
    this.facts = facts
    this.settleMs = settleMs
    this.listed = new Set(listedTokens(chain).map(({ address }) => address))
  }

  /**
   * Prices as they were at the end of a block.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many wait
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
   * Pools that a swap between two tokens can use, as they were at the end of a block.
   *
   * @param ends - ERC-20 tokens
   * @param listPools - list from the market of the newest block; past logs are searched if it has none
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many wait
   */
  async poolsAt(
    number: BlockRef,
    ends: readonly [Address, Address],
    { rpc, listPools, signal }: { readonly rpc: Rpc; readonly listPools: ListPools; readonly signal?: AbortSignal },
  ): Promise<PastState> {
    const pair = [...ends].sort().join()
    const listed = await listPools(ends)
    const { market, prices, quotedPairs } = await this.find(`pools ${number} ${pair}`, signal, {
      number,
      rpc,
      kind: listed ? 'listed pools' : 'pools',
      isKnown: ({ quotedPairs }) => quotedPairs.has(pair),
      read: (past) => this.readPools(past, ends, listed),
    })
    const poolsPending = !isScanned(market) || listed?.isWhole === false || !quotedPairs.has(pair)
    return { snapshot: market.snapshot(), market, prices, poolsPending }
  }

  /** Blocks in memory. */
  get count(): StateCount {
    return this.known.count
  }

  /** Forgets all blocks. */
  async close(): Promise<void> {
    const all = [...this.known.values()]
    this.known.clear()
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
    if (size >= MAX_WAITING || (size / AT_ONCE) * this.readMs > MAX_WAIT_MS) throw tooBusy()
    const isWanted = () => reading.callers > 0
    const work = this.search(search, isWanted).finally(() => this.reading.delete(key))
    const reading: PastRead = { callers: 0, work }
    this.reading.set(key, reading)
    work.catch(() => {})
    return reading
  }

  /** A read that has begun goes on when all callers give up: the next request finds its result. One that has not is left. */
  private async search({ number, rpc, kind, isKnown, read }: Search, isWanted: () => boolean): Promise<PastBlock> {
    const block = await rpc.getBlock(number)
    if (!block) throw new QuotingError('NO_STATE', `the node has no block ${number}`)
    const known = this.known.get(`${kind} ${block.hash}`)
    if (known && isKnown(known)) return known
    const askedAt = performance.now()
    return this.turns.run(async () => {
      const isLate = performance.now() - askedAt > MAX_WAIT_MS
      if (isLate || !isWanted()) throw tooBusy()
      const startedAt = performance.now()
      const past = await this.open(kind, block, rpc)
      await read(past)
      this.readMs += NEWEST * (performance.now() - startedAt - this.readMs)
      return past
    })
  }

  private async readPrices(past: PastBlock, tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { block, market, redemptions, prices } = past
    const { hubs, wrappedNative } = this.chain
    const wrapper = wrappedNative?.address
    const own = tokens.flatMap((token) => (token === NATIVE || token === ZERO_ADDRESS ? (wrapper ?? []) : token))
    await market.ensureGroups([hubs, ...own.map((token) => [token])])
    const real = own.filter((token) => market.tokens.isToken(token) === true)
    const parts = await redemptions.seek(real, { rpc, block, holderOf: (share) => prices.holderOf(share) })
    const found = await market.ensureGroups(parts.filter((it) => it !== ZERO_ADDRESS).map((part) => [part]))
    await prices.follow(this.settleMs > 0 ? await market.settled(this.settleMs) : found)
    const source = { snapshot: market.snapshot(), prices, rpc }
    await Promise.all(unlistedOf(own, this.listed, prices).map((token) => readHoldings(token, source)))
    for (const token of tokens) past.pricedTokens.add(token)
  }

  private async readPools(
    { market, prices, quotedPairs }: PastBlock,
    ends: readonly [Address, Address],
    listed: ListedPools | undefined,
  ): Promise<void> {
    if (listed) await market.take(listed.pools)
    await market.ensureGroups([this.chain.hubs, ends])
    await prices.follow(await market.settled(Math.max(this.settleMs, QUOTE_SETTLE_MS)))
    // Logs of a whole chain take minutes: other requests need not wait for them either.
    const isSettled = market.state().queued?.entries === 0 || !isScanned(market)
    if (isSettled && listed?.isWhole !== false) quotedPairs.add([...ends].sort().join())
  }

  private async open(kind: Search['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    const key = `${kind} ${block.hash}`
    const known = this.known.get(key)
    if (known) return known
    const opening = this.opening.get(key) ?? this.make(kind, block, rpc).finally(() => this.opening.delete(key))
    this.opening.set(key, opening)
    const past = await opening
    this.known.set(key, past)
    return past
  }

  private async make(kind: Search['kind'], block: BlockHeader, rpc: Rpc): Promise<PastBlock> {
    await assertState(this.chain, block, rpc)
    const market = createMarket({
      chain: this.chain,
      rpc: headedBy(rpc, block),
      ...(this.facts && { facts: this.facts }),
      searchesLogs: kind !== 'listed pools',
    })
    const redemptions = new Redemptions(this.chain)
    const prices = new Prices(this.chain, {
      decimals: (token) => market.tokens.decimals(token),
      redemptions: (token) => redemptions.of(token),
    })
    return { block, market, redemptions, prices, pricedTokens: new Set(), quotedPairs: new Set() }
  }
}

/** A read of a past block. */
type Search = {
  readonly number: BlockRef
  readonly rpc: Rpc
  /** Blocks of different kinds differ in the pools that they hold. */
  readonly kind: 'prices' | 'pools' | 'listed pools'
  /** True if the block holds all that is asked for. */
  readonly isKnown: (past: PastBlock) => boolean
  readonly read: (past: PastBlock) => Promise<void>
}

/** False while past logs are searched for pools. */
export const isScanned = (market: Pick<IndexedMarket, 'health'>): boolean =>
  (market.health().scan?.state ?? 'done') === 'done'

const tooBusy = () => new MarketError('BUSY', 'too many requests for past blocks')

/** Nodes that prune tell it by an error; without state, pools would seem not to be there. */
async function assertState({ hubs }: Chain, { number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    // By number: later blocks are known, so that a node without the state is not one that will have it in a moment.
    await rpc.getCode(hub, number)
  } catch (error) {
    if (!(error instanceof RpcError) || !error.ofBlock) throw error
    throw new QuotingError('NO_STATE', `the node does not have the state of block ${number} any more`)
  }
}

/** A node that ends at a block. */
const headedBy = (rpc: Rpc, head: BlockHeader): Rpc =>
  rpcWith(rpc, {
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    close: () => {},
  })
