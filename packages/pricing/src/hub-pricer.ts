/**
 * Prices the chain's stables (dollar tokens) and hubs (tokens with many pools), one or two dozen tokens, from the pools
 * between them. `Prices` derives the prices of all other tokens from these prices. The evidence of a price is the USD
 * liquidity behind it. An anchor is a stable that counts as one dollar.
 */
import type { Address, Chain } from '@sluice/chains'
import { canonicalToken, type TokenGraph } from './graph.ts'
import { feeAwareMedian } from './median.ts'
import { type PricedPool, type PricedToken, type PriceEdge, rateWithoutJump, type TokenPrice } from './token.ts'

/**
 * Relative deviation from the dollar (as defined by `QUORUM`) above which a stable has lost its peg. Such a stable is
 * priced like any other token.
 */
const MAX_PEG_DEVIATION = 0.03
/**
 * Share of all votes that decides the value of a dollar in the first hub. Each stable votes for its own value and all
 * lower values. The dollar is the highest value with this share, because stables may fall below their peg, but rarely
 * rise above it. With four equal votes, a single stable with a higher value than the others does not suffice.
 */
const QUORUM = 1 / 3
/** Relative tolerance of a comparison, above the rounding error of a sum in any order. */
const ROUNDING = 1e-9
/**
 * Stables with at least this share of the maximum evidence have equal votes; stables with less evidence have votes in
 * proportion to it.
 */
const FULL_VOTE_SHARE = 0.1
/**
 * Minimum evidence in USD for a hub to be priced here. A hub with less evidence is priced by all its pools, like any
 * other token, because its few pools with other hubs are cheap to manipulate.
 */
const MIN_HUB_USD = 10_000

export type DecimalsOf = (token: Address) => number | undefined

/** Tracks the pools between hubs and stables, and ignores all other pools. */
export class HubPricer {
  private readonly graph: TokenGraph
  private readonly chain: Chain
  private readonly decimalsOf: DecimalsOf
  private readonly hubAndStableAddresses: readonly Address[]
  private readonly canonicalAddresses: ReadonlySet<Address>
  private readonly hubPools = new Set<PricedPool>()
  private isOutdated = true
  /** Tokens of `hubAndStableAddresses` at the last update; undefined for a token without pools. */
  private hubsAndStables: readonly (PricedToken | undefined)[] = []
  /** Base units of one whole token of each stable at the last update; NaN if the decimals are unknown. */
  private unitsPerStable: readonly number[] = []
  private lacksDecimals = false

  constructor(graph: TokenGraph, chain: Chain, decimalsOf: DecimalsOf) {
    this.graph = graph
    this.chain = chain
    this.decimalsOf = decimalsOf
    this.hubAndStableAddresses = [...new Set([...chain.hubs, ...chain.stables.map(({ address }) => address)])]
    this.canonicalAddresses = new Set(this.hubAndStableAddresses.map((address) => canonicalToken(address, chain)))
  }

  /** True while the decimals of a stable are unknown. */
  get isMissingDecimals(): boolean {
    return this.lacksDecimals
  }

  /**
   * Records a pool that was added or changed.
   *
   * @param isNew - true if the graph did not know the pool
   */
  addOrUpdate(pricedPool: PricedPool, isNew: boolean): void {
    if (isNew ? !this.connectsHubs(pricedPool) : !this.hubPools.has(pricedPool)) return
    this.hubPools.add(pricedPool)
    this.isOutdated = true
  }

  /** Records that a pool that jumped in the last block now counts with its new rate. */
  startBlock(pricedPool: PricedPool): void {
    if (this.hubPools.has(pricedPool)) this.isOutdated = true
  }

  remove(pricedPool: PricedPool): void {
    if (this.hubPools.delete(pricedPool)) this.isOutdated = true
  }

  /**
   * Returns the prices of the hubs and stables that price other tokens; null if nothing changed.
   *
   * @param minEvidenceUsd - minimum evidence in USD
   */
  updatePrices(minEvidenceUsd: number): ReadonlyMap<PricedToken, TokenPrice> | null {
    const tokens = this.hubAndStableAddresses.map((address) => this.graph.findToken(address))
    const newUnitsPerStable = this.chain.stables.map(({ address }) => 10 ** (this.decimalsOf(address) ?? Number.NaN))
    const isSameGraph =
      tokens.every((token, k) => token === this.hubsAndStables[k]) &&
      newUnitsPerStable.every((units, k) => Object.is(units, this.unitsPerStable[k]))
    if (!this.isOutdated && isSameGraph) return null
    this.isOutdated = false
    this.hubsAndStables = tokens
    this.unitsPerStable = newUnitsPerStable
    this.lacksDecimals = newUnitsPerStable.some(Number.isNaN)
    const prices = propagatePrices(this.edgesByToken(), this.findAnchors(), minEvidenceUsd)
    return new Map([...prices].filter(([, { evidence }]) => evidence >= MIN_HUB_USD))
  }

  private connectsHubs({ tokens }: PricedPool): boolean {
    let firstHub: PricedToken | undefined
    for (const token of tokens) {
      // All hubs and stables are listed in the chain's file, so skip unlisted tokens first.
      if (!token.isListed || token === firstHub || !this.canonicalAddresses.has(token.address)) continue
      if (firstHub) return true
      firstHub = token
    }
    return false
  }

  /** Returns the edges of the pools between hubs and stables, by the token that they price. */
  private edgesByToken(): ReadonlyMap<PricedToken, readonly PriceEdge[]> {
    const edgesByToken = new Map(
      this.hubsAndStables.flatMap((token) => (token ? [[token, [] as PriceEdge[]] as const] : [])),
    )
    for (const { edges } of this.hubPools)
      for (const edge of edges) if (edgesByToken.has(edge.otherToken)) edgesByToken.get(edge.token)?.push(edge)
    return edgesByToken
  }

  /**
   * Returns the stables that are worth one dollar, each with the USD price of a base unit.
   *
   * Compares the stables by their price in the first hub (usually the wrapped native token). If no pools connect any
   * stable with this hub, all stables count as one dollar. A chain without a usable stable has no prices.
   */
  private findAnchors(): ReadonlyMap<PricedToken, number> {
    const stables = this.chain.stables.flatMap(({ address }, k) => {
      const token = this.graph.findToken(address)
      const units = this.unitsPerStable[k]!
      return token === undefined || Number.isNaN(units) ? [] : [{ token, unitsPerToken: units }]
    })
    // Each anchor is worth one dollar per whole token.
    const anchorsOf = (chosenStables: typeof stables) =>
      new Map(chosenStables.map(({ token, unitsPerToken }) => [token, 1 / unitsPerToken]))
    const [firstHubAddress] = this.chain.hubs
    const firstHub = firstHubAddress === undefined ? undefined : this.graph.findToken(firstHubAddress)
    if (firstHub === undefined) return anchorsOf(stables)

    const priceInHub = propagatePrices(this.edgesByToken(), new Map([[firstHub, 1]]), 0)
    const comparedStables = stables.filter(({ token }) => priceInHub.has(token))
    if (comparedStables.length === 0) return anchorsOf(stables)
    const maxEvidence = Math.max(
      ...comparedStables.map(({ token }) => priceInHub.get(token)!.evidence).filter(Number.isFinite),
      0,
    )
    // Price of one whole token of each stable, in base units of the first hub.
    const values = comparedStables.map(({ token, unitsPerToken }) => priceInHub.get(token)!.price * unitsPerToken)
    const votes = comparedStables.map(({ token }) =>
      maxEvidence === 0 ? 1 : Math.min(priceInHub.get(token)!.evidence, maxEvidence * FULL_VOTE_SHARE),
    )
    const dollarInHub = highestSupportedValue(values, votes)
    return anchorsOf(comparedStables.filter((_, k) => Math.abs(values[k]! / dollarInHub - 1) <= MAX_PEG_DEVIATION))
  }
}

/** Returns the highest value at which the votes for this value or a higher value make up `QUORUM` of all votes. */
function highestSupportedValue(values: readonly number[], votes: readonly number[]): number {
  const descendingIndices = [...values.keys()].sort((a, b) => values[b]! - values[a]!)
  const requiredVotes = votes.reduce((sum, vote) => sum + vote, 0) * QUORUM * (1 - ROUNDING)
  let reachedVotes = 0
  for (const k of descendingIndices) {
    reachedVotes += votes[k]!
    if (reachedVotes >= requiredVotes) return values[k]!
  }
  return Number.NaN
}

/**
 * Propagates prices from the anchors to a few tokens, in order of decreasing evidence; ties go to the lower address.
 * The price of a token derives only from its pools with tokens that were priced before it.
 *
 * @param edgesByToken - edges of the pools to consider, by the token that they price
 * @param minEvidence - minimum evidence, in the unit of the anchors
 */
function propagatePrices(
  edgesByToken: ReadonlyMap<PricedToken, readonly PriceEdge[]>,
  anchors: ReadonlyMap<PricedToken, number>,
  minEvidence: number,
): ReadonlyMap<PricedToken, TokenPrice> {
  const prices = new Map<PricedToken, TokenPrice>()
  for (const [token, price] of anchors) prices.set(token, { price, evidence: Number.POSITIVE_INFINITY })
  for (;;) {
    let nextToken: PricedToken | undefined
    let bestWeight = 0
    for (const [token, edges] of edgesByToken) {
      if (prices.has(token)) continue
      for (const edge of edges) {
        const weight = weightOf(edge, prices)
        if (!(weight >= minEvidence) || weight === 0 || weight < bestWeight) continue
        if (weight === bestWeight && nextToken && nextToken.address <= token.address) continue
        nextToken = token
        bestWeight = weight
      }
    }
    if (!nextToken) return prices
    const countedEdges = edgesByToken.get(nextToken)!.filter((edge) => weightOf(edge, prices) >= minEvidence)
    const price = feeAwareMedian(
      countedEdges.map((edge) => prices.get(edge.otherToken)!.price * rateWithoutJump(edge).rate),
      countedEdges.map((edge) => weightOf(edge, prices)),
      countedEdges.map(({ pricedPool }) => pricedPool.fee),
    )
    prices.set(nextToken, { price, evidence: bestWeight })
  }
}

/** Returns the weight of an edge in the unit of the anchors; NaN if the edge's other token has no price yet. */
function weightOf(edge: PriceEdge, prices: ReadonlyMap<PricedToken, TokenPrice>): number {
  const price = prices.get(edge.otherToken)
  return price ? Math.min(rateWithoutJump(edge).backing * price.price, price.evidence) : Number.NaN
}
