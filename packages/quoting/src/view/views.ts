/** Views of a chain for requests: its pools at one block, with values that are computed once and shared. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Market, RedemptionCache, Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import { buildGraph, type Graph } from '@sluice/routing'
import { type BlockHeader, endsInTime, estimateL1FeePerByte, type Rpc, RpcError } from '@sluice/rpc'
import { BoundedMap, type FeeReader, type StateCount } from '@sluice/simulation'
import { span } from '@sluice/tracing'
import { QuotingError } from '../errors.ts'
import { memoizeByKey, once } from './memoize.ts'
import { ResponseCache } from './response-cache.ts'
import { balanceReader } from './sender-balance.ts'
import type { ChainView } from './view.ts'

/** Maximum milliseconds that a request waits for its `minimumBlock`. */
const MAX_BLOCK_WAIT_MS = 1_500
/**
 * Prices are served without asking the node if it confirmed the head at most this many milliseconds ago. Clients cache
 * prices for seconds, so this age does no harm.
 */
const RECENT_MS = 500
/** Prices are served while the node is slow if it confirmed the head at most this many milliseconds ago. */
const STALE_MS = 10_000
/** Timeout for fetching the head before serving prices from a stale block. */
const HEAD_TIMEOUT_MS = 200
/** Timeout for finding the pools of tokens that were not requested recently; the search continues in the background. */
const DISCOVERY_TIMEOUT_MS = 300
/** Maximum groups of tokens that a view remembers as loaded. */
const MAX_GROUPS = 10_000
/** Maximum attempts if a reorg removes the block during the work. */
const MAX_ATTEMPTS = 8
/** Milliseconds between attempts while the node switches to another branch of the chain. */
const PAUSE_MS = 10

/** Key in `ChainView.groups` that marks a token as loaded for prices: its pools, and its redemption rates. */
const pricedTokenKey = (token: Address): string => `priced ${token}`

type Options = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly market: Market
  readonly prices: Prices
  readonly redemptions: RedemptionCache
  readonly fees: FeeReader
  /** Rejects unless our contracts (Guard and Executor) have their recorded code at the block. */
  readonly assertDeployed: (block: { readonly blockHash: BlockHeader['hash'] }) => Promise<void>
}

export class ChainViews {
  private readonly options: Options
  private newestView: ChainView | undefined
  private previousView: ChainView | undefined
  private newestGraph: Graph | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Fetches the chain's head and loads it into memory. */
  async head(signal: AbortSignal): Promise<BlockHeader> {
    return (await this.options.market.sync({ signal })).block
  }

  get counts(): Readonly<Partial<Record<'groups' | 'answers', StateCount>>> {
    return this.newestView ? { groups: this.newestView.groups.count, answers: this.newestView.responses.count } : {}
  }

  /**
   * Returns the chain at its current head, with the pools of the tokens.
   *
   * @param groups - groups of tokens. Loads the pools between the tokens of each group, and the pools between these
   *   tokens and the tokens of the chain's file
   * @throws QuotingError `BEHIND` if `minimumBlock` is not reached in time; RpcError if the node fails
   */
  async atHead(
    groups: readonly (readonly Address[])[],
    minimumBlock: number | undefined,
    signal: AbortSignal,
  ): Promise<ChainView> {
    const { number } = await this.head(signal)
    if (minimumBlock !== undefined && number < minimumBlock) await this.waitForBlock(minimumBlock, number, signal)
    return this.inMemory(groups, signal)
  }

  /**
   * Runs work at the current head. Repeats the work if a reorg removes the block in the meantime.
   *
   * @throws errors of `atHead`, and errors of the work that a reorg does not explain or that last for `MAX_ATTEMPTS`
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
        const isBlockError = error instanceof RpcError && error.mayDependOnBlock
        if (!isBlockError || attempt === MAX_ATTEMPTS) throw error
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
    const { newestView } = this
    if (newestView && newestView.snapshot === market.snapshot() && keys.every((key) => newestView.groups.has(key)))
      return newestView
    await span('discovery', () => market.ensureGroups(groups, { signal }))
    const view = this.currentView()
    for (const key of keys) view.groups.set(key, true)
    return view
  }

  /**
   * Returns the chain at the block before the view's block, if the market keeps that block. Used if another process
   * published a block that this process's node does not have yet.
   */
  viewBefore({ snapshot }: ChainView): ChainView | undefined {
    const previousSnapshot = this.options.market.snapshotBefore?.(snapshot.block)
    if (previousSnapshot && this.previousView?.snapshot !== previousSnapshot)
      this.previousView = this.viewOf(previousSnapshot)
    return previousSnapshot && this.previousView
  }

  /**
   * Returns the chain at a recently seen head, with the pools and redemption rates of the tokens that are found within
   * a timeout. Discovery continues in the background.
   *
   * @returns the view, and true in `isComplete` if all pools and current redemption rates were found in time
   */
  async recent(
    tokens: readonly Address[],
    signal: AbortSignal,
  ): Promise<{ readonly view: ChainView; readonly isComplete: boolean }> {
    const { market } = this.options
    if (!this.isHeadConfirmedWithin(RECENT_MS)) await this.refreshHead(signal)
    const { newestView } = this
    if (
      newestView &&
      newestView.snapshot === market.snapshot() &&
      tokens.every((token) => newestView.groups.has(pricedTokenKey(token)))
    )
      return { view: newestView, isComplete: true }
    const isComplete = await endsInTime(this.discoverPoolsAndRates(tokens), DISCOVERY_TIMEOUT_MS)
    const view = this.currentView()
    if (isComplete) for (const token of tokens) view.groups.set(pricedTokenKey(token), true)
    return { view, isComplete }
  }

  /**
   * Discovers the pools of tokens. For vault shares, also reads the redemption rates, and discovers the pools of the
   * assets that the shares redeem for.
   *
   * @returns false if a redemption rate is older than the newest block
   */
  private async discoverPoolsAndRates(tokens: readonly Address[]): Promise<boolean> {
    const { market, redemptions, rpc, prices } = this.options
    await market.searchPools(tokens)
    const realTokens = tokens.filter((token) => market.tokens.isToken(token) === true)
    const { block } = market.snapshot()
    const underlyingTokens = await redemptions.readShares(realTokens, {
      rpc,
      block,
      holderOf: (share) => prices.holderOf(share),
    })
    const newTokens = underlyingTokens.filter((token) => token !== ZERO_ADDRESS && !tokens.includes(token))
    if (newTokens.length > 0) await market.searchPools(newTokens)
    return [...realTokens, ...newTokens].every((token) => redemptions.isCurrentAt(token, block))
  }

  /**
   * Returns the cached response to an identical request, if it was computed at the newest block, and the node confirmed
   * this block as head within `RECENT_MS`.
   *
   * @param target - path and query of the request
   */
  recentResponse(target: string): string | undefined {
    const { newestView } = this
    return newestView && newestView.snapshot === this.options.market.snapshot() && this.isHeadConfirmedWithin(RECENT_MS)
      ? newestView.responses.get(target)
      : undefined
  }

  /** Drops the cached responses. Called after a measurement that changes prices. */
  forgetResponses(): void {
    this.newestView?.responses.clear()
  }

  /**
   * Refreshes the head. If the head in memory is at most `STALE_MS` old, tolerates a failing node, and waits for a slow
   * node at most `HEAD_TIMEOUT_MS`.
   */
  private async refreshHead(signal: AbortSignal): Promise<void> {
    const head = this.head(signal)
    if (!this.isHeadConfirmedWithin(STALE_MS)) return void (await head)
    await endsInTime(head, HEAD_TIMEOUT_MS)
    signal.throwIfAborted()
  }

  /** True if the node has confirmed the head in memory within the last `ms` milliseconds. */
  private isHeadConfirmedWithin(ms: number): boolean {
    const { lagMs } = this.options.market.health()
    return lagMs !== null && lagMs <= ms
  }

  private waitForBlock(minimumBlock: number, head: number, signal: AbortSignal): Promise<Snapshot> {
    if (minimumBlock > head + 1)
      throw new QuotingError('BEHIND', `block ${minimumBlock} is ahead of the chain's head ${head}`, { block: head })
    const { chain, market } = this.options
    return market.waitForBlock(minimumBlock, Math.min(chain.blockTimeMs, MAX_BLOCK_WAIT_MS), signal)
  }

  private currentView(): ChainView {
    const snapshot = this.options.market.snapshot()
    if (this.newestView?.snapshot !== snapshot) this.newestView = this.viewOf(snapshot)
    return this.newestView
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
          return refinedSnapshot.block.hash === snapshot.block.hash ? this.currentView() : view
        },
      }),
      groups: new BoundedMap(MAX_GROUPS),
      responses: new ResponseCache(),
      graph: () => {
        graph ??= buildGraph(snapshot, this.newestGraph)
        this.newestGraph = graph
        return graph
      },
      prices: () => prices,
      gasPriceWei,
      l1FeePerByteWei: once(async () => estimateL1FeePerByte(rpc, chain.l1FeeModel, await gasPriceWei(), block)),
      poolsPending: () => (market.health().scan?.state ?? 'done') !== 'done',
      codeOf: memoizeByKey((account) => rpc.getCode(account, block)),
      balanceOf: balanceReader(rpc, block),
      assertDeployed: once(() => assertDeployed(block)),
    }
    return view
  }
}
