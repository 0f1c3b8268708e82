/** The chain as requests see it: its pools at one block, with what is worked out of them once and shared. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Market, Redemptions, Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import { buildGraph, type Graph } from '@sluice/routing'
import { type BlockHeader, estimateL1FeePerByte, type Rpc, RpcError } from '@sluice/rpc'
import { Bounded, type FeeReader, type StateCount } from '@sluice/simulation'
import { span } from '@sluice/tracing'
import { QuotingError } from '../errors.ts'
import { Answers } from './answers.ts'
import { memo, once } from './once.ts'
import type { ChainView } from './view.ts'

/** Most milliseconds that a caller waits for `minimumBlock`. */
const MAX_BLOCK_WAIT_MS = 1_500
/** Milliseconds ago that a recent head was seen at most; callers are told to keep prices for seconds. */
const RECENT_MS = 500
/** One seen that long ago at most does where the node takes its time to tell a newer one. */
const STALE_MS = 10_000
/** Milliseconds for which prices wait for the head then. */
const HEAD_PATIENCE_MS = 200
/** Milliseconds for which prices wait for tokens that nobody has asked for lately; they go on being looked for. */
const SEEK_PATIENCE_MS = 300
const MAX_GROUPS = 10_000
/** Heads in a row that may be gone before they were used. */
const MAX_ATTEMPTS = 8
/** For a node that is in the midst of a reorg. */
const PAUSE_MS = 10

type Options = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly market: Market
  readonly prices: Prices
  readonly redemptions: Redemptions
  readonly fees: FeeReader
  /** Rejects unless Guard and Executor stand at the block. */
  readonly assertDeployed: (block: { readonly blockHash: BlockHeader['hash'] }) => Promise<void>
}

export class ChainViews {
  private readonly options: Options
  private newest: ChainView | undefined
  private previous: ChainView | undefined
  private graph: Graph | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** The chain's head now, which is in memory from then on. */
  async head(signal: AbortSignal): Promise<BlockHeader> {
    return (await this.options.market.sync({ signal })).block
  }

  get counts(): Readonly<Partial<Record<'groups' | 'answers', StateCount>>> {
    return this.newest ? { groups: this.newest.groups.count, answers: this.newest.answers.count } : {}
  }

  /**
   * The chain as of its head now, with the pools of the tokens.
   *
   * @param groups - tokens whose pools with one another are wanted, beside those with the chain's hubs
   * @throws QuotingError `BEHIND` when `minimumBlock` is not reached in time; RpcError when the node failed
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
   * Work on the chain as of its head now; once more where a reorg put another block in the place of the one that was used.
   *
   * @throws what `atHead` and the work throw at a block that is there
   */
  async standing<T>(
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
        if (!this.options.market.has(view.snapshot.block)) continue
        if (error.code !== 'BLOCK_GONE') throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  /** Like `atHead`, of the newest block in memory, whatever has become of the chain since. */
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

  /** The chain at a block before, where such are kept: a node may not know the newest one yet that others have told of. */
  earlier({ snapshot }: ChainView): ChainView | undefined {
    const before = this.options.market.before?.(snapshot.block)
    if (before && this.previous?.snapshot !== before) this.previous = this.viewOf(before)
    return before && this.previous
  }

  /**
   * The chain as of a head that was seen lately, with the pools of the tokens as far as they are known or found at once: what
   * is not goes on being looked for in the background.
   *
   * @returns whether all was found, too
   */
  async recent(
    tokens: readonly Address[],
    signal: AbortSignal,
  ): Promise<{ readonly view: ChainView; readonly isWhole: boolean }> {
    const { market } = this.options
    if (!this.isSeenWithin(RECENT_MS)) await this.headSoon(signal)
    const { newest } = this
    if (newest && newest.snapshot === market.snapshot() && tokens.every((token) => newest.groups.has(token)))
      return { view: newest, isWhole: true }
    const isWhole = await inTime(this.seek(tokens), SEEK_PATIENCE_MS)
    const view = this.current()
    if (isWhole) for (const token of tokens) view.groups.set(token, true)
    return { view, isWhole }
  }

  /**
   * Finds the pools of tokens, and of what those among them redeem for that are shares.
   *
   * @returns whether all is of the newest block
   */
  private async seek(tokens: readonly Address[]): Promise<boolean> {
    const { market, redemptions, rpc, prices } = this.options
    await market.seek(tokens)
    const real = tokens.filter((token) => market.tokens.isToken(token) === true)
    const { block } = market.snapshot()
    const parts = await redemptions.seek(real, { rpc, block, holderOf: (share) => prices.holderOf(share) })
    const others = parts.filter((token) => token !== ZERO_ADDRESS && !tokens.includes(token))
    if (others.length > 0) await market.seek(others)
    return [...real, ...others].every((token) => redemptions.isOf(token, block))
  }

  /** The body that the same request got while the head was the same, if that was seen lately. */
  recentAnswer(target: string): string | undefined {
    const { newest } = this
    return newest && newest.snapshot === this.options.market.snapshot() && this.isSeenWithin(RECENT_MS)
      ? newest.answers.get(target)
      : undefined
  }

  /** Bodies that were made before something new was found out are made again. */
  forgetAnswers(): void {
    this.newest?.answers.clear()
  }

  /** The head, or what is in memory where a node that is slow or fails has told it not long ago. */
  private async headSoon(signal: AbortSignal): Promise<void> {
    const head = this.head(signal)
    if (!this.isSeenWithin(STALE_MS)) return void (await head)
    await inTime(head, HEAD_PATIENCE_MS)
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
    return {
      snapshot,
      groups: new Bounded(MAX_GROUPS),
      answers: new Answers(),
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
  }
}

/** True for a work that ended well, and not with false, within the time. It goes on in any case. */
async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, ms, false)
  const done = work.then(
    (result) => result !== false,
    // What fails now is tried again with the next request.
    () => false,
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}
