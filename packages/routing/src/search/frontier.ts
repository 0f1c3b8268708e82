/** The tokens and edges around a division that could pay at its prices: where column generation and the bound look. */
import type { Potential } from './potentials.ts'
import type { Problem } from './problem.ts'
import type { WaterFilling } from './water-filling.ts'

/** An edge must beat the prices at its ends by this part. */
const MIN_GAIN = 1e-9
/** Edge lists are kept while prices fall by no more than this part. */
const SLACK = 1e-3
/** Tokens that less than this part of the trade flows through have no price of their own. */
const LIVE = 1e-12
/** Where spot rates give hope to more tokens than this, it is worth finding out what all tokens are worth at the present prices. */
const FEW = 48
/** An edge that cannot earn more than this part of the trade is left out, and what it may earn counted. */
const DUST = 1e-9

export class Frontier {
  /** Tokens outside the division that some way through them pays for, at the prices of the tokens in it. */
  tokens: number[] = []
  /** Tokens that the trade flows through. */
  liveTokens: readonly number[] = []
  /** Edges that are part of such a way, or that join two tokens of the division and would pay themselves. */
  edges: number[] = []
  /** What a token costs at least, in output base units: its price where the trade flows through it. */
  readonly cost: Float64Array
  /** What it is worth at best; above its cost for `tokens` alone. */
  readonly worth: Float64Array
  /** The edge after the token on the way that is worth most, and the one before it on the way that costs least. */
  readonly next: Int32Array
  readonly previous: Int32Array
  /** Whether a token has a price, since the trade flows through it. */
  readonly live: Uint8Array
  /** What the edges that were left out may earn together, in output base units. */
  dust = 0
  /** False where labels still moved after the longest way: prices go in circles. */
  settled = true

  /** Rates of all edges, those of shared pools as the division leaves them; and of their reverse edges. */
  rate: Float64Array
  private rateBack: Float64Array
  /** Edges whose rate is another than the problem's, and by what factor rates have risen at most. */
  private moved: ReadonlySet<number> = new Set()
  private risen = 1

  private readonly problem: Problem
  private readonly backward: Potential
  private readonly distances: Uint8Array
  private readonly lists = new Map<number, Int32Array>()
  private readonly limit: Float64Array
  private readonly queued: Uint8Array
  private readonly scratch: Int32Array
  private reached: number[] = []
  /** What tokens are worth at most, times `rise`: at spot rates, or as measured for an earlier division. */
  private hope: Float64Array
  private rise = 1
  private measured: Float64Array | null = null
  /** Tokens that the trade flowed through when that was measured. */
  private measuredAt: readonly number[] = []

  constructor(problem: Problem, backward: Potential, distances: Uint8Array) {
    const { tokens, from, scratch } = problem.graph.topology
    const count = tokens.length
    this.problem = problem
    this.rate = problem.rate
    this.rateBack = problem.rateBack
    this.backward = backward
    this.distances = distances
    this.hope = backward.best
    this.cost = scratch.floats(count, Number.POSITIVE_INFINITY)
    this.worth = scratch.floats(count, 0)
    this.next = scratch.ints(count)
    this.previous = scratch.ints(count)
    this.live = scratch.bytes(count, 0)
    this.limit = scratch.floats(count, Number.POSITIVE_INFINITY)
    this.queued = scratch.bytes(count, 0)
    this.scratch = scratch.ints(from.length)
  }

  /**
   * Looks around a division that has been solved.
   *
   * @param least - edges that cannot earn this may be left out, in output base units
   */
  explore(filling: WaterFilling, least = 0): void {
    if (this.problem.reuse) this.takeRates(filling)
    this.clear()
    this.takePrices(filling)
    this.takeHope()
    if (this.spreadCosts()) this.lookNear(filling)
    else {
      this.clear()
      this.takePrices(filling)
      this.lookFar(filling, Math.max(least, DUST * filling.value))
    }
  }

  private takeRates(filling: WaterFilling): void {
    const { problem, moved } = this
    const { reverse, scratch } = problem.graph.topology
    const shared = filling.sharedPools
    if (shared.length === 0 && moved.size === 0) return
    if (this.rate === problem.rate) {
      this.rate = scratch.copy(problem.rate)
      this.rateBack = scratch.copy(problem.rateBack)
    }
    const put = (edge: number, rate: number) => {
      this.rate[edge] = rate
      this.rateBack[reverse[edge]!] = rate
    }
    for (const edge of moved) put(edge, problem.rate[edge]!)
    const rates = new Map(shared.flatMap((pool) => [...pool.ratesAfter(problem)]))
    this.risen = 1
    for (const [edge, rate] of rates) {
      put(edge, rate)
      if (rate > 0) this.risen = Math.max(this.risen, rate / problem.rate[edge]!)
    }
    this.moved = new Set(rates.keys())
    this.forgetLists()
  }

  /** What spot rates give hope to is little enough to look at all of it. */
  private lookNear(filling: WaterFilling): void {
    const candidates = this.candidates(filling)
    this.spreadWorths(candidates)
    const { from, to } = this.problem.graph.topology
    const { rate, cost, worth, live } = this
    this.edges = candidates.filter((edge) => rate[edge]! * worth[to[edge]!]! > cost[from[edge]!]! * (1 + MIN_GAIN))
    this.tokens = this.reached.filter((token) => live[token] === 0 && worth[token]! > cost[token]! * (1 + MIN_GAIN))
  }

  /** First what every token is worth at the present prices, then only where that is more than it costs. */
  private lookFar(filling: WaterFilling, dust: number): void {
    this.measureWorths()
    this.keepHope()
    this.spreadCostsWithin(dust)
    this.collect(filling, dust)
  }

  /** Edges out of a token that could pay for what it costs, at the best that is hoped for behind them. */
  private edgesFrom(token: number, cost: number): Int32Array {
    const { problem, backward, distances, scratch, hope } = this
    const hoped = cost / this.rise
    if (hoped >= this.limit[token]!) return this.lists.get(token)!
    const { offset, to } = problem.graph.topology
    const { rate } = this
    const { source, maxHops } = problem
    const { hops } = backward
    const floor = hoped * (1 - SLACK)
    const furthest = maxHops - 1 - distances[token]!
    let count = 0
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (rate[edge]! * hope[other]! > floor && hops[other]! <= furthest && other !== source) scratch[count++] = edge
    }
    const list = scratch.slice(0, count)
    this.limit[token] = floor
    this.lists.set(token, list)
    return list
  }

  private clear(): void {
    const { cost, worth, live } = this
    for (const token of this.reached) {
      cost[token] = Number.POSITIVE_INFINITY
      live[token] = 0
    }
    worth.fill(0)
    this.problem.budget.spend(worth.length / 16)
    this.reached = []
    this.dust = 0
    this.settled = true
  }

  private takePrices(filling: WaterFilling): void {
    const { live, cost, worth, problem } = this
    const { from, to } = problem.graph.topology
    const take = (token: number) => {
      if (live[token] === 1) return
      live[token] = 1
      cost[token] = filling.price(token)
      worth[token] = cost[token]!
      this.reached.push(token)
    }
    take(problem.source)
    take(problem.target)
    for (let k = 0; k < filling.edges.length; k++) {
      const edge = filling.edges[k]!
      if (!(filling.input[k]! > 0)) continue
      if (!(filling.input[k]! * filling.price(from[edge]!) > LIVE * filling.value)) continue
      take(from[edge]!)
      take(to[edge]!)
    }
    this.liveTokens = [...this.reached]
  }

  /**
   * Prices bound all worths behind them: where they have risen since worths were measured by a part at most, so have those.
   * That holds as long as none of the prices that were taken for given then has gone.
   */
  private takeHope(): void {
    const { backward, measured, measuredAt, live, cost, liveTokens } = this
    const hope = measured && measuredAt.every((token) => live[token] === 1) ? measured : backward.best
    if (hope !== this.hope) this.forgetLists()
    this.hope = hope
    // Each of the edges behind a token may have risen.
    this.rise = this.risen ** this.problem.maxHops
    if (hope === measured)
      for (const token of liveTokens)
        this.rise = Math.max(this.rise, (this.risen ** this.problem.maxHops * cost[token]!) / hope[token]!)
  }

  private keepHope(): void {
    const { worth, problem } = this
    this.measured ??= problem.graph.topology.scratch.floats(worth.length)
    this.measured.set(worth)
    this.measuredAt = this.liveTokens
    this.hope = this.measured
    this.forgetLists()
  }

  private forgetLists(): void {
    this.lists.clear()
    this.limit.fill(Number.POSITIVE_INFINITY)
  }

  /**
   * Least costs, from the live tokens on: labels are corrected in rounds, one edge further each. False where that would reach
   * many tokens.
   */
  private spreadCosts(): boolean {
    const { problem, hope, rise, cost, live, queued, reached } = this
    const { to } = problem.graph.topology
    const { rate } = this
    const { target, maxHops } = problem
    let layer = this.liveTokens
    for (let round = 0; layer.length > 0 && round < maxHops; round++) {
      const following: number[] = []
      for (const token of layer) {
        queued[token] = 0
        if (token === target) continue
        const price = cost[token]!
        const list = this.edgesFrom(token, price)
        problem.budget.spend(1 + list.length)
        for (let k = 0; k < list.length; k++) {
          const edge = list[k]!
          const other = to[edge]!
          if (live[other] === 1) continue
          const label = price / rate[edge]!
          if (!(label < cost[other]! && label < rise * hope[other]!)) continue
          this.takeCost(other, label, edge, following)
        }
      }
      layer = following
      if (reached.length > FEW + this.liveTokens.length) break
    }
    for (const token of layer) queued[token] = 0
    this.settled = layer.length === 0
    return reached.length <= FEW + this.liveTokens.length
  }

  /** Notes a lower cost, and that what it leads to is to be looked at again. */
  private takeCost(token: number, cost: number, edge: number, following: number[]): void {
    if (this.cost[token] === Number.POSITIVE_INFINITY) this.reached.push(token)
    this.cost[token] = cost
    this.previous[token] = edge
    if (this.queued[token] === 1) return
    this.queued[token] = 1
    following.push(token)
  }

  private candidates(filling: WaterFilling): number[] {
    const { problem, hope, rise, cost, live, reached } = this
    const { to } = problem.graph.topology
    const { rate } = this
    const { target } = problem
    const found: number[] = []
    for (const token of reached) {
      if (token === target) continue
      const price = cost[token]!
      const list = this.edgesFrom(token, price)
      problem.budget.spend(1 + list.length)
      for (let k = 0; k < list.length; k++) {
        const edge = list[k]!
        const other = to[edge]!
        const ends = live[token]! + live[other]!
        const most = live[other] === 1 ? cost[other]! : rise * hope[other]!
        if (rate[edge]! * most > price && (ends < 2 || filling.has[edge] === 0)) found.push(edge)
      }
    }
    return found
  }

  private spreadWorths(candidates: readonly number[]): void {
    const { problem, worth, next, live } = this
    const { from, to } = problem.graph.topology
    const { rate } = this
    const { maxHops } = problem
    for (let sweep = 0; sweep < maxHops; sweep++) {
      let changed = false
      problem.budget.spend(candidates.length + 1)
      for (let k = candidates.length - 1; k >= 0; k--) {
        const edge = candidates[k]!
        const token = from[edge]!
        if (live[token] === 1) continue
        const value = rate[edge]! * worth[to[edge]!]!
        if (!(value > worth[token]! * (1 + 1e-13))) continue
        worth[token] = value
        next[token] = edge
        changed = true
      }
      if (!changed) return
    }
    this.settled = false
  }

  /** Best worths of all tokens, from the live ones back. */
  private measureWorths(): void {
    const { problem, backward, distances, worth, next, live, queued } = this
    const { offset, to, reverse } = problem.graph.topology
    const { rateBack } = this
    const { maxHops } = problem
    for (const token of this.liveTokens) worth[token] = this.cost[token]!
    let layer = this.liveTokens
    for (let round = 0; layer.length > 0 && round < maxHops; round++) {
      const following: number[] = []
      for (const token of layer) {
        queued[token] = 0
        const value = worth[token]!
        const furthest = maxHops - 1 - backward.hops[token]!
        problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const label = rateBack[edge]! * value
          if (!(label > worth[other]! * (1 + 1e-13)) || live[other] === 1 || distances[other]! > furthest) continue
          worth[other] = label
          next[other] = reverse[edge]!
          if (queued[other] === 1) continue
          queued[other] = 1
          following.push(other)
        }
      }
      layer = following
    }
    for (const token of layer) queued[token] = 0
    this.settled = layer.length === 0
  }

  private spreadCostsWithin(dust: number): void {
    const { problem, backward, distances, cost, worth, live, queued } = this
    const { offset, to } = problem.graph.topology
    const { rate } = this
    const { target, maxHops } = problem
    let layer = this.liveTokens
    for (let round = 0; layer.length > 0 && round < maxHops; round++) {
      const following: number[] = []
      for (const token of layer) {
        queued[token] = 0
        if (token === target) continue
        const price = cost[token]!
        const furthest = maxHops - 1 - distances[token]!
        problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const value = rate[edge]! * worth[other]!
          if (!(value > price * (1 + MIN_GAIN)) || live[other] === 1 || backward.hops[other]! > furthest) continue
          const label = price / rate[edge]!
          if (!(label < cost[other]!) || this.mostEarned(edge, price, value) < dust) continue
          this.takeCost(other, label, edge, following)
        }
      }
      layer = following
    }
    for (const token of layer) queued[token] = 0
    this.settled &&= layer.length === 0
  }

  private collect(filling: WaterFilling, dust: number): void {
    const { problem, backward, distances, cost, worth, live } = this
    const { offset, to } = problem.graph.topology
    const { rate } = this
    const { source, target, maxHops } = problem
    this.edges = []
    for (const token of this.reached) {
      if (token === target) continue
      const price = cost[token]!
      const furthest = maxHops - 1 - distances[token]!
      problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const value = rate[edge]! * worth[other]!
        if (!(value > price * (1 + MIN_GAIN)) || other === source || backward.hops[other]! > furthest) continue
        if (live[token]! + live[other]! === 2 && filling.has[edge] === 1) continue
        const earned = this.mostEarned(edge, price, value)
        if (earned < dust || cost[other] === Number.POSITIVE_INFINITY) this.dust += earned
        else this.edges.push(edge)
      }
    }
    this.tokens = this.reached.filter((token) => live[token] === 0 && worth[token]! > cost[token]! * (1 + MIN_GAIN))
  }

  /**
   * What an edge earns at most where what it sells costs `price` and what it buys for the first unit is worth `value`: that
   * of a pool of x·y = k that is everywhere as deep as this one is at its deepest.
   */
  mostEarned(edge: number, price: number, value: number): number {
    const { taxed, graph } = this.problem
    if (taxed.size > 0 && taxed.has(edge)) return Number.POSITIVE_INFINITY
    const fall = Math.sqrt(value / price) - 1
    return 2 * graph.mostConductance[edge]! * price * fall * fall
  }
}
