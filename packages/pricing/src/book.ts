import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, poolChangeSteps, type Snapshot } from '@sluice/liquidity'
import { atOnce, inSlices, type Steps } from '@sluice/rpc'
import { Core, type Decimals } from './core.ts'
import { depthOf, isAsDeepAs } from './depth.ts'
import { detailOf, noPrice, type PriceDetail, whyNot } from './detail.ts'
import { Frame, levelOf, reference, TOP_LEVEL } from './frame.ts'
import { canonical, TokenGraph } from './graph.ts'
import { type DepthPoint, sellDepth } from './impact.ts'
import { type PoolView, viewPool } from './pool-view.ts'
import type { Known, Token } from './token.ts'
import { Worth } from './worth.ts'

/** A price with less liquidity behind it than this is not a price. */
export const EVIDENCE_FLOOR_USD = 300

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
  private pools: ReadonlyMap<string, Pool> = new Map()
  /** Hash of the block that was taken in last. */
  private at: string | undefined
  private wanted: Snapshot | undefined
  private following: Promise<void> = Promise.resolve()
  private isBusy = false
  /** False until a first snapshot was taken in whole: nothing is known before. */
  private isReady = false

  constructor(chain: Chain, { decimals, isUnsellable = () => false, onFault = () => {} }: PricingOptions = {}) {
    const listed = listedDecimals(chain)
    this.chain = chain
    this.decimals = (token) => decimals?.(token) ?? listed.get(token)
    this.isUnsellable = isUnsellable
    this.onFault = onFault
    this.graph = new TokenGraph(chain, new Set([...listed.keys(), ...chain.hubs].map((it) => canonical(it, chain))))
    this.core = new Core(this.graph, chain, this.decimals)
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
    const token = this.find(address)
    const places = token && this.decimals(pricedAs(address, this.chain))
    return token === undefined || places === undefined ? null : token.price * 10 ** places
  }

  async detail(address: Address): Promise<PriceDetail> {
    if (!this.isReady) return noPrice('pending')
    const token = this.find(address)
    const places = this.decimals(pricedAs(address, this.chain))
    if (token && places !== undefined)
      return detailOf(token, this.worth, 10 ** places, await inSlices('depth', depthOf(token, this.worth)))
    const seen = token ?? this.graph.find(pricedAs(address, this.chain))
    if (!seen) return noPrice('unknown')
    if (this.isUnsellable(seen.address)) return noPrice('unsellable')
    return noPrice(places === undefined ? 'no-decimals' : whyNot(seen))
  }

  async depthUsd(address: Address): Promise<number | null> {
    const token = this.find(address)
    return token ? inSlices('depth', depthOf(token, this.worth)) : null
  }

  async depthCurve(address: Address): Promise<readonly DepthPoint[] | null> {
    const token = this.find(address)
    return token ? inSlices('depth', sellDepth(token, this.worth)) : null
  }

  private readonly isDeep = (token: Token) => isAsDeepAs(token, this.worth, EVIDENCE_FLOOR_USD)

  /** A token with a price. */
  private find(address: Address): Token | undefined {
    if (!this.isReady) return undefined
    // Decimals of a stable may have become known since the last block.
    if (this.core.isWaiting && this.renew() && !this.isBusy) void this.follow(this.wanted!)
    const token = this.graph.find(pricedAs(address, this.chain))
    if (!token || this.isUnsellable(token.address) || !(this.worth.ask(token).price > 0)) return undefined
    return this.worth.remember(token, this.isDeep) ? token : undefined
  }

  private *steps(): Steps<void> {
    this.isBusy = true
    try {
      do yield* this.takeIn(this.wanted!)
      while (this.pools !== this.wanted!.pools)
      this.isReady = true
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
    for (const { changed, gone } of poolChangeSteps(this.pools, pools)) {
      for (const pool of changed) {
        this.put(pool, this.view(pool))
        yield
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

  private put(pool: Pool, view: PoolView | null): void {
    if (view === null || this.graph.isOther(pool)) this.remove(pool.id)
    if (view === null) return
    const holding = this.graph.put(pool, view)
    this.core.put(holding)
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
      return viewPool(pool)
    } catch (error) {
      this.onFault(pool, error)
      return null
    }
  }
}

function sourcesOf(known: ReadonlyMap<Token, Known>) {
  return new Map(
    [...known].map(([token, { price, evidence }]) => [
      token,
      { level: evidence === Number.POSITIVE_INFINITY ? TOP_LEVEL : levelOf(evidence), reference: reference(price) },
    ]),
  )
}

/**
 * The token that carries an address's price: itself, and for the native asset its wrapper, or on a chain without one the
 * ERC-20 that shows it. The zero address where there is neither, and only pools of the native asset itself can tell.
 */
export function pricedAs(address: Address, chain: Chain): Address {
  if (address !== NATIVE && address !== ZERO_ADDRESS) return address
  return chain.wrappedNative === null && chain.nativeErc20 ? chain.nativeErc20.address : canonical(address, chain)
}

function listedDecimals(chain: Chain): ReadonlyMap<Address, number | undefined> {
  const { wrappedNative, nativeErc20, stables, tokens, nativeCurrency } = chain
  const listed = [wrappedNative, nativeErc20, ...stables, ...tokens].filter(
    (token) => token !== null && token !== undefined,
  )
  return new Map([
    [ZERO_ADDRESS, nativeCurrency.decimals],
    ...listed.map((token): [Address, number | undefined] => [token.address, token.decimals ?? undefined]),
  ])
}
