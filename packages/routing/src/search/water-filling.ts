/**
 * The best division of a trade over a chosen set of edges. Every token has a price in the output token; every edge trades
 * until its marginal rate equals the ratio of the prices at its ends. The prices at which no token is left over or short are
 * those that minimise a convex function (the dual), which Newton's method finds: its Hessian is that of a network of
 * resistors, with the edges' conductances.
 *
 * The same function, taken over all edges, bounds what any route can pay: see certificate.ts.
 */

import { EdgeSet, TRADING_TOGETHER } from './edge-set.ts'
import { solveSymmetric } from './linear.ts'
import { endOf } from './response.ts'
import { roomFor } from './scratch.ts'
import type { SharedPool } from './shared-pools.ts'

/** Newton steps, halvings of one and halvings of all at most. */
const MAX_STEPS = 60
const MAX_HALVINGS = 30
const ALL_HALVINGS = 200
/** Steps in a row that gain less than this part: where an arbitrage dwarfs the trade, rounding keeps the goal out of reach. */
const MAX_IDLE = 4
const STALLED = 1e-12
/** Rounds of guessing which idle edges a step switches on. */
const MAX_GUESSES = 4
/** A price moves by at most a factor e in one step. */
const MAX_MOVE = 1
const SUFFICIENT = 1e-4
/** Tolerance of a division that is to be settled, and steps enough for one that changed by a few edges. */
export const TIGHT = 1e-8
export const FEW_STEPS = 25
const NOTHING = new Float64Array(0)
/**
 * How an edge counts in the linear model of a step: not at all, with its flow, with a flow that is all it has, or as one that
 * the step switches on or turns down.
 */
const IDLE = 0
const ACTIVE = 1
const FULL = 2
const AWAKENED = 3

export class WaterFilling extends EdgeSet {
  /** What the trade pays by the prices found. */
  value = 0
  /** Largest surplus or shortage of a token, as a part of `value`. */
  residual = Number.POSITIVE_INFINITY
  /** Edges that sell all they have. */
  private full = 0
  /** By place in `tokens`. */
  private gradient: Float64Array = NOTHING
  private step: Float64Array = NOTHING
  private before: Float64Array = NOTHING
  private matrix: Float64Array = NOTHING

  /** Moves the prices to where no token is left over by more than `tolerance` of the trade, or as near as it gets. */
  solve(tolerance: number, maxSteps = MAX_STEPS): void {
    this.putHubsLast()
    const { tokens, logPrice } = this
    const size = tokens.length
    if (size > this.step.length) this.makeRoomForTokens(size)
    const { gradient, step, before } = this
    let value = this.evaluate()
    let residual = Number.POSITIVE_INFINITY
    let idle = 0
    let halvings = 0
    for (let count = 0; count < maxSteps; count++) {
      this.fillGradient(gradient)
      residual = 0
      for (let j = 1; j < size; j++) residual = Math.max(residual, Math.abs(gradient[j]!))
      if (residual < tolerance * value) break
      this.newtonStep(gradient, step, value)
      let largest = 0
      let slope = 0
      for (let j = 1; j < size; j++) {
        largest = Math.max(largest, Math.abs(step[j]!))
        slope += gradient[j]! * step[j]!
        before[j] = logPrice[tokens[j]!]!
      }
      let scale = largest > MAX_MOVE ? MAX_MOVE / largest : 1
      let next = value
      let descended = false
      for (let halving = 0; halving < MAX_HALVINGS; halving++) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]! + scale * step[j]!
        next = this.evaluate()
        descended = next <= value + SUFFICIENT * scale * slope || Math.abs(scale * slope) < 1e-13 * value
        if (descended) break
        scale /= 2
        halvings++
      }
      if (!descended) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]!
        value = this.evaluate()
        break
      }
      const gained = value - next
      value = next
      if (gained < 1e-15 * value && largest < 1e-13) break
      idle = gained < STALLED * value ? idle + 1 : 0
      if (idle === MAX_IDLE || halvings > ALL_HALVINGS) break
    }
    this.value = value
    this.residual = residual / value
  }

  /** Surplus of each token at the present prices, valued in the output token. */
  private fillGradient(gradient: Float64Array): void {
    const { problem, edges, place, prices, sold, bought, input, output, mode, flow, weight, conductance, together } =
      this
    const sharing = this.shared.length > 0
    this.full = 0
    gradient.fill(0)
    gradient[place[problem.source]!]! += prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      mode[k] = IDLE
      if (sharing && together[k] === TRADING_TOGETHER) {
        mode[k] = ACTIVE
        weight[k] = 0
        continue
      }
      if (!(input[k]! > 0)) continue
      const u = sold[k]!
      const v = bought[k]!
      mode[k] = ACTIVE
      if (conductance[k] === 0) {
        mode[k] = FULL
        this.full++
      }
      flow[k] = input[k]! * prices[u]!
      weight[k] = conductance[k]! * prices[u]!
      gradient[place[u]!]! -= flow[k]!
      gradient[place[v]!]! += output[k]! * prices[v]!
    }
    for (const { tokens, value } of this.shared)
      for (let k = 0; k < tokens.length; k++) if (value[k] !== 0) gradient[place[tokens[k]!]!]! -= value[k]!
  }

  /**
   * Solves the linear model of the network. Edges that are idle now but that the step would switch on are given their first
   * conductance, those that have no more but that the step would turn down their last, and the step is taken again: without
   * that look-ahead Newton's method overshoots at every new edge.
   */
  private newtonStep(gradient: Float64Array, step: Float64Array, value: number): void {
    const { edges, place, logPrice, prices, sold, bought, logRate, mode, flow, weight } = this
    const first = this.problem.graph.conductance
    const size = this.tokens.length
    const { budget } = this.problem
    for (let guess = 0; ; guess++) {
      this.assemble(gradient, step, value)
      budget.spend(solveSymmetric(this.matrix, step, size) / 4 + 4 * edges.length)
      if (guess > 0) {
        let slope = 0
        for (let j = 1; j < size; j++) slope += gradient[j]! * step[j]!
        if (!(slope < 0)) {
          // The guess broke the descent: take the plain step.
          for (let k = 0; k < edges.length; k++) if (mode[k] === AWAKENED) mode[k] = IDLE
          this.assemble(gradient, step, value)
          budget.spend(solveSymmetric(this.matrix, step, size) / 4)
          return
        }
      }
      if (guess >= MAX_GUESSES) return
      let awakened = this.full > 0 && this.turnDown(step)
      for (let k = 0; k < edges.length; k++) {
        if (mode[k] !== IDLE) continue
        const u = sold[k]!
        const v = bought[k]!
        const gap = logPrice[u]! - logPrice[v]! - logRate[k]!
        if (gap + step[place[u]!]! - step[place[v]!]! < 0 && first[edges[k]!]! > 0) {
          mode[k] = AWAKENED
          weight[k] = first[edges[k]!]! * prices[u]!
          flow[k] = -weight[k]! * gap
          awakened = true
        }
      }
      if (!awakened) return
    }
  }

  /** Gives the edges that a step would turn down from all that they have their last conductance; false where there are none. */
  private turnDown(step: Float64Array): boolean {
    const { edges, responses, place, logPrice, prices, sold, bought, mode, flow, weight } = this
    let any = false
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] !== FULL) continue
      const { logRate, conductance } = endOf(responses[k]!)
      const u = sold[k]!
      const v = bought[k]!
      const gap = logPrice[u]! - logPrice[v]! - logRate
      if (!(conductance > 0 && gap + step[place[u]!]! - step[place[v]!]! > 0)) continue
      mode[k] = AWAKENED
      weight[k] = conductance * prices[u]!
      flow[k] = -weight[k]! * gap
      any = true
    }
    return any
  }

  private assemble(gradient: Float64Array, step: Float64Array, value: number): void {
    const { edges, place, matrix, sold, bought, mode, flow, weight } = this
    const size = this.tokens.length
    matrix.fill(0, 0, size * size)
    for (let j = 0; j < size; j++) step[j] = -gradient[j]!
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] === IDLE) continue
      const a = place[sold[k]!]!
      const b = place[bought[k]!]!
      const conductance = weight[k]!
      if (mode[k] === AWAKENED) {
        step[a]! += flow[k]!
        step[b]! -= flow[k]!
      }
      matrix[a * size + a]! += conductance
      matrix[b * size + b]! += conductance
      matrix[a < b ? a * size + b : b * size + a]! -= conductance
    }
    for (const pool of this.shared) this.assembleShared(pool)
    let largest = 0
    for (let j = 1; j < size; j++) largest = Math.max(largest, matrix[j * size + j]!)
    // A token that is left over or short is approached by steps of about a factor e, whatever little answers to its price.
    for (let j = 1; j < size; j++) matrix[j * size + j]! += 1e-9 * value + 1e-13 * largest + Math.abs(gradient[j]!)
    step[0] = 0
  }

  /** All tokens of a pool meet in its invariant: a star of resistors, whose middle is left out. */
  private assembleShared({ tokens, weight }: SharedPool): void {
    const { matrix, place } = this
    const size = this.tokens.length
    let total = 0
    for (const part of weight) total += part
    for (let i = 0; i < tokens.length; i++) {
      for (let j = 0; j < i; j++) {
        if (!(weight[i]! > 0 && weight[j]! > 0)) continue
        const conductance = (weight[i]! * weight[j]!) / total
        const [a, b] = [place[tokens[i]!]!, place[tokens[j]!]!]
        matrix[a * size + a]! += conductance
        matrix[b * size + b]! += conductance
        matrix[a < b ? a * size + b : b * size + a]! -= conductance
      }
    }
  }

  private makeRoomForTokens(size: number): void {
    const { scratch } = this.problem.graph.topology
    const room = roomFor(size)
    this.gradient = scratch.floats(room)
    this.step = scratch.floats(room)
    this.before = scratch.floats(room)
    this.matrix = scratch.floats(room * room)
  }
}
