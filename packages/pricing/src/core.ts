/** The chain's own stables and hubs, a dozen or two, priced among themselves: what all other tokens are measured by. */
import type { Address, Chain } from '@sluice/chains'
import { canonical, type TokenGraph } from './graph.ts'
import { narrowed } from './median.ts'
import { calm, type Edge, type Holding, type Known, type Token } from './token.ts'

/** A stable this far from what the others agree on is off its peg, and is priced like any other token. */
const OFF_PEG = 0.03
/**
 * Votes that it takes, as a part of all: stables fall, alone or together, but do not rise, so the dollar is the highest value that
 * a third of them have. One out of four that shows more than the others is not believed.
 */
const QUORUM = 1 / 3
/** Above what the order of a sum can change. */
const ROUNDING = 1e-9
/** Stables with at least this share of the deepest one's evidence count alike; thinner ones count by their evidence. */
const FULL_VOTE_SHARE = 0.1
/**
 * Dollars behind a hub that make it a measure for others. A thinner one is priced by all its pools, as any token: its few
 * pools with other hubs would be cheap to bend.
 */
const MEASURE_USD = 10_000

export type Decimals = (token: Address) => number | undefined

/** Follows the pools between hubs; the rest of the graph is nothing to it. */
export class Core {
  private readonly graph: TokenGraph
  private readonly chain: Chain
  private readonly decimals: Decimals
  private readonly addresses: readonly Address[]
  private readonly inside: ReadonlySet<Address>
  private readonly holdings = new Set<Holding>()
  private dirty = true
  private tokens: readonly (Token | undefined)[] = []
  private units: readonly number[] = []
  private lacksUnits = false

  constructor(graph: TokenGraph, chain: Chain, decimals: Decimals) {
    this.graph = graph
    this.chain = chain
    this.decimals = decimals
    this.addresses = [...new Set([...chain.hubs, ...chain.stables.map(({ address }) => address)])]
    this.inside = new Set(this.addresses.map((address) => canonical(address, chain)))
  }

  /** True where decimals of a stable are not known yet. */
  get isWaiting(): boolean {
    return this.lacksUnits
  }

  /** @param isNew - not known so far, nor then its tokens */
  put(holding: Holding, isNew: boolean): void {
    if (isNew ? !this.isInside(holding) : !this.holdings.has(holding)) return
    this.holdings.add(holding)
    this.dirty = true
  }

  /** A block has passed: words of the one before do not count any more. */
  turn(holding: Holding): void {
    if (this.holdings.has(holding)) this.dirty = true
  }

  remove(holding: Holding): void {
    if (this.holdings.delete(holding)) this.dirty = true
  }

  /** Worth of the tokens that others are measured by; null when it is what it was. */
  renew(floor: number): ReadonlyMap<Token, Known> | null {
    const tokens = this.addresses.map((address) => this.graph.find(address))
    const units = this.chain.stables.map(({ address }) => 10 ** (this.decimals(address) ?? Number.NaN))
    const same =
      tokens.every((token, k) => token === this.tokens[k]) && units.every((unit, k) => Object.is(unit, this.units[k]))
    if (!this.dirty && same) return null
    this.dirty = false
    this.tokens = tokens
    this.units = units
    this.lacksUnits = units.some(Number.isNaN)
    const priced = spread(this.voices(), this.anchors(), floor)
    return new Map([...priced].filter(([, { evidence }]) => evidence >= MEASURE_USD))
  }

  private isInside({ tokens }: Holding): boolean {
    let first: Token | undefined
    for (const token of tokens) {
      // Most are not even named by the chain's file, as all of these are.
      if (!token.vouched || token === first || !this.inside.has(token.address)) continue
      if (first) return true
      first = token
    }
    return false
  }

  /** Opinions of pools between hubs on each of them. */
  private voices(): ReadonlyMap<Token, readonly Edge[]> {
    const voices = new Map(this.tokens.flatMap((token) => (token ? [[token, [] as Edge[]] as const] : [])))
    for (const { edges } of this.holdings)
      for (const edge of edges) if (voices.has(edge.other)) voices.get(edge.token)?.push(edge)
    return voices
  }

  /**
   * Which stables of the chain stand for one dollar now, with the price of a base unit each.
   *
   * They are compared with each other in units of the chain's native token, over the pools among the chain's hubs. Where
   * nothing connects them, all are taken at their word; a chain without a usable stable has no anchors and no prices.
   */
  private anchors(): ReadonlyMap<Token, number> {
    const stables = this.chain.stables.flatMap(({ address }, k) => {
      const token = this.graph.find(address)
      const unit = this.units[k]!
      return token === undefined || Number.isNaN(unit) ? [] : [{ token, unit }]
    })
    const asAnchors = (chosen: typeof stables) => new Map(chosen.map(({ token, unit }) => [token, 1 / unit]))
    const [hub] = this.chain.hubs
    const native = hub === undefined ? undefined : this.graph.find(hub)
    if (native === undefined) return asAnchors(stables)

    const inNative = spread(this.voices(), new Map([[native, 1]]), 0)
    const compared = stables.filter(({ token }) => inNative.has(token))
    if (compared.length === 0) return asAnchors(stables)
    const deepest = Math.max(...compared.map(({ token }) => inNative.get(token)!.evidence).filter(Number.isFinite), 0)
    const values = compared.map(({ token, unit }) => inNative.get(token)!.price * unit)
    const votes = compared.map(({ token }) =>
      deepest === 0 ? 1 : Math.min(inNative.get(token)!.evidence, deepest * FULL_VOTE_SHARE),
    )
    const dollar = highest(values, votes)
    return asAnchors(compared.filter((_, k) => Math.abs(values[k]! / dollar - 1) <= OFF_PEG))
  }
}

/** The highest value that enough votes reach or exceed. */
function highest(values: readonly number[], votes: readonly number[]): number {
  const order = [...values.keys()].sort((x, y) => values[y]! - values[x]!)
  const enough = votes.reduce((sum, vote) => sum + vote, 0) * QUORUM * (1 - ROUNDING)
  let reached = 0
  for (const k of order) {
    reached += votes[k]!
    if (reached >= enough) return values[k]!
  }
  return Number.NaN
}

/**
 * Carries prices from the anchors over a few tokens, the best backed token first; among equals the lower address. A token
 * hears those that were priced before it.
 *
 * @param floor - in the anchors' unit
 */
function spread(
  voices: ReadonlyMap<Token, readonly Edge[]>,
  anchors: ReadonlyMap<Token, number>,
  floor: number,
): ReadonlyMap<Token, Known> {
  const priced = new Map<Token, Known>()
  for (const [token, price] of anchors) priced.set(token, { price, evidence: Number.POSITIVE_INFINITY })
  for (;;) {
    let next: Token | undefined
    let best = 0
    for (const [token, heard] of voices) {
      if (priced.has(token)) continue
      for (const voice of heard) {
        const weight = weightOf(voice, priced)
        if (!(weight >= floor) || weight === 0 || weight < best) continue
        if (weight === best && next && next.address <= token.address) continue
        next = token
        best = weight
      }
    }
    if (!next) return priced
    const speaking = voices.get(next)!.filter((voice) => weightOf(voice, priced) >= floor)
    const price = narrowed(
      speaking.map((voice) => priced.get(voice.other)!.price * calm(voice).rate),
      speaking.map((voice) => weightOf(voice, priced)),
      speaking.map(({ holding }) => holding.fee),
    )
    priced.set(next, { price, evidence: best })
  }
}

function weightOf(voice: Edge, priced: ReadonlyMap<Token, Known>): number {
  const known = priced.get(voice.other)
  return known ? Math.min(calm(voice).backing * known.price, known.evidence) : Number.NaN
}
