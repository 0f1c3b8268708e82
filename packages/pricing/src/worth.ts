/** What tokens are worth now, worked out when somebody asks and kept until a pool changes. */
import { backingFor, rateFor, speakerFor, type Token } from './graph.ts'
import { weightedMedian } from './median.ts'

/** Dollars of a base unit, and dollars behind that: those of the best backed pool, infinite for anchors. */
export type Known = { readonly price: number; readonly evidence: number }

const values: number[] = []
const weights: number[] = []

export class Worth {
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

  /**
   * Brings `price` and `evidence` of a token up to date: price NaN and evidence 0 where they are not known.
   *
   * A pool speaks for a token only through its other token, and only where that one stands above it in the order: what it says
   * weighs as much as the priced token in it is worth, and no more than the evidence behind that token. So a token with
   * worthless pools of any stated size stays without a price, and a price cannot be better founded than those it comes from.
   */
  ask(token: Token): Token {
    if (token.version === this.version) return token
    token.version = this.version
    const known = this.known.get(token)
    token.price = known?.price ?? Number.NaN
    token.evidence = known?.evidence ?? 0
    if (known || token.order === 0) return token
    for (const holding of token.holdings)
      for (const pair of holding.view.pairs) {
        const other = speakerFor(token, holding, pair)
        if (other && other.order > token.order) this.ask(other)
      }
    // All that is needed is known: nothing below comes back here.
    values.length = 0
    weights.length = 0
    for (const holding of token.holdings)
      for (const pair of holding.view.pairs) {
        const other = speakerFor(token, holding, pair)
        if (!other || other.order <= token.order) continue
        const weight = Math.min(backingFor(token, holding, pair) * other.price, other.evidence)
        if (!(weight >= this.floor)) continue
        values.push(other.price * rateFor(token, holding, pair))
        weights.push(weight)
        if (weight > token.evidence) token.evidence = weight
      }
    token.price = weightedMedian(values, weights)
    return token
  }
}
