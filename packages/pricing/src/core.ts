/**
 * Prices the chain's stables and hubs, one or two dozen tokens, among themselves. All other tokens are priced from
 * them.
 */
import type { Address, Chain } from '@sluice/chains'
import { canonical, type TokenGraph } from './graph.ts'
import { feeAwareMedian } from './median.ts'
import { type PricedPool, type PricedToken, type PriceEdge, stableRate, type TokenPrice } from './token.ts'

/**
 * Relative deviation from the other stables above which a stable has lost its peg and is priced like any other token.
 */
const OFF_PEG = 0.03
/**
 * Share of the votes that must reach a value for it to count as one dollar. Stables fall below their peg but do not
 * rise above it. So the dollar is the highest value that a third of the votes reach. One of four stables above the
 * others is ignored.
 */
const QUORUM = 1 / 3
/** Relative tolerance above the rounding error of a sum in any order. */
const ROUNDING = 1e-9
/**
 * Stables with at least this share of the maximum evidence get a full vote; others vote in proportion to their
 * evidence.
 */
const FULL_VOTE_SHARE = 0.1
/**
 * Minimum evidence in USD for a hub to price other tokens. A hub with less is priced by all its pools, like any token:
 * its few pools with other hubs are cheap to manipulate.
 */
const MIN_HUB_USD = 10_000

export type Decimals = (token: Address) => number | undefined

/** Tracks the pools between hubs and ignores all other pools. */
export class Core {
  private readonly graph: TokenGraph
  private readonly chain: Chain
  private readonly decimals: Decimals
  private readonly addresses: readonly Address[]
  private readonly hubAddresses: ReadonlySet<Address>
  private readonly pricedPools = new Set<PricedPool>()
  private isOutdated = true
  private tokens: readonly (PricedToken | undefined)[] = []
  private units: readonly number[] = []
  private lacksDecimals = false

  constructor(graph: TokenGraph, chain: Chain, decimals: Decimals) {
    this.graph = graph
    this.chain = chain
    this.decimals = decimals
    this.addresses = [...new Set([...chain.hubs, ...chain.stables.map(({ address }) => address)])]
    this.hubAddresses = new Set(this.addresses.map((address) => canonical(address, chain)))
  }

  /** True while the decimals of a stable are unknown. */
  get isWaiting(): boolean {
    return this.lacksDecimals
  }

  /**
   * Records a pool that was added or changed.
   *
   * @param isNew - true if the graph did not know the pool
   */
  addOrUpdate(pricedPool: PricedPool, isNew: boolean): void {
    if (isNew ? !this.isInside(pricedPool) : !this.pricedPools.has(pricedPool)) return
    this.pricedPools.add(pricedPool)
    this.isOutdated = true
  }

  /** Starts a new block: price jumps of the last block now count. */
  startBlock(pricedPool: PricedPool): void {
    if (this.pricedPools.has(pricedPool)) this.isOutdated = true
  }

  remove(pricedPool: PricedPool): void {
    if (this.pricedPools.delete(pricedPool)) this.isOutdated = true
  }

  /**
   * Returns the prices of the tokens that others are priced from; null if nothing changed.
   *
   * @param floor - minimum evidence in USD
   */
  renew(floor: number): ReadonlyMap<PricedToken, TokenPrice> | null {
    const tokens = this.addresses.map((address) => this.graph.find(address))
    const units = this.chain.stables.map(({ address }) => 10 ** (this.decimals(address) ?? Number.NaN))
    const isSameGraph =
      tokens.every((token, k) => token === this.tokens[k]) && units.every((unit, k) => Object.is(unit, this.units[k]))
    if (!this.isOutdated && isSameGraph) return null
    this.isOutdated = false
    this.tokens = tokens
    this.units = units
    this.lacksDecimals = units.some(Number.isNaN)
    const prices = propagate(this.edgesByToken(), this.anchors(), floor)
    return new Map([...prices].filter(([, { evidence }]) => evidence >= MIN_HUB_USD))
  }

  private isInside({ tokens }: PricedPool): boolean {
    let firstHub: PricedToken | undefined
    for (const token of tokens) {
      // All hubs are listed in the chain's file, so skip unlisted tokens first.
      if (!token.isListed || token === firstHub || !this.hubAddresses.has(token.address)) continue
      if (firstHub) return true
      firstHub = token
    }
    return false
  }

  /** Returns the edges of the pools between hubs, by token. */
  private edgesByToken(): ReadonlyMap<PricedToken, readonly PriceEdge[]> {
    const edgesByToken = new Map(this.tokens.flatMap((token) => (token ? [[token, [] as PriceEdge[]] as const] : [])))
    for (const { edges } of this.pricedPools)
      for (const edge of edges) if (edgesByToken.has(edge.otherToken)) edgesByToken.get(edge.token)?.push(edge)
    return edgesByToken
  }

  /**
   * Returns the stables that are worth one dollar, each with the USD price of a base unit.
   *
   * Compares them in units of the native token over the pools between hubs. If no pool connects them, all stables count
   * as one dollar. A chain without a usable stable has no anchors and no prices.
   */
  private anchors(): ReadonlyMap<PricedToken, number> {
    const stables = this.chain.stables.flatMap(({ address }, k) => {
      const token = this.graph.find(address)
      const unit = this.units[k]!
      return token === undefined || Number.isNaN(unit) ? [] : [{ token, unit }]
    })
    const anchorsOf = (chosenStables: typeof stables) =>
      new Map(chosenStables.map(({ token, unit }) => [token, 1 / unit]))
    const [hub] = this.chain.hubs
    const native = hub === undefined ? undefined : this.graph.find(hub)
    if (native === undefined) return anchorsOf(stables)

    const inNative = propagate(this.edgesByToken(), new Map([[native, 1]]), 0)
    const comparedStables = stables.filter(({ token }) => inNative.has(token))
    if (comparedStables.length === 0) return anchorsOf(stables)
    const deepest = Math.max(
      ...comparedStables.map(({ token }) => inNative.get(token)!.evidence).filter(Number.isFinite),
      0,
    )
    const values = comparedStables.map(({ token, unit }) => inNative.get(token)!.price * unit)
    const votes = comparedStables.map(({ token }) =>
      deepest === 0 ? 1 : Math.min(inNative.get(token)!.evidence, deepest * FULL_VOTE_SHARE),
    )
    const dollar = highest(values, votes)
    return anchorsOf(comparedStables.filter((_, k) => Math.abs(values[k]! / dollar - 1) <= OFF_PEG))
  }
}

/** Returns the highest value that is reached or exceeded by `QUORUM` of the votes. */
function highest(values: readonly number[], votes: readonly number[]): number {
  const order = [...values.keys()].sort((x, y) => values[y]! - values[x]!)
  const requiredVotes = votes.reduce((sum, vote) => sum + vote, 0) * QUORUM * (1 - ROUNDING)
  let reachedVotes = 0
  for (const k of order) {
    reachedVotes += votes[k]!
    if (reachedVotes >= requiredVotes) return values[k]!
  }
  return Number.NaN
}

/**
 * Propagates prices from the anchors to a few tokens, in order of decreasing evidence; ties go to the lower address. A
 * token uses only pools with tokens priced before it.
 *
 * @param edgesByToken - pools to consider
 * @param floor - minimum evidence, in the unit of the anchors
 */
function propagate(
  edgesByToken: ReadonlyMap<PricedToken, readonly PriceEdge[]>,
  anchors: ReadonlyMap<PricedToken, number>,
  floor: number,
): ReadonlyMap<PricedToken, TokenPrice> {
  const prices = new Map<PricedToken, TokenPrice>()
  for (const [token, price] of anchors) prices.set(token, { price, evidence: Number.POSITIVE_INFINITY })
  for (;;) {
    let heaviest: PricedToken | undefined
    let best = 0
    for (const [token, edges] of edgesByToken) {
      if (prices.has(token)) continue
      for (const edge of edges) {
        const weight = weightOf(edge, prices)
        if (!(weight >= floor) || weight === 0 || weight < best) continue
        if (weight === best && heaviest && heaviest.address <= token.address) continue
        heaviest = token
        best = weight
      }
    }
    if (!heaviest) return prices
    const countedEdges = edgesByToken.get(heaviest)!.filter((edge) => weightOf(edge, prices) >= floor)
    const price = feeAwareMedian(
      countedEdges.map((edge) => prices.get(edge.otherToken)!.price * stableRate(edge).rate),
      countedEdges.map((edge) => weightOf(edge, prices)),
      countedEdges.map(({ pricedPool }) => pricedPool.fee),
    )
    prices.set(heaviest, { price, evidence: best })
  }
}

function weightOf(edge: PriceEdge, prices: ReadonlyMap<PricedToken, TokenPrice>): number {
  const price = prices.get(edge.otherToken)
  return price ? Math.min(stableRate(edge).backing * price.price, price.evidence) : Number.NaN
}
