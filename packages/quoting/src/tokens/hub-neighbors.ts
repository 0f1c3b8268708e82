/**
 * Discovers tokens with liquidity against a hub (a token of the chain with many pools) before anybody requests them.
 * Reads the factories' pool creation logs, newest first. Follows each token with a pool that holds enough of a hub: the
 * market, which keeps pools up to date, then keeps the token's pools in memory. Runs in the background, in small steps.
 */

import type { Address, Chain, DexRow, Hex } from '@sluice/chains'
import { families, familyOf, type Market, type Pool, runReads, servedRows } from '@sluice/liquidity'
import type { PriceBook } from '@sluice/pricing'
import { type Log, type Rpc, RpcError } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { readBalances } from '../balances.ts'

/** Minimum milliseconds between two runs. */
const PAUSE_MS = 30_000
/** Maximum log requests of one run. */
const MAX_REQUESTS = 8
/**
 * Number of blocks of the first log request. Some providers allow 2,000 blocks, some any number; the range shrinks when
 * a request is refused.
 */
const FIRST_RANGE_BLOCKS = 50_000
/** Minimum number of blocks of a log request; if it is refused, the run fails. */
const MIN_RANGE_BLOCKS = 500
/** Maximum pools of one run whose hub balance is read. */
const MAX_POOLS = 1_000
/**
 * Maximum pools that wait for the read of their hub balance. If there are more, pools of a hub without a price are
 * dropped first, then the oldest pools.
 */
const MAX_UNREAD_POOLS = 10_000
/** Maximum ranges of blocks that wait to be read. If there are more, the two oldest are merged. */
const MAX_UNREAD_RANGES = 64
/** Minimum USD value of the hub that a pool holds, for the pool's other token to be followed. */
const MIN_HUB_USD = 5_000
/** Maximum followed tokens; tokens with the largest hub balance are kept. */
const MAX_FOLLOWED = 300
/** Maximum remembered pools that have held enough of a hub; the pools with the largest hub balance are kept. */
const MAX_DEEP_POOLS = 1_000
/** Milliseconds until the hub balances of the remembered pools are read again, because liquidity may be removed. */
const REREAD_MS = 600_000
/** Followed tokens whose pools one call of the market loads. */
const TOKENS_PER_SEARCH = 25
/** Maximum found pools that are remembered, so that no pool is read twice. */
const MAX_FOUND_POOLS = 50_000
/** Timeout in milliseconds of each request. */
const TIMEOUT_MS = 5_000

export type NeighborSource = { readonly rpc: Rpc; readonly market: Market; readonly prices: PriceBook }

/** A pool of a hub and a token that is neither a hub nor listed. */
type HubPair = { readonly token: Address; readonly hub: Address; readonly pool: Pool<null> }

type BlockRange = { readonly from: number; readonly to: number }

export class HubNeighbors {
  private readonly hubs: ReadonlySet<Address>
  private readonly registry: ReadonlySet<Address>
  private readonly rowByFactory: ReadonlyMap<Address, DexRow>
  private readonly topics: readonly Hex[]
  private readonly decimals: (token: Address) => number | undefined
  /** Pools that were found once. */
  private readonly foundPools = new BoundedMap<string, true>(MAX_FOUND_POOLS)
  /** Pools whose hub balance was not read yet, in reading order. */
  private unreadPairs: readonly HubPair[] = []
  /** Pools that have held enough of a hub, by id, with the USD value of the hub's balance when it was last read. */
  private readonly deepPools = new Map<string, { readonly pair: HubPair; readonly usd: number }>()
  private lastRereadMs = Number.NEGATIVE_INFINITY
  private rangeBlocks = FIRST_RANGE_BLOCKS
  /** Ranges of blocks whose logs were not read yet, ascending. */
  private readonly unreadRanges: BlockRange[] = []
  /** Highest block that was ever added to `unreadRanges`; -1 if none was. */
  private highestBlock = -1
  private isRunning = false
  private hasRun = false
  private lastRunMs = Number.NEGATIVE_INFINITY

  /** @param registry - tokens of the chain's file, which are known already */
  constructor(chain: Chain, registry: Iterable<Address>, decimals: (token: Address) => number | undefined) {
    const rows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
    const loggedRows = rows.filter(({ family }) => familyOf(family)?.createdPool && familyOf(family)?.keepsTokens)
    this.hubs = new Set(chain.hubs)
    this.registry = new Set(registry)
    this.rowByFactory = new Map(loggedRows.map((row) => [row.address, row]))
    this.topics = [...new Set(loggedRows.flatMap(({ family }) => familyOf(family)?.creationTopics ?? []))]
    this.decimals = decimals
  }

  get count(): StateCount {
    return { entries: this.followedTokens().length, evicted: 0 }
  }

  /** False until the newest logs have been read once. */
  get isStarted(): boolean {
    return this.hasRun || this.rowByFactory.size === 0
  }

  /**
   * Reads more logs, unless the last run started within `PAUSE_MS`. Never rejects; a failed step is repeated by the
   * next call.
   */
  async run(source: NeighborSource): Promise<void> {
    if (this.isRunning || this.rowByFactory.size === 0 || performance.now() - this.lastRunMs < PAUSE_MS) return
    // Balances have no USD value before a hub has a price.
    if (![...this.hubs].some((hub) => source.prices.usd(hub) !== null)) return
    this.isRunning = true
    this.lastRunMs = performance.now()
    try {
      await this.search(source)
      await this.follow(source)
      this.hasRun = true
    } catch (error) {
      if (!(error instanceof Error)) throw error
    } finally {
      this.isRunning = false
    }
  }

  private async search({ rpc, market, prices }: NeighborSource): Promise<void> {
    this.addBlocksUpTo(market.snapshot().block.number)
    // Pools of a hub without a price or decimals wait until it has both.
    const hasValue = ({ hub }: HubPair) => prices.usd(hub) !== null && this.decimals(hub) !== undefined
    const countReadable = () => this.unreadPairs.filter(hasValue).length
    for (let k = 0; k < MAX_REQUESTS && countReadable() < MAX_POOLS; k++) {
      const range = this.nextRange()
      if (!range) break
      const logs = await this.logsOf(rpc, range)
      if (!logs) continue
      this.removeRange(range)
      // Newest logs first.
      const pairs = logs.toReversed().flatMap((log) => this.hubPairsOf(log))
      const unreadPairs =
        range.to === this.highestBlock ? [...pairs, ...this.unreadPairs] : [...this.unreadPairs, ...pairs]
      this.unreadPairs =
        unreadPairs.length <= MAX_UNREAD_POOLS
          ? unreadPairs
          : [...unreadPairs.filter(hasValue), ...unreadPairs.filter((pair) => !hasValue(pair))].slice(
              0,
              MAX_UNREAD_POOLS,
            )
    }
    const readPairs = this.unreadPairs.filter(hasValue).slice(0, MAX_POOLS)
    const now = performance.now()
    const isRereadDue = now - this.lastRereadMs >= REREAD_MS
    const rereadPairs = isRereadDue ? [...this.deepPools.values()].map(({ pair }) => pair).filter(hasValue) : []
    await this.readBalances([...rereadPairs, ...readPairs], { rpc, market, prices })
    if (isRereadDue) this.lastRereadMs = now
    const wasRead = new Set(readPairs)
    this.unreadPairs = this.unreadPairs.filter((pair) => !wasRead.has(pair))
  }

  private addBlocksUpTo(head: number): void {
    const { unreadRanges } = this
    if (head <= this.highestBlock) return
    unreadRanges.push({ from: this.highestBlock + 1, to: head })
    this.highestBlock = head
    if (unreadRanges.length <= MAX_UNREAD_RANGES) return
    const [oldest, secondOldest] = unreadRanges.splice(0, 2)
    unreadRanges.unshift({ from: oldest!.from, to: secondOldest!.to })
  }

  /** Returns the newest blocks that were not read yet, as many as one request may contain. */
  private nextRange(): BlockRange | undefined {
    const newest = this.unreadRanges.at(-1)
    return newest && { from: Math.max(newest.from, newest.to - this.rangeBlocks + 1), to: newest.to }
  }

  /** Removes blocks that `nextRange` returned, after they have been read. */
  private removeRange({ from }: BlockRange): void {
    const newest = this.unreadRanges.pop()!
    if (newest.from < from) this.unreadRanges.push({ from: newest.from, to: from - 1 })
  }

  /**
   * Reads creation logs; undefined if the node refused the range, which makes the next range shorter.
   *
   * @throws RpcError for any other failure
   */
  private async logsOf(rpc: Rpc, range: BlockRange) {
    try {
      const filter = { address: [...this.rowByFactory.keys()], topics: [this.topics] }
      const options = { priority: 'background', timeoutMs: TIMEOUT_MS } as const
      return await rpc.getLogs({ ...filter, fromBlock: range.from, toBlock: range.to }, options)
    } catch (error) {
      const isRefused = error instanceof RpcError && (error.isRefusal || error.code === 'TIMEOUT')
      if (!isRefused || this.rangeBlocks <= MIN_RANGE_BLOCKS) throw error
      this.rangeBlocks = Math.max(MIN_RANGE_BLOCKS, Math.floor(this.rangeBlocks / 4))
      return undefined
    }
  }

  private hubPairsOf(log: Log): readonly HubPair[] {
    const row = this.rowByFactory.get(log.address)
    const pool = row && familyOf(row.family)?.createdPool?.(row, log)
    if (!pool || this.foundPools.has(pool.id)) return []
    this.foundPools.set(pool.id, true)
    const hub = pool.tokens.find((token) => this.hubs.has(token))
    const token = pool.tokens.find((other) => !this.hubs.has(other) && !this.registry.has(other))
    return hub && token && pool.tokens.length === 2 ? [{ token, hub, pool }] : []
  }

  /**
   * Reads each pool's balance of the hub, and follows the pool's other token if the balance is worth enough.
   *
   * @throws RpcError
   */
  private async readBalances(pairs: readonly HubPair[], { rpc, market, prices }: NeighborSource): Promise<void> {
    if (pairs.length === 0) return
    const reads = pairs.map(({ hub, pool }) => readBalances([[pool.address, hub]]))
    const { hash } = market.snapshot().block
    const balances = await runReads(rpc, { blockHash: hash }, reads, { priority: 'background', timeoutMs: TIMEOUT_MS })
    for (const [k, pair] of pairs.entries()) {
      const [balance = null] = balances[k]!
      if (balance === null) continue
      const usd = (Number(balance) / 10 ** this.decimals(pair.hub)!) * prices.usd(pair.hub)!
      // A remembered pool stays, since its liquidity may come back.
      if (usd >= MIN_HUB_USD || this.deepPools.has(pair.pool.id)) this.deepPools.set(pair.pool.id, { pair, usd })
    }
    for (const [id] of this.deepestFirst().slice(MAX_DEEP_POOLS)) this.deepPools.delete(id)
  }

  private deepestFirst() {
    return [...this.deepPools].sort(([, a], [, b]) => b.usd - a.usd)
  }

  /** Returns the tokens of the deepest pools, deepest first. */
  private followedTokens(): readonly Address[] {
    const deepPools = this.deepestFirst().filter(([, { usd }]) => usd >= MIN_HUB_USD)
    return [...new Set(deepPools.map(([, { pair }]) => pair.token))].slice(0, MAX_FOLLOWED)
  }

  /** Keeps the pools of the followed tokens in memory; the market evicts pools that nobody requests for long. */
  private async follow({ market }: NeighborSource): Promise<void> {
    const tokens = this.followedTokens()
    for (let from = 0; from < tokens.length; from += TOKENS_PER_SEARCH)
      await market.searchPools(tokens.slice(from, from + TOKENS_PER_SEARCH))
  }
}
