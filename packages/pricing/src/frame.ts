/**
 * The order in which tokens speak for each other, kept up to date change by change.
 *
 * Every token has a level, the evidence behind it on a scale of eighths of a doubling: that of the best way from an anchor
 * whose weakest pool is the strongest, one step lower with each pool on the way (widest paths, M. Pollack, 1960; each token's
 * value follows from those above it as in D. Knuth's "A generalization of Dijkstra's algorithm", 1977). A pool is weighed by
 * what its other token is worth for reference: the median of its own pools in the same scale. Since steps are coarse, prices
 * move all the time and levels seldom do, and a change ends where it changes no step.
 *
 * Tokens above decide on those below, and no two of the same level hear each other, so exactly one assignment of levels agrees
 * with all pools: it does not matter by which changes it was reached, nor in which order. They are made as by G. Ramalingam
 * and T. Reps, "An incremental algorithm for a generalization of the shortest-path problem", 1996: whatever disagrees is put
 * right from the highest level down, each token at most twice.
 */
import type { Steps } from '@sluice/rpc'
import { weightedMedian } from './median.ts'
import { calm, type Edge, type Holding, type Known, type Token, WORD } from './token.ts'

/** Steps of the scale for each doubling. */
const STEPS = 8
/** Dollars at level 1: below the floor of prices, since references are rounded. */
const LOWEST_USD = 150
/** The level of anchors, above any evidence in dollars. */
const TOP_LEVEL = 400

const LOWEST = Math.floor(Math.log2(LOWEST_USD) * STEPS)

/** Level of an amount of dollars; 0 for what is too little. */
function levelOf(usd: number): number {
  if (!(usd >= LOWEST_USD)) return 0
  return Math.min(TOP_LEVEL - 1, Math.floor(Math.log2(usd) * STEPS) - LOWEST + 1)
}

/** Dollars that a level stands for. */
const usdOf = (level: number) => 2 ** ((level - 1 + LOWEST) / STEPS)

/** By level, dollars that it stands for. */
const LEVEL_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOf(level))
/** By level, dollars that surely do not reach the next one. */
const STEP_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOf(level + 1) * (1 - 1e-9))

/** The nearest price on the scale. */
const reference = (price: number) => 2 ** (Math.round(Math.log2(price) * STEPS) / STEPS)

/** Tokens whose level and reference are given, such as anchors: all of them named by the chain's file. */
export type Sources = ReadonlyMap<Token, { readonly level: number; readonly reference: number }>

/** Tokens that others are measured by, as sources. */
export function sourcesOf(known: ReadonlyMap<Token, Known>): Sources {
  return new Map(
    [...known].map(([token, { price, evidence }]) => [
      token,
      { level: evidence === Number.POSITIVE_INFINITY ? TOP_LEVEL : levelOf(evidence), reference: reference(price) },
    ]),
  )
}

export class Frame {
  private sources: Sources = new Map()
  /** By key, the highest level that a token may have had or get; a token may stand in several, and is found in one. */
  private readonly queue: Token[][] = Array.from({ length: TOP_LEVEL + 1 }, () => [])
  private highest = 0
  /** Some more than once. */
  private readonly moved: Token[] = []

  setSources(sources: Sources): void {
    const before = this.sources
    this.sources = sources
    for (const [token] of before) if (!sources.has(token)) this.expect(token, token.level)
    for (const [token, { level }] of sources) this.expect(token, Math.max(token.level, level))
  }

  /** A pool has come, changed or gone. */
  touch({ tokens, edges }: Holding): void {
    for (const token of tokens) this.expect(token, token.level)
    for (const edge of edges) this.expect(edge.token, contribution(edge))
  }

  /** Puts right what disagrees. May be interrupted, also by further changes; `order` is what it was until the end. */
  *assign(): Steps<void> {
    for (; this.highest > 0; this.highest--) {
      const level = this.highest
      const bucket = this.queue[level]!
      for (let token = bucket.pop(); token; token = bucket.pop()) {
        if (token.queued !== level) continue
        token.queued = 0
        yield* this.review(token, level)
        // What came in while this was interrupted goes first.
        if (this.highest > level) break
        yield
      }
      if (this.highest > level) this.highest++
    }
    for (const token of this.moved) token.order = token.level
    this.moved.length = 0
  }

  private expect(token: Token, key: number): void {
    if (key <= token.queued) return
    token.queued = key
    this.queue[key]!.push(token)
    if (key > this.highest) this.highest = key
  }

  /** Everything above `key` is right, and nothing that is done here changes what stands at it or above. */
  private *review(token: Token, key: number): Steps<void> {
    const right = (token.vouched ? this.sources.get(token) : undefined) ?? evaluate(token)
    if (token.level === right.level && Object.is(token.reference, right.reference)) return
    if (right.level > key || (token.level < key && right.level < key))
      return this.expect(token, Math.max(token.level, right.level))
    const drops = right.level < key
    token.level = drops ? 0 : right.level
    token.reference = drops ? Number.NaN : right.reference
    this.moved.push(token)
    if (drops) this.expect(token, right.level)
    const { edges, others, words } = token
    for (let k = 0; k < others.length; k++) {
      const other = others[k]!
      if (other.level < key) {
        // What the reverse has behind it stands beside the token's own words.
        const given = other.sudden === 0 ? levelBy(words[WORD * k + 2]!, token) : contribution(edges[k]!.reverse)
        this.expect(other, Math.max(other.level, given))
      }
      if (k % 1_000 === 999) yield
    }
  }
}

/**
 * The level that a pool gives to a token by what it holds of another. What is sudden gives none beyond that of the block
 * before, but the lowest: it may be heard where nobody else speaks, and who rests on it speaks for nobody.
 */
function contribution(edge: Edge): number {
  const { other } = edge
  if (other.level === 0) return 0
  const level = levelBy(calm(edge).backing, other)
  if (level > 0 || edge.before === undefined) return level
  return Math.min(1, levelBy(edge.backing, other))
}

/** The level that so many base units of a token give to whoever they stand behind. */
function levelBy(backing: number, { level, reference }: Token): number {
  return level === 0 ? 0 : Math.min(levelOf(backing * reference), level - 1)
}

const values: number[] = []
const weights: number[] = []

/** The price of a token by its pools, by the tokens above it. */
function evaluate(token: Token): { readonly level: number; readonly reference: number } {
  const { edges, others, words } = token
  const isCalm = token.sudden === 0
  let level = 0
  for (let k = 0; k < others.length; k++) {
    const other = others[k]!
    // Most give less than the best so far, and need no logarithm to tell.
    if (other.level <= level) continue
    const backing = words[WORD * k + 1]!
    if (isCalm || edges[k]!.before === undefined) {
      if (backing * other.reference >= STEP_USD[level]!) level = Math.max(level, levelBy(backing, other))
    } else level = Math.max(level, contribution(edges[k]!))
  }
  if (level === 0) return { level: 0, reference: Number.NaN }
  values.length = 0
  weights.length = 0
  for (let k = 0; k < others.length; k++) {
    const other = others[k]!
    if (other.level <= level) continue
    const said = isCalm ? undefined : edges[k]!.before
    values.push(other.reference * (said ? said.rate : words[WORD * k]!))
    weights.push(Math.min((said ? said.backing : words[WORD * k + 1]!) * other.reference, LEVEL_USD[other.level]!))
  }
  return { level, reference: reference(weightedMedian(values, weights)) }
}
