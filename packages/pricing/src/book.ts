import type { Address, Chain } from '@sluice/chains'
import { familyOf, type Pool, PoolMap, poolChangeSteps, type Snapshot } from '@sluice/liquidity'
import { atOnce, inSlices, type Steps } from '@sluice/rpc'
import { Core, type Decimals } from './core.ts'
import { depthOf, isAsDeepAs } from './depth.ts'
import { detailOf, noPrice, type PriceDetail, whyNot } from './detail.ts'
import { Frame, sourcesOf } from './frame.ts'
import { canonical, isOther, TokenGraph } from './graph.ts'
import { type DepthPoint, IMPACT_LEVELS, sellDepth } from './impact.ts'
import { Lacking } from './lacking.ts'
import { listedDecimals, pricedAs } from './listed.ts'
import { type PoolView, viewPool } from './pool-view.ts'
import { opinionOf, type Redeemed, type Redemptions, Shares } from './shares.ts'
import type { Known, Token } from './token.ts'
import { Worth } from './worth.ts'

/** A price with less liquidity behind it than this is not a price. */
export const EVIDENCE_FLOOR_USD = 300

/** Squares of pools' counts of tokens, as their pairs grow, that are looked at in a row: 8 pools of two. */
const ROW = 32

/** The prices of a chain's tokens. Unknown is null, never 0 and never a guess. NATIVE is its wrapper. */
export interface PriceBook {
  /** Dollars for one whole token; null also where its decimals are not known. */
  usd(token: Address): number | null
  /** The same with what it rests on, or why it is not known. */
  detail(token: Address): Promise<PriceDetail>
  /** Dollars of liquidity, both sides, in all pools that hold the token. */
  depthUsd(token: Address): Promise<number | null>
  /** Dollars of the token that can be sold at 0.5, 1, 2, 5 and 10 % price impact. */
  depthCurve(token: Address): Promise<readonly DepthPoint[] | null>
}

export type PricingOptions = {
  /** Asked first; the chain's own file is asked next. What was not known may be known later. */
  readonly decimals?: Decimals
  /** True for tokens that are known to find no buyer: they have no price, whatever their pools say. */
  readonly isUnsellable?: (token: Address) => boolean
  /** Readings of tokens that are shares of others. */
  readonly redemptions?: Redemptions
  /** Told of a pool whose maths failed otherwise than by refusing; it says nothing. */
  readonly onFault?: (pool: Pool, error: unknown) => void
}

/** The prices of one snapshot. */
export function priceTokens(snapshot: Snapshot, chain: Chain, options: PricingOptions = {}): PriceBook {
  const prices = new Prices(chain, options)
  prices.take(snapshot)
  return prices
}

/**
 * Prices and depth anchored at the chain's stables, which follow its snapshots. A block costs what changes in it; what a token
 * is worth is worked out when somebody asks. After any history they are those of a fresh look at the last snapshot, bit for
 * bit.
 */
export class Prices implements PriceBook {
  private readonly chain: Chain
  private readonly decimals: Decimals
  private readonly isUnsellable: NonNullable<PricingOptions['isUnsellable']>
  private readonly onFault: NonNullable<PricingOptions['onFault']>
  private readonly graph: TokenGraph
  private readonly core: Core
  private readonly frame = new Frame()
  private readonly worth = new Worth(EVIDENCE_FLOOR_USD)
  private readonly shares: Shares | undefined
  private readonly lacking = new Lacking()
  /** Pools of which something else was found to be missing while a block was taken in. */
  private readonly renewed = new Set<string>()
  /** Pools taken in so far: a map of the market's own kind from the start, whose differences to another come in small pieces. */
  private pools: ReadonlyMap<string, Pool> = PoolMap.empty
  /** Hash of the block that was taken in last. */
  private at: string | undefined
  private wanted: Snapshot | undefined
  private following: Promise<void> = Promise.resolve()
  private isBusy = false
  /** False until a first snapshot was taken in whole: nothing is known before. */
  private isReady = false

  constructor(chain: Chain, options: PricingOptions = {}) {
    const { decimals, isUnsellable = () => false, redemptions, onFault = () => {} } = options
    const listed = listedDecimals(chain)
    this.chain = chain
    this.decimals = (token) => decimals?.(token) ?? listed.get(token)
    this.isUnsellable = isUnsellable
    this.onFault = onFault
    this.graph = new TokenGraph(chain, new Set([...listed.keys(), ...chain.hubs].map((it) => canonical(it, chain))))
    this.core = new Core(this.graph, chain, this.decimals)
    const { graph, worth } = this
    const parts = { chain, graph, worth, decimals: this.decimals, find: (address: Address) => this.find(address) }
    this.shares = redemptions && new Shares({ ...parts, redemptions, floor: EVIDENCE_FLOOR_USD })
  }

  /** True where the newest snapshot has been taken in; while that is the first, everything is null. */
  get isCurrent(): boolean {
    return this.isReady && !this.isBusy
  }

  /** False where prices may change without another snapshot: see `rest`. */
  get isCalm(): boolean {
    return this.graph.isCalm
  }

  /** Resolves when the newest snapshot has been taken in. */
  async caughtUp(): Promise<void> {
    await this.following
  }

  /**
   * Brings the prices to a snapshot in slices of the event loop, the first of them now: a block that changes few pools is
   * taken in when this returns. Resolves when the newest snapshot that was given meanwhile has been.
   */
  follow(snapshot: Snapshot): Promise<void> {
    this.wanted = snapshot
    if (!this.isBusy) this.following = inSlices('prices', this.steps())
    return this.following
  }

  /** Brings the prices to a snapshot at once. Not while another one is followed. */
  take(snapshot: Snapshot): void {
    this.wanted = snapshot
    atOnce(this.steps())
  }

  /** No block comes for long: what was sudden in the last one stands now, as it would after the next. */
  async rest(): Promise<void> {
    const { wanted } = this
    await this.following
    if (!this.isReady || this.isBusy || wanted !== this.wanted) return
    this.turn()
    await this.follow(this.wanted!)
  }

  usd(address: Address): number | null {
    const known = this.told(address)
    const places = known && this.decimals(pricedAs(address, this.chain))
    return places === undefined ? null : known!.price * 10 ** places
  }

  async detail(address: Address): Promise<PriceDetail> {
    if (!this.isReady) return noPrice('pending')
    const token = this.find(address)
    const places = this.decimals(pricedAs(address, this.chain))
    const known = this.told(address)
    if (known && places !== undefined) {
      const share = this.redeemed(address)
      const opinions = [...(token ? this.worth.opinions(token) : []), ...(share ? [opinionOf(share)] : [])]
      return detailOf(known, opinions, 10 ** places, (await this.depthUsd(address)) ?? 0)
    }
    const seen = token ?? this.graph.find(pricedAs(address, this.chain))
    if (!seen) return noPrice(this.shares?.has(address) ? 'below-floor' : 'unknown')
    if (this.isUnsellable(seen.address)) return noPrice('unsellable')
    return noPrice(places === undefined ? 'no-decimals' : whyNot(seen))
  }

  async depthUsd(address: Address): Promise<number | null> {
    const [token, share] = [this.find(address), this.redeemed(address)]
    if (!token) return share?.thereUsd ?? null
    return (await inSlices('depth', depthOf(token, this.worth))) + (share?.thereUsd ?? 0)
  }

  async depthCurve(address: Address): Promise<readonly DepthPoint[] | null> {
    const [token, share] = [this.find(address), this.redeemed(address)]
    if (!token) return share ? IMPACT_LEVELS.map((impact) => ({ impact, usd: share.thereUsd })) : null
    const points = await inSlices('depth', sellDepth(token, this.worth))
    return share ? points.map(({ impact, usd }) => ({ impact, usd: usd + share.thereUsd })) : points
  }

  /** Pools that hold a token. */
  poolsOf(address: Address): readonly Pool[] {
    return this.graph.find(address)?.holdings.map(({ pool }) => pool) ?? []
  }

  /** An account that holds some of a token: one of its pools. */
  holderOf(address: Address): Address | undefined {
    return this.graph.find(address)?.holdings[0]?.pool.address
  }

  /**
   * Tells what a pool lacks of what its curve or its reserves say, in the order of its tokens: it counts for what it can pay, from now
   * on and until that is told otherwise.
   *
   * @param missing - base units of each
   * @returns whether that is something new
   */
  lack(id: string, missing: readonly number[]): boolean {
    if (!this.lacking.set(id, missing)) return false
    this.renewPool(id)
    return true
  }

  private renewPool(id: string): void {
    if (this.isBusy) this.renewed.add(id)
    else this.putAgain(id)
  }

  private putAgain(id: string): void {
    const known = this.graph.holding(id)
    if (known) this.put(known.pool, this.view(known.pool))
  }

  /** A token's worth by its pools and by what it redeems for. */
  private told(address: Address): Known | undefined {
    const [token, share] = [this.find(address), this.redeemed(address)]
    return share ? this.shares!.heard(share, token ? this.worth.opinions(token) : []) : token
  }

  private redeemed(address: Address): Redeemed | undefined {
    return this.isReady && this.shares && !this.isUnsellable(address) ? this.shares.of(address) : undefined
  }

  private readonly isDeep = (token: Token) => isAsDeepAs(token, this.worth, EVIDENCE_FLOOR_USD)

  /** A token with a price. */
  private find(address: Address): Token | undefined {
    if (!this.isReady) return undefined
    // Decimals of a stable may have become known since the last block.
    if (this.core.isWaiting && this.renew() && !this.isBusy) void this.follow(this.wanted!)
    const token = this.graph.tokens.get(pricedAs(address, this.chain))
    if (!token || this.isUnsellable(token.address) || !(this.worth.ask(token).price > 0)) return undefined
    return this.worth.remember(token, this.isDeep) ? token : undefined
  }

  private *steps(): Steps<void> {
    this.isBusy = true
    try {
      do yield* this.takeIn(this.wanted!)
      while (this.pools !== this.wanted!.pools)
      this.isReady = true
      for (const id of this.renewed) this.putAgain(id)
      this.renewed.clear()
    } finally {
      this.isBusy = false
    }
  }

  private *takeIn({ block, pools }: Snapshot): Steps<void> {
    if (this.isReady && block.hash !== this.at) this.turn()
    this.at = block.hash
    if (this.isReady) yield* this.takeChanges(pools)
    else yield* this.takeAll(pools)
    this.pools = pools
    this.renew()
    yield* this.frame.assign()
    this.worth.renew()
  }

  /** Nobody is answered yet: pools are put in as they are looked at. */
  private *takeAll(pools: ReadonlyMap<string, Pool>): Steps<void> {
    const isFirst = this.pools.size === 0
    let pairs = 0
    for (const { changed, gone } of poolChangeSteps(this.pools, pools)) {
      for (const pool of changed) {
        this.put(pool, this.view(pool), isFirst)
        pairs += pool.tokens.length ** 2
        if (pairs >= ROW) yield
        pairs %= ROW
      }
      for (const id of gone) this.remove(id)
    }
  }

  private *takeChanges(pools: ReadonlyMap<string, Pool>): Steps<void> {
    const came: Pool[] = []
    const views: (PoolView | null)[] = []
    const left: string[] = []
    for (const { changed, gone } of poolChangeSteps(this.pools, pools)) {
      for (const pool of changed) {
        came.push(pool)
        views.push(this.view(pool))
        yield
      }
      left.push(...gone)
    }
    // All in one slice, unless there are so many that others must have a turn meanwhile.
    for (const [k, pool] of came.entries()) {
      this.put(pool, views[k]!)
      yield
    }
    for (const id of left) {
      this.remove(id)
      yield
    }
  }

  /** A block has passed: what was sudden in it stands now. */
  private turn(): void {
    for (const holding of this.graph.turn()) {
      this.core.turn(holding)
      this.frame.touch(holding)
      this.worth.renew()
    }
  }

  /** @returns whether what others are measured by has changed */
  private renew(): boolean {
    const known = this.core.renew(EVIDENCE_FLOOR_USD)
    if (!known) return false
    this.frame.setSources(sourcesOf(known))
    this.worth.renew(known)
    return true
  }

  private put(pool: Pool, view: PoolView | null, isNew = false): void {
    const known = isNew ? undefined : this.graph.holding(pool.id)
    const stays = known !== undefined && view !== null && !isOther(known.pool, pool)
    if (known && !stays) this.remove(pool.id)
    if (view === null) return
    const holding = this.graph.put(pool, view, stays ? known : undefined)
    this.core.put(holding, !stays)
    this.frame.touch(holding)
    this.worth.renew()
  }

  private remove(id: string): void {
    const holding = this.graph.remove(id)
    if (!holding) return
    this.core.remove(holding)
    this.frame.touch(holding)
    this.worth.renew()
  }

  private view(pool: Pool): PoolView | null {
    // The native token and its wrapper are one here.
    if (familyOf(pool.family)?.wrapsNative) return null
    try {
      const view = viewPool(pool)
      return view && this.lacking.limited(pool.id, view)
    } catch (error) {
      this.onFault(pool, error)
      return null
    }
  }
}
