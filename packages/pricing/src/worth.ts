/** Prices of tokens now, worked out when somebody asks and kept until a pool changes. */

import type { Pool } from '@sluice/liquidity'
import { weightedMedian } from './median.ts'
import { calm, type Edge, type Known, type Said, type Token, WORD } from './token.ts'

/** Opinion of a pool on a token: dollars of a base unit, and dollars behind that. */
export type Opinion = { readonly pool: Pool; readonly value: number; readonly weight: number }

const values: number[] = []
const weights: number[] = []

export class Worth {
  /** In the order in which they were priced: each was heard by those behind it. */
  private known: ReadonlyMap<Token, Known> = new Map()
  private readonly floor: number
  private version = 0

  /** @param floor - dollars below which a pool is no evidence */
  constructor(floor: number) {
    this.floor = floor
  }

  /** Forgets what was worked out. @param known - tokens that others are measured by */
  renew(known = this.known): void {
    this.known = known
    this.version++
  }

  /** Answer to the one question that is asked of a token again and again, whether it is deep enough, until anything changes. */
  remember(token: Token, answer: (token: Token) => boolean): boolean {
    if (token.deepVersion !== this.version) {
      token.isDeep = answer(token)
      token.deepVersion = this.version
    }
    return token.isDeep
  }

  /**
   * Brings `price` and `evidence` of a token up to date: price NaN and evidence 0 where they are not known.
   *
   * A pool speaks for a token only through its other token, and only where that one stands above it in the order: what it says
   * weighs as much as the priced token in it is worth, and no more than the evidence behind that token. So a token with
   * worthless pools of any stated size stays without a price, and a price cannot be better founded than those it comes from.
   *
   * While a pool speaks that says nothing new, those that do so all of a sudden are heard as of the block before.
   */
  ask(token: Token): Token {
    if (token.version === this.version) return token
    token.version = this.version
    token.before = undefined
    token.best = -1
    // Only tokens that the chain's file names are measures, and most are not.
    const known = token.vouched ? this.known.get(token) : undefined
    token.price = known?.price ?? Number.NaN
    token.evidence = known?.evidence ?? 0
    if (known || token.order === 0) return token
    const { others, order } = token
    for (let k = 0; k < others.length; k++) {
      const other = others[k]!
      if (other.order > order && other.version !== this.version) this.ask(other)
    }
    // All that is needed is known: nothing below comes back here.
    if (this.hearNow(token)) return priced(token, heard())
    const sudden = heard()
    this.hearBefore(token)
    const before = heard()
    if (this.isContested(token)) return priced(token, before)
    token.before = before
    return priced(token, sudden)
  }

  /** True where `ask` has nothing left to work out. */
  isKnown(token: Token): boolean {
    return token.version === this.version
  }

  /** Opinions of its pools on a token with a price. Those that others are measured by are heard of among each other. */
  opinions(token: Token): readonly Opinion[] {
    this.ask(token)
    const isCore = this.known.has(token)
    const heard = isCore ? this.heardBy(token) : undefined
    const as = isCore || this.isContested(token) ? asBefore : now
    const opinions: Opinion[] = []
    for (const edge of token.edges) {
      const { other, holding } = edge
      if (heard ? !heard.has(other) : other.order <= token.order) continue
      this.ask(other)
      const { rate, backing } = as.said(edge)
      const { price, evidence } = as.worth(other)
      const weight = Math.min(backing * price, evidence)
      if (weight >= this.floor) opinions.push({ pool: holding.pool, value: price * rate, weight })
    }
    return opinions
  }

  private heardBy(token: Token): ReadonlySet<Token> {
    const order = [...this.known.keys()]
    const isAnchor = this.known.get(token)!.evidence === Number.POSITIVE_INFINITY
    return new Set(isAnchor ? order : order.slice(0, order.indexOf(token)))
  }

  /** Leaves what is said of a token now in `values` and `weights`. @returns whether nothing of it is sudden */
  private hearNow(token: Token): boolean {
    values.length = 0
    weights.length = 0
    const { edges, others, words, order, sudden } = token
    let isCalm = true
    let best = 0
    for (let k = 0; k < others.length; k++) {
      const other = others[k]!
      if (other.order <= order) continue
      if (other.before !== undefined || (sudden > 0 && edges[k]!.before !== undefined)) isCalm = false
      const { price } = other
      const weight = Math.min(words[WORD * k + 1]! * price, other.evidence)
      if (!(weight >= this.floor)) continue
      values.push(price * words[WORD * k]!)
      weights.push(weight)
      if (weight <= best) continue
      best = weight
      token.best = k
    }
    return isCalm
  }

  /** The same, where what is sudden is heard as of the block before. */
  private hearBefore(token: Token): void {
    values.length = 0
    weights.length = 0
    for (const edge of token.edges) {
      const { other } = edge
      if (other.order <= token.order) continue
      const { rate, backing } = asBefore.said(edge)
      const { price, evidence } = asBefore.worth(other)
      const weight = Math.min(backing * price, evidence)
      if (!(weight >= this.floor)) continue
      values.push(price * rate)
      weights.push(weight)
    }
  }

  /** True where something is sudden, and a pool that says nothing new can be heard beside it. */
  private isContested(token: Token): boolean {
    let isSudden = false
    let isSteady = false
    for (const edge of token.edges) {
      const { other, backing } = edge
      if (other.order <= token.order) continue
      if (edge.before !== undefined || other.before !== undefined) isSudden = true
      else if (Math.min(backing * other.price, other.evidence) >= this.floor) isSteady = true
    }
    return isSudden && isSteady
  }
}

/** Words of pools, and worth of tokens, at a time. */
type Time = { readonly said: (edge: Edge) => Said; readonly worth: (token: Token) => Known }

const now: Time = { said: (edge) => edge, worth: (token) => token }
const asBefore: Time = { said: calm, worth: (token) => token.before ?? token }

function priced(token: Token, { price, evidence }: Known): Token {
  token.price = price
  token.evidence = evidence
  return token
}

function heard(): Known {
  let evidence = 0
  for (const weight of weights) if (weight > evidence) evidence = weight
  return { price: weightedMedian(values, weights), evidence }
}
