/**
 * Prices share tokens (vault shares, LP tokens) by their redemption value. The evidence of such a price (the USD
 * liquidity behind it) is at most the value that can be redeemed now.
 */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, RedeemedPart, Redemption } from '@sluice/liquidity'
import { canonicalToken, type TokenGraph } from './graph.ts'
import type { DecimalsOf } from './hub-pricer.ts'
import { weightedMedian } from './median.ts'
import type { PricedToken, TokenPrice } from './token.ts'
import type { PriceObservation, TokenPricer } from './token-pricer.ts'

/**
 * Returns the redemption readings of a share: the newest reading, then the newest reading of an earlier block. A
 * reading states for which amounts of other tokens the share can be redeemed. Undefined if the token is not a share.
 */
export type RedemptionReadings = (token: Address) => readonly Redemption[] | undefined

/** Maximum nesting of shares. */
const MAX_NESTING = 3
/**
 * Maximum components, of all nested shares together, from which a share is priced. Anyone can deploy shares of shares
 * of many tokens, but real shares have fewer than a dozen components.
 */
const MAX_COMPONENTS = 24
/** Decimals of shares whose pool reports a virtual price (value of the held tokens per share). */
const SHARE_DECIMALS = 18
/** A virtual price below this fraction of the held value per share is ignored, because it may have another unit. */
const MIN_SHARE_OF_HELD_VALUE = 0.8
/** Maximum relative error of the prices of components: see `depth.ts`. */
const PRICE_ERROR = 0.02

/**
 * A token for which a share can be redeemed, with its price and evidence (USD liquidity behind the price). `usd` is its
 * USD value that is redeemable now.
 */
type Component = ComponentPrice & { readonly part: RedeemedPart; readonly usd: number }
type ComponentPrice = TokenPrice & { readonly isListed: boolean }
/** Component prices of one share that are computed already. `maps` has one map by token for each depth of nesting. */
type KnownComponents = {
  /** Number of entries of all maps. */
  count: number
  readonly maps: readonly Map<Address, ComponentPrice | undefined>[]
}

/**
 * Price of a share, with the USD value that is redeemable now. `sourcePool` stands for redemption as a price source.
 */
export type RedemptionPrice = TokenPrice & { readonly redeemableUsd: number; readonly sourcePool: Pool }

type SharePricerOptions = {
  readonly chain: Chain
  readonly graph: TokenGraph
  readonly pricer: TokenPricer
  readonly decimals: DecimalsOf
  readonly redemptions: RedemptionReadings
  /** Minimum evidence in USD. */
  readonly minEvidenceUsd: number
  /** True for tokens that cannot be sold; they have no redemption price. */
  readonly isUnsellable: (address: Address) => boolean
  /** Returns the token if it has a price from its pools. */
  readonly findPriced: (address: Address) => PricedToken | undefined
}

export class SharePricer {
  private readonly options: SharePricerOptions

  constructor(options: SharePricerOptions) {
    this.options = options
  }

  /** True for a share token, whether or not its components have prices. */
  isShare(address: Address): boolean {
    return this.options.redemptions(address) !== undefined
  }

  /**
   * Returns the redemption price of a share; undefined if unknown. The lower of two readings of different blocks
   * counts. So a donation within one block does not raise the price, but a loss lowers it at once.
   */
  redemptionPrice(
    address: Address,
    nesting = 0,
    knownComponents: KnownComponents | undefined = undefined,
  ): RedemptionPrice | undefined {
    const { redemptions, graph, minEvidenceUsd, isUnsellable } = this.options
    const readings = redemptions(address)
    if (!readings || nesting === MAX_NESTING || isUnsellable(address)) return undefined
    if (isPooled(graph.findToken(address), address)) return undefined
    const components: KnownComponents = knownComponents ?? {
      count: 0,
      maps: Array.from({ length: MAX_NESTING }, () => new Map()),
    }
    let lowestPrice: RedemptionPrice | undefined
    for (const reading of readings) {
      const redemption = this.priceFromReading(reading, nesting, components)
      if (!redemption) return undefined
      lowestPrice = lowestPrice ? minimumOf(lowestPrice, redemption) : redemption
    }
    return lowestPrice && lowestPrice.evidence >= minEvidenceUsd ? lowestPrice : undefined
  }

  /** Returns the tokens for which a share can be redeemed; empty if the token is not a share. */
  componentsOf(address: Address): readonly Address[] {
    const [reading] = this.options.redemptions(address) ?? []
    return reading?.parts.map(({ token }) => canonicalToken(token, this.options.chain)) ?? []
  }

  /** Combines the redemption price with the observations of pools that trade the share. */
  combine(redemption: RedemptionPrice, observations: readonly PriceObservation[]): TokenPrice {
    const allObservations = [...observations, observationOf(redemption)]
    const price = weightedMedian(
      allObservations.map(({ value }) => value),
      allObservations.map(({ weight }) => weight),
    )
    return { price, evidence: Math.max(...allObservations.map(({ weight }) => weight)) }
  }

  private priceFromReading(
    reading: Redemption,
    nesting: number,
    knownComponents: KnownComponents,
  ): RedemptionPrice | undefined {
    const components: Component[] = []
    const knownPrices = knownComponents.maps[nesting]!
    for (const part of reading.parts) {
      if (!knownPrices.has(part.token)) {
        if (knownComponents.count++ >= MAX_COMPONENTS) return undefined
        knownPrices.set(part.token, this.componentPrice(part.token, nesting, knownComponents))
      }
      const partPrice = knownPrices.get(part.token)
      if (!partPrice) return undefined
      components.push({
        ...partPrice,
        part,
        usd: Math.min(Number(part.balance), Number(reading.maxRedeemable ?? part.balance)) * partPrice.price,
      })
    }
    const price =
      components.length === 1 ? reading.rate * components[0]!.price : this.multiTokenPrice(reading, components)
    const redeemableUsd = countedUsdOf(components) / (this.isListed(reading.share) ? 1 : 1 + PRICE_ERROR)
    const evidence = Math.min(redeemableUsd, ...components.map((component) => component.evidence))
    if (!(price > 0 && Number.isFinite(price) && evidence > 0)) return undefined
    return { price, evidence, redeemableUsd, sourcePool: sourceOf(reading) }
  }

  /** Returns the price of a component, which may be a share too. */
  private componentPrice(
    componentToken: Address,
    nesting: number,
    knownComponents: KnownComponents,
  ): ComponentPrice | undefined {
    const { findPriced, chain, pricer } = this.options
    const address = canonicalToken(componentToken, chain)
    const token = findPriced(address)
    const redemption = this.redemptionPrice(address, nesting + 1, knownComponents)
    if (!token && !redemption) return undefined
    const tokenPrice = redemption
      ? this.combine(redemption, token ? pricer.observationsOf(token) : [])
      : pricer.updatePrice(token!)
    return { price: tokenPrice.price, evidence: tokenPrice.evidence, isListed: this.isListed(address) }
  }

  private isListed(address: Address): boolean {
    return this.options.graph.isListed(address)
  }

  /**
   * Returns USD per base unit of a share of several tokens, at most the held value per share. Computes it from a number
   * that trades in the pool do not change: the product of the reserves, or the virtual price ("Pricing LP tokens",
   * Alpha Finance, 2021).
   * - `pair`, `weighted`: product over all components of (usd / weight) ^ weight, divided by the supply. The weights of
   *   a `weighted` pool are the `scale` of its parts.
   * - `stable`: virtual price times the lowest price of a component.
   * - other kinds: virtual price times the number of components times the geometric mean of the component prices.
   */
  private multiTokenPrice({ kind, supply, rate }: Redemption, components: readonly Component[]): number {
    const count = components.length
    let reserveUsd = 0
    for (const { usd } of components) reserveUsd += usd
    const maxPrice = reserveUsd / Number(supply)
    if (kind === 'pair' || kind === 'weighted') {
      let weightedLogSum = 0
      for (const { usd, part } of components) {
        const weight = kind === 'pair' ? 1 / count : part.scale
        weightedLogSum += weight * Math.log(usd / weight)
      }
      return Math.min(maxPrice, Math.exp(weightedLogSum) / Number(supply))
    }
    const wholeTokenPrices = components.map(({ price, part }) => this.wholeTokenUsd(price, part, kind === 'stable'))
    const wholeShareUsd =
      kind === 'stable'
        ? Math.min(...wholeTokenPrices)
        : count * wholeTokenPrices.reduce((product, price) => product * price ** (1 / count), 1)
    const price = (rate * wholeShareUsd) / 10 ** SHARE_DECIMALS
    return price >= maxPrice * MIN_SHARE_OF_HELD_VALUE ? Math.min(price, maxPrice) : Number.NaN
  }

  /** Returns the USD price of a whole token; for a stable pool, divided by the token's scale factor in the pool. */
  private wholeTokenUsd(price: number, { token, scale }: RedeemedPart, isScaled: boolean): number {
    const { decimals, chain } = this.options
    const tokenDecimals = decimals(token === ZERO_ADDRESS ? canonicalToken(token, chain) : token) ?? Number.NaN
    return (price * 10 ** tokenDecimals) / (isScaled && scale > 0 ? scale : 1)
  }
}

/**
 * True if the graph has a pool at the share's own address that trades the share, such as an ERC-4626 vault. The graph
 * then prices the share.
 */
function isPooled(token: PricedToken | undefined, address: Address): boolean {
  for (const { pool } of token?.pricedPools ?? [])
    if (pool.address === address && pool.tokens.includes(address)) return true
  return false
}

/**
 * Returns the redeemable USD that counts as evidence. Each component counts at most its own evidence. All unlisted
 * components (not in the chain's file) together count at most as much as the listed ones. Otherwise an attacker could
 * add any number of minted tokens to a few dollars of a listed token.
 */
function countedUsdOf(components: readonly Component[]): number {
  let listedUsd = 0
  let unlistedUsd = 0
  let minUsd = Number.POSITIVE_INFINITY
  for (const { usd, evidence, isListed } of components) {
    const cappedUsd = Math.min(usd, evidence)
    minUsd = Math.min(minUsd, cappedUsd)
    if (isListed) listedUsd += cappedUsd
    else unlistedUsd += cappedUsd
  }
  if (components.length === 1) return listedUsd + unlistedUsd
  return listedUsd > 0 ? listedUsd + Math.min(unlistedUsd, listedUsd) : 2 * minUsd
}

function minimumOf(a: RedemptionPrice, b: RedemptionPrice): RedemptionPrice {
  const [price, evidence] = [Math.min(a.price, b.price), Math.min(a.evidence, b.evidence)]
  return { ...a, price, evidence, redeemableUsd: Math.min(a.redeemableUsd, b.redeemableUsd) }
}

/** Returns a pseudo pool that represents redemption as a price source. */
function sourceOf({ share, kind, parts }: Redemption): Pool {
  const tokens = [share, ...parts.map(({ token }) => token)]
  return { id: share, family: 'redemption', dex: kind, address: share, tokens, state: null }
}

/** Converts a redemption price to a price observation. */
export function observationOf({ sourcePool, price, evidence }: RedemptionPrice): PriceObservation {
  return { pool: sourcePool, value: price, weight: evidence }
}
