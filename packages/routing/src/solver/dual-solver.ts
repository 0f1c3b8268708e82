/**
 * Finds the best allocation of a trade over a set of edges. Every token has a price in the output token, and every edge
 * trades until its marginal rate equals the ratio of the prices at its ends. The prices that leave no token in surplus
 * or shortage minimize a convex function, the dual. Newton's method finds them: the Hessian equals the matrix of a
 * resistor network with the edges' conductances.
 *
 * The same function over all edges bounds the output of any route: see `columns/upper-bound.ts`.
 */

import { firstConductance, flatAt, isStraight, withSteeperFall } from '../graph/price-curve.ts'
import { roomFor } from '../graph/scratch.ts'
import {
  ACTIVATION_ROUNDS,
  ALL_HALVINGS,
  DESCENT_ROUNDING,
  DIAGONAL_OF_ENTRY,
  DIAGONAL_OF_VALUE,
  FEW_STEPS,
  IDLE_STEPS,
  MAX_LOG_PRICE_STEP,
  MIN_PRICE_MOVE,
  MIN_PROGRESS,
  MIN_VALUE_GAIN,
  NEWTON_STEPS,
  SOFTENING,
  STEP_HALVINGS,
  SUFFICIENT_DESCENT,
  UNRESOLVED_SHARE,
} from '../tolerances.ts'
import { type Allocation, TRADING_TOGETHER } from './allocation.ts'
import { solveSymmetric } from './linear.ts'
import type { SharedPool } from './shared-pools.ts'

/**
 * Role of an edge in the linear model of a step: no trade; a trade that responds to the rate; a trade that does not
 * respond (at its capacity, or in a gap without liquidity); or a trade that the step makes respond.
 */
const IDLE = 0
const ACTIVE = 1
const FULL = 2
const AWAKENED = 3

/**
 * Moves the prices until no token has a surplus above the tolerance, or until no further progress is possible.
 *
 * @param tolerance - maximum surplus, as a fraction of the trade
 */
export function solve(allocation: Allocation, tolerance: number, maxSteps = NEWTON_STEPS): void {
  allocation.problem.graph.topology.scratch.within(() => {
    const newton = new Newton(allocation)
    newton.run(tolerance, maxSteps)
    const { softenings } = allocation.problem
    if (allocation.residual > UNRESOLVED_SHARE && allocation.curves.some(isStraight) && softenings.remaining-- > 0)
      solveSoftened(allocation, newton, tolerance)
  })
}

/**
 * Solves again, first with a steeper fall of straight curves, and then with less and less of it. The dual has a kink at
 * the rate of a pool with a fixed rate. Between several of them, Newton's method makes only tiny steps.
 */
function solveSoftened(allocation: Allocation, newton: Newton, tolerance: number): void {
  const { curves, value } = allocation
  const before = allocation.checkpoint()
  for (const factor of SOFTENING) {
    allocation.curves = curves.map((curve) => (isStraight(curve) ? withSteeperFall(curve, factor) : curve))
    newton.run(tolerance, FEW_STEPS)
  }
  allocation.curves = curves
  newton.run(tolerance, FEW_STEPS)
  if (allocation.value <= value) return
  allocation.restore(before)
  newton.run(tolerance, 1)
}

/** One run of Newton's method over an allocation's prices, with the arrays of its linear model. */
class Newton {
  private readonly allocation: Allocation
  /** By index in `tokens`. */
  private readonly gradient: Float64Array
  private readonly step: Float64Array
  private readonly before: Float64Array
  private readonly matrix: Float64Array
  private readonly indices: Int32Array
  /** By index in `edges`: mode, and flow and conductance in output base units. */
  private readonly mode: Uint8Array
  private readonly flow: Float64Array
  private readonly weight: Float64Array
  /** By index in `tokens`: value sold of a token at its price, and value bought with it, in output base units. */
  private readonly sold: Float64Array
  private readonly earned: Float64Array
  /** Number of edges that trade but do not respond to their rates. */
  private full = 0

  constructor(allocation: Allocation) {
    const { scratch } = allocation.problem.graph.topology
    const tokens = roomFor(allocation.tokens.length)
    const edges = roomFor(allocation.edges.length)
    this.allocation = allocation
    this.gradient = scratch.floats(tokens)
    this.step = scratch.floats(tokens)
    this.before = scratch.floats(tokens)
    this.matrix = scratch.floats(tokens * tokens)
    this.indices = scratch.ints(tokens)
    this.mode = scratch.bytes(edges)
    this.flow = scratch.floats(edges)
    this.weight = scratch.floats(edges)
    this.sold = scratch.floats(tokens)
    this.earned = scratch.floats(tokens)
  }

  run(tolerance: number, maxSteps: number): void {
    const { allocation, gradient, step, before } = this
    allocation.putHubsLast()
    const { tokens, logPrice } = allocation
    const size = tokens.length
    let value = allocation.evaluate()
    let residual = Number.POSITIVE_INFINITY
    let idle = 0
    let halvings = 0
    for (let count = 0; count < maxSteps; count++) {
      this.fillGradient(gradient)
      residual = 0
      for (let j = 1; j < size; j++) residual = Math.max(residual, this.residualOf(j))
      if (residual < tolerance * value) break
      this.newtonStep(gradient, step, value)
      let largest = 0
      let slope = 0
      for (let j = 1; j < size; j++) {
        largest = Math.max(largest, Math.abs(step[j]!))
        slope += gradient[j]! * step[j]!
        before[j] = logPrice[tokens[j]!]!
      }
      let scale = largest > MAX_LOG_PRICE_STEP ? MAX_LOG_PRICE_STEP / largest : 1
      let next = value
      let descended = false
      for (let halving = 0; halving < STEP_HALVINGS; halving++) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]! + scale * step[j]!
        next = allocation.evaluate()
        descended =
          next <= value + SUFFICIENT_DESCENT * scale * slope || Math.abs(scale * slope) < DESCENT_ROUNDING * value
        if (descended) break
        scale /= 2
        halvings++
      }
      if (!descended) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = before[j]!
        value = allocation.evaluate()
        break
      }
      const gained = value - next
      value = next
      if (gained < MIN_VALUE_GAIN * value && largest < MIN_PRICE_MOVE) break
      idle = gained < MIN_PROGRESS * value ? idle + 1 : 0
      if (idle === IDLE_STEPS || halvings > ALL_HALVINGS) break
    }
    allocation.value = value
    allocation.residual = residual / value
    allocation.measureUnsold()
  }

  /**
   * Surplus or shortage of a token in output base units. A shortage is valued at the average proceeds of the token's
   * edges: after a surplus beyond the edges' capacity, the price is near 0, and any shortage would look small.
   */
  private residualOf(j: number): number {
    const surplus = this.gradient[j]!
    if (surplus >= 0) return surplus
    return -surplus * Math.max(1, this.earned[j]! / this.sold[j]!)
  }

  /** Computes the surplus of each token at the current prices, valued in the output token. */
  private fillGradient(gradient: Float64Array): void {
    const { mode, flow, weight } = this
    const { problem, edges, place, prices, sold, bought, input, output, conductance, together, shared } =
      this.allocation
    const { sold: soldValue, earned } = this
    const sharing = shared.length > 0
    this.full = 0
    gradient.fill(0)
    soldValue.fill(0)
    earned.fill(0)
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
      const proceeds = output[k]! * prices[v]!
      gradient[place[u]!]! -= flow[k]!
      gradient[place[v]!]! += proceeds
      soldValue[place[u]!]! += flow[k]!
      earned[place[u]!]! += proceeds
    }
    for (const { tokens, value } of shared) {
      for (let k = 0; k < tokens.length; k++) {
        if (value[k] === 0) continue
        const j = place[tokens[k]!]!
        gradient[j]! -= value[k]!
        // The proceeds of a shared pool cannot be attributed to single tokens; use the price, which they are at least.
        if (value[k]! < 0) continue
        soldValue[j]! += value[k]!
        earned[j]! += value[k]!
      }
    }
  }

  /**
   * Solves the linear model of the network. Idle edges that the step would activate get their initial conductance,
   * edges that it would move off a flat range get the conductance beyond it, and the step is computed again. Without
   * this look-ahead, Newton's method overshoots at every new edge.
   */
  private newtonStep(gradient: Float64Array, step: Float64Array, value: number): void {
    const { mode, flow, weight } = this
    const { problem, edges, curves, tokens, place, logPrice, prices, sold, bought, logRate } = this.allocation
    const size = tokens.length
    const { budget } = problem
    for (let guess = 0; ; guess++) {
      this.assemble(gradient, step, value)
      budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4 + 4 * edges.length)
      if (guess > 0) {
        let slope = 0
        for (let j = 1; j < size; j++) slope += gradient[j]! * step[j]!
        if (!(slope < 0)) {
          // The prediction broke the descent, so take the plain step.
          for (let k = 0; k < edges.length; k++) if (mode[k] === AWAKENED) mode[k] = IDLE
          this.assemble(gradient, step, value)
          budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4)
          return
        }
      }
      if (guess >= ACTIVATION_ROUNDS) return
      let awakened = this.full > 0 && this.leaveFlats(step)
      for (let k = 0; k < edges.length; k++) {
        if (mode[k] !== IDLE) continue
        const u = sold[k]!
        const v = bought[k]!
        const gap = logPrice[u]! - logPrice[v]! - logRate[k]!
        if (!(gap + step[place[u]!]! - step[place[v]!]! < 0)) continue
        const conductance = firstConductance(curves[k]!)
        if (conductance > 0) {
          mode[k] = AWAKENED
          weight[k] = conductance * prices[u]!
          flow[k] = -weight[k]! * gap
          awakened = true
        }
      }
      if (!awakened) return
    }
  }

  /**
   * Gives edges that a step would move off a flat range of their rates the conductance beyond it. Returns false if there are none.
   */
  private leaveFlats(step: Float64Array): boolean {
    const { mode, flow, weight } = this
    const { edges, curves, place, logPrice, prices, sold, bought } = this.allocation
    let any = false
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] !== FULL) continue
      const [u, v] = [sold[k]!, bought[k]!]
      const logRate = logPrice[u]! - logPrice[v]!
      const change = step[place[u]!]! - step[place[v]!]!
      const { high, conductanceAbove, low, conductanceBelow } = flatAt(curves[k]!, Math.exp(logRate))
      const isAbove = logRate + change > high
      if (!isAbove && !(logRate + change < low)) continue
      const conductance = isAbove ? conductanceAbove : conductanceBelow
      if (!(conductance > 0)) continue
      mode[k] = AWAKENED
      weight[k] = conductance * prices[u]!
      flow[k] = -weight[k]! * (logRate - (isAbove ? high : low))
      any = true
    }
    return any
  }

  private assemble(gradient: Float64Array, step: Float64Array, value: number): void {
    const { matrix, mode, flow, weight } = this
    const { edges, tokens, place, sold, bought, shared } = this.allocation
    const size = tokens.length
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
    for (const pool of shared) this.assembleShared(pool)
    // Limits the step of a token in surplus or shortage to about a factor of e, even if few edges respond to its price.
    for (let j = 1; j < size; j++)
      matrix[j * size + j]! +=
        DIAGONAL_OF_VALUE * value + DIAGONAL_OF_ENTRY * matrix[j * size + j]! + Math.abs(gradient[j]!)
    step[0] = 0
  }

  /** All tokens of a pool are coupled by its invariant: a star of resistors with the center node eliminated. */
  private assembleShared({ tokens, weight }: SharedPool): void {
    const { matrix } = this
    const { place } = this.allocation
    const size = this.allocation.tokens.length
    let total = 0
    for (const edgeWeight of weight) total += edgeWeight
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
}
