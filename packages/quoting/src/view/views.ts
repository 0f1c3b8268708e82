/** Views of a chain for requests: its pools at one block, with values that are computed once and shared. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Market, RedemptionCache, Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import { buildGraph, type Graph } from '@sluice/routing'
import { type BlockHeader, estimateL1FeePerByte, type Rpc, RpcError } from '@sluice/rpc'
import { BoundedMap, type FeeReader, type StateCount } from '@sluice/simulation'
import { span } from '@sluice/tracing'
import { QuotingError } from '../errors.ts'
import { inTime } from '../in-time.ts'
import { ResponseCache } from './answers.ts'
import { memo, once } from './memoize.ts'
import type { ChainView } from './view.ts'

/** Maximum milliseconds that a request waits for its `minimumBlock`. */
const MAX_BLOCK_WAIT_MS = 1_500
/**
 * Maximum age in milliseconds of a head that prices use without asking the node; clients cache prices for seconds
 * anyway.
 */
const RECENT_MS = 500
/** Maximum age in milliseconds of a head that prices use if the node is slow to report a newer one. */
const STALE_MS = 10_000
/** Timeout for fetching the head before serving prices from a stale block. */
const HEAD_TIMEOUT_MS = 200
/** Timeout for discovering tokens that were not requested recently; discovery continues in the background. */
const DISCOVERY_TIMEOUT_MS = 300
const MAX_GROUPS = 10_000
/** Maximum retries when the block is removed by a reorg. */
const MAX_ATTEMPTS = 8
/** Milliseconds between retries while the node switches branches. */
const PAUSE_MS = 10

type Options = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly market: Market
  readonly prices: Prices
  readonly redemptions: RedemptionCache
  readonly fees: FeeReader
  /** Rejects unless Guard and Executor have their recorded code at the block. */
  readonly assertDeployed: (block: { readonly blockHash: BlockHeader['hash'] }) => Promise<void>
}

/** Creates and caches the views of a chain. */
export class ChainViews {
  private readonly options: Options
  private newest: ChainView | undefined
  private previous: ChainView | undefined
  private graph: Graph | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Fetches the chain's head and loads it into memory. */
  async head(signal: AbortSignal): Promise<BlockHeader> {
    return (await this.options.market.sync({ signal })).block
  }

  get counts(): Readonly<Partial<Record<'groups' | 'answers', StateCount>>> {
    return this.newest ? { groups: this.newest.groups.count, answers: this.newest.answers.count } : {}
  }

  /**
   * Returns the chain at its current head, with the pools of the tokens.
   *
   * @param groups - groups of tokens; loads the pools between tokens of a group, and between them and the chain's hubs
   * @throws QuotingError `BEHIND` if `minimumBlock` is not reached in time; RpcError if the node fails
   */
  async atHead(
    groups: readonly (readonly Address[])[],
    minimumBlock: number | undefined,
    signal: AbortSignal,
  ): Promise<ChainView> {
    const { number } = await this.head(signal)
    if (minimumBlock !== undefined && number < minimumBlock) await this.waitFor(minimumBlock, number, signal)
    return this.inMemory(groups, signal)
  }

  /**
   * Runs work at the current head, and again if a reorg removes the block during the work.
   *
   * @throws errors of `atHead` and of the work, if the block still exists
   */
  async retryOnReorg<T>(
    groups: readonly (readonly Address[])[],
    signal: AbortSignal,
    work: (view: ChainView) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const view = await this.atHead(groups, undefined, signal)
      try {
        return await work(view)
      } catch (error) {
        const isOfTheBlock = error instanceof RpcError && error.ofBlock
        if (!isOfTheBlock || attempt === MAX_ATTEMPTS) throw error
        await this.head(signal)
        if (!this.options.market.hasBlock(view.snapshot.block)) continue
        if (error.code !== 'BLOCK_GONE') throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  /** Like `atHead`, but at the newest block in memory, which may not be the head any more. */
  async inMemory(groups: readonly (readonly Address[])[], signal: AbortSignal): Promise<ChainView> {
    const { market } = this.options
    const keys = groups.map((tokens) => tokens.join())
    const { newest } = this
    if (newest && newest.snapshot === market.snapshot() && keys.every((key) => newest.groups.has(key))) return newest
    await span('discovery', () => market.ensureGroups(groups, { signal }))
    const view = this.current()
    for (const key of keys) view.groups.set(key, true)
    return view
  }

  /**
   * Returns the chain at the previous block, if the market keeps it: a node may not have a block yet that another
   * process published.
   */
  earlier({ snapshot }: ChainView): ChainView | undefined {
    const before = this.options.market.snapshotBefore?.(snapshot.block)
    if (before && this.previous?.snapshot !== before) this.previous = this.viewOf(before)
    return before && this.previous
  }

  /**
   * Returns the chain at a recently seen head, with the pools of the tokens as far as they are found within a timeout.
   * Discovery of the rest continues in the background.
   *
   * @returns the view, and true in `isWhole` if all pools were found
   */
  async recent(
    tokens: readonly Address[],
    signal: AbortSignal,
  ): Promise<{ readonly view: ChainView; readonly isWhole: boolean }> {
    const { market } = this.options
    if (!this.isSeenWithin(RECENT_MS)) await this.refreshHead(signal)
    const { newest } = this
    if (newest && newest.snapshot === market.snapshot() && tokens.every((token) => newest.groups.has(token)))
      return { view: newest, isWhole: true }
    const isWhole = await inTime(this.discoverPools(tokens), DISCOVERY_TIMEOUT_MS)
    const view = this.current()
    if (isWhole) for (const token of tokens) view.groups.set(token, true)
    return { view, isWhole }
  }

  /**
   * Discovers the pools of tokens. For vault shares, also the pools of the assets that they redeem for.
   *
   * @returns true if all redemption rates are of the newest block
   */
  private async discoverPools(tokens: readonly Address[]): Promise<boolean> {
    const { market, redemptions, rpc, prices } = this.options
    await market.searchPools(tokens)
    const realTokens = tokens.filter((token) => market.tokens.isToken(token) === true)
    const { block } = market.snapshot()
    const parts = await redemptions.readShares(realTokens, { rpc, block, holderOf: (share) => prices.holderOf(share) })
    const otherTokens = parts.filter((token) => token !== ZERO_ADDRESS && !tokens.includes(token))
    if (otherTokens.length > 0) await market.searchPools(otherTokens)
    return [...realTokens, ...otherTokens].every((token) => redemptions.isCurrentAt(token, block))
  }

  /** Returns the response of an identical request at the same head, if that head was seen recently. */
  recentAnswer(target: string): string | undefined {
    const { newest } = this
    return newest && newest.snapshot === this.options.market.snapshot() && this.isSeenWithin(RECENT_MS)
      ? newest.answers.get(target)
      : undefined
  }

  /** Drops cached responses after a measurement that changes prices. */
  forgetAnswers(): void {
    this.newest?.answers.clear()
  }

  /** Refreshes the head. Gives up after a timeout if a slow or failing node reported one recently. */
  private async refreshHead(signal: AbortSignal): Promise<void> {
    const head = this.head(signal)
    if (!this.isSeenWithin(STALE_MS)) return void (await head)
    await inTime(head, HEAD_TIMEOUT_MS)
    signal.throwIfAborted()
  }

  private isSeenWithin(ms: number): boolean {
    const { lagMs } = this.options.market.health()
    return lagMs !== null && lagMs <= ms
  }

  private waitFor(minimumBlock: number, head: number, signal: AbortSignal): Promise<Snapshot> {
    if (minimumBlock > head + 1)
      throw new QuotingError('BEHIND', `block ${minimumBlock} is ahead of the chain's head ${head}`, { block: head })
    const { chain, market } = this.options
    return market.waitForBlock(minimumBlock, Math.min(chain.blockTimeMs, MAX_BLOCK_WAIT_MS), signal)
  }

  private current(): ChainView {
    const snapshot = this.options.market.snapshot()
    if (this.newest?.snapshot !== snapshot) this.newest = this.viewOf(snapshot)
    return this.newest
  }

  private viewOf(snapshot: Snapshot): ChainView {
    const { chain, rpc, market, prices, fees, assertDeployed } = this.options
    const block = { blockHash: snapshot.block.hash }
    const gasPriceWei = once(() => fees.gasPrice(rpc, snapshot.block))
    let graph: Graph | undefined
    const view: ChainView = {
      snapshot,
      ...(market.refine && {
        refine: async (swaps) => {
          const refinedSnapshot = await market.refine!(snapshot.block, swaps)
          return refinedSnapshot.block.hash === snapshot.block.hash ? this.current() : view
        },
      }),
      groups: new BoundedMap(MAX_GROUPS),
      answers: new ResponseCache(),
      graph: () => {
        graph ??= buildGraph(snapshot, this.graph)
        this.graph = graph
        return graph
      },
      prices: () => prices,
      gasPriceWei,
      l1FeePerByteWei: once(async () => estimateL1FeePerByte(rpc, chain.l1FeeModel, await gasPriceWei(), block)),
      poolsPending: () => (market.health().scan?.state ?? 'done') !== 'done',
      codeOf: memo((account) => rpc.getCode(account, block)),
      assertDeployed: once(() => assertDeployed(block)),
    }
    return view
  }
}
