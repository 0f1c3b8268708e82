/** Tokens that are shares of others, by what they redeem for and up to what is there to be paid out now. */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, RedeemedPart, Redemption } from '@sluice/liquidity'
import type { Decimals } from './core.ts'
import { canonical, type TokenGraph } from './graph.ts'
import { weightedMedian } from './median.ts'
import type { Known, Token } from './token.ts'
import type { Opinion, Worth } from './worth.ts'

/** The last reading of a share, and before it the one of another block; undefined for what is no share. */
export type Redemptions = (token: Address) => readonly Redemption[] | undefined

/** Shares of shares of shares, and no more. */
const MOST_LEVELS = 3
/** Decimals of the shares that have a virtual price. */
const SHARE_PLACES = 18
/** A virtual price below this part of what stands behind a share is in units that are not understood. */
const LEAST_OF_HELD = 0.8
/** Prices of parts may be too high by so much: see `depth.ts`. */
const PRICE_ERROR = 0.02

/** A part with the dollars of a base unit, those behind that, and those of what is held of it. */
type Side = Known & { readonly part: RedeemedPart; readonly usd: number; readonly vouched: boolean }

/** A share's worth. `thereUsd` are the dollars that can be redeemed now. */
export type Redeemed = Known & { readonly thereUsd: number; readonly source: Pool }

type Options = {
  readonly chain: Chain
  readonly graph: TokenGraph
  readonly worth: Worth
  readonly decimals: Decimals
  readonly redemptions: Redemptions
  /** Dollars below which there is no evidence. */
  readonly floor: number
  /** The graph's token, where it has a price by its pools. */
  readonly find: (address: Address) => Token | undefined
}

export class Shares {
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  /** True for a token that redeems for others, whether or not their worth is known. */
  has(address: Address): boolean {
    return this.options.redemptions(address) !== undefined
  }

  /**
   * A share by what it redeems for; undefined where that is not known. Of two readings the lower counts, so that what was sent
   * to a vault for a block lifts nothing, and what is lost counts at once.
   */
  of(address: Address, level = 0): Redeemed | undefined {
    const { redemptions, graph, floor } = this.options
    const readings = redemptions(address)
    if (!readings || level === MOST_LEVELS || isPooled(graph.find(address), address)) return undefined
    let low: Redeemed | undefined
    for (const reading of readings) {
      const told = this.read(reading, level)
      if (!told) return undefined
      low = low ? lower(low, told) : told
    }
    return low && low.evidence >= floor ? low : undefined
  }

  /** Price and evidence of a share with the words of its pools, each by what stands behind it. */
  heard(redeemed: Redeemed, opinions: readonly Opinion[]): Known {
    const all = [...opinions, opinionOf(redeemed)]
    const price = weightedMedian(
      all.map(({ value }) => value),
      all.map(({ weight }) => weight),
    )
    return { price, evidence: Math.max(...all.map(({ weight }) => weight)) }
  }

  private read(reading: Redemption, level: number): Redeemed | undefined {
    const sides: Side[] = []
    for (const part of reading.parts) {
      const known = this.known(part.token, level)
      if (!known) return undefined
      sides.push({ ...known, part, usd: Math.min(Number(part.held), Number(reading.limit ?? part.held)) * known.price })
    }
    const price = sides.length === 1 ? reading.rate * sides[0]!.price : this.severalOf(reading, sides)
    const there = countedOf(sides) / (this.isNamed(reading.share) ? 1 : 1 + PRICE_ERROR)
    const evidence = Math.min(there, ...sides.map((side) => side.evidence))
    if (!(price > 0 && Number.isFinite(price) && evidence > 0)) return undefined
    return { price, evidence, thereUsd: there, source: sourceOf(reading) }
  }

  /** Worth of a part, itself a share perhaps. */
  private known(part: Address, level: number): (Known & { readonly vouched: boolean }) | undefined {
    const { find, chain, worth } = this.options
    const address = canonical(part, chain)
    const token = find(address)
    const share = this.of(address, level + 1)
    if (!token && !share) return undefined
    const known = share ? this.heard(share, token ? worth.opinions(token) : []) : worth.ask(token!)
    return { price: known.price, evidence: known.evidence, vouched: this.isNamed(address) }
  }

  private isNamed(address: Address): boolean {
    return this.options.graph.isVouched(address)
  }

  /**
   * Dollars of a base unit of a share of several tokens, from what a trade does not change: the product of the reserves, or
   * the virtual price ("Pricing LP tokens", Alpha Finance, 2021). What is held caps it.
   */
  private severalOf({ kind, supply, rate }: Redemption, sides: readonly Side[]): number {
    const count = sides.length
    let held = 0
    for (const { usd } of sides) held += usd
    const most = held / Number(supply)
    if (kind === 'pair' || kind === 'weighted') {
      let logs = 0
      for (const { usd, part } of sides) {
        const weight = kind === 'pair' ? 1 / count : part.scale
        logs += weight * Math.log(usd / weight)
      }
      return Math.min(most, Math.exp(logs) / Number(supply))
    }
    const wholes = sides.map(({ price, part }) => this.wholeOf(price, part, kind === 'stable'))
    const unit = kind === 'stable' ? Math.min(...wholes) : count * wholes.reduce((x, y) => x * y ** (1 / count), 1)
    const price = (rate * unit) / 10 ** SHARE_PLACES
    return price >= most * LEAST_OF_HELD ? Math.min(price, most) : Number.NaN
  }

  /** Dollars of a whole token, or of what it counts for beside the others. */
  private wholeOf(price: number, { token, scale }: RedeemedPart, isScaled: boolean): number {
    const { decimals, chain } = this.options
    const places = decimals(token === ZERO_ADDRESS ? canonical(token, chain) : token) ?? Number.NaN
    return (price * 10 ** places) / (isScaled && scale > 0 ? scale : 1)
  }
}

/** True for a share whose redemption is a pool of the graph. */
function isPooled(token: Token | undefined, address: Address): boolean {
  for (const { pool } of token?.holdings ?? [])
    if (pool.address === address && pool.tokens.includes(address)) return true
  return false
}

/**
 * Dollars that are there to be redeemed: each part up to its evidence, and those that the registry does not name up to the rest
 * of them, so that a million tokens minted beside ten dollars are ten dollars.
 */
function countedOf(sides: readonly Side[]): number {
  let named = 0
  let others = 0
  let least = Number.POSITIVE_INFINITY
  for (const { usd, evidence, vouched } of sides) {
    const counted = Math.min(usd, evidence)
    least = Math.min(least, counted)
    if (vouched) named += counted
    else others += counted
  }
  if (sides.length === 1) return named + others
  return named > 0 ? named + Math.min(others, named) : 2 * least
}

function lower(a: Redeemed, b: Redeemed): Redeemed {
  const [price, evidence] = [Math.min(a.price, b.price), Math.min(a.evidence, b.evidence)]
  return { ...a, price, evidence, thereUsd: Math.min(a.thereUsd, b.thereUsd) }
}

/** The share as the place where it is redeemed. */
function sourceOf({ share, kind, parts }: Redemption): Pool {
  const tokens = [share, ...parts.map(({ token }) => token)]
  return { id: share, family: 'redemption', dex: kind, address: share, tokens, state: null }
}

export function opinionOf({ source, price, evidence }: Redeemed): Opinion {
  return { pool: source, value: price, weight: evidence }
}
