/**
 * Finds the best allocation of a trade over a set of edges. Every token has a price in the output token, and every edge
 * trades until its marginal rate equals the ratio of the prices at its ends. The prices that leave no token in surplus
 * or shortage minimize a convex function, the dual. Newton's method finds them: the Hessian equals the matrix of a
 * resistor network with the edges' conductances.
 *
 * The same function over all edges bounds the output of any route: see `columns/upper-bound.ts`.
 */

import { firstConductance, flatAt, isStraight, withSteeperFall } from '../graph/price-curve.ts'
import { roundedCapacity } from '../graph/scratch.ts'
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
 * Role of an edge in the linear model of a step. IDLE: no trade. ACTIVE: a trade that responds to the rate. FULL: a
 * trade that does not respond, because the pool is at its capacity or in a gap without liquidity. ACTIVATED: an idle or
 * full edge that the step makes respond.
 */
const IDLE = 0
const ACTIVE = 1
const FULL = 2
const ACTIVATED = 3

/**
 * Moves the prices until no token has a surplus above the tolerance, or until no further progress is possible.
 *
 * @param tolerance - maximum surplus, as a fraction of the trade
 */
export function solve(allocation: Allocation, tolerance: number, maxSteps = NEWTON_STEPS): void {
  allocation.problem.graph.topology.scratch.within(() => {
    const newton = new Newton(allocation)
    newton.minimize(tolerance, maxSteps)
    const { softenings } = allocation.problem
    if (allocation.residual > UNRESOLVED_SHARE && allocation.curves.some(isStraight) && softenings.remaining-- > 0)
      solveSoftened(allocation, newton, tolerance)
  })
}

/**
 * Solves again with artificially steeper straight curves, and then makes them less and less steep. A pool with a fixed
 * rate gives the dual a kink at this rate. Between several kinks, Newton's method makes only tiny steps.
 */
function solveSoftened(allocation: Allocation, newton: Newton, tolerance: number): void {
  const { curves, value } = allocation
  const checkpoint = allocation.checkpoint()
  for (const factor of SOFTENING) {
    allocation.curves = curves.map((curve) => (isStraight(curve) ? withSteeperFall(curve, factor) : curve))
    newton.minimize(tolerance, FEW_STEPS)
  }
  allocation.curves = curves
  newton.minimize(tolerance, FEW_STEPS)
  if (allocation.value <= value) return
  allocation.restore(checkpoint)
  newton.minimize(tolerance, 1)
}

/** One run of Newton's method over an allocation's prices, with the arrays of its linear model. */
class Newton {
  private readonly allocation: Allocation
  /** By index in `tokens`. */
  private readonly gradient: Float64Array
  private readonly step: Float64Array
  private readonly logPriceBefore: Float64Array
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
  private fullCount = 0

  constructor(allocation: Allocation) {
    const { scratch } = allocation.problem.graph.topology
    const tokens = roundedCapacity(allocation.tokens.length)
    const edges = roundedCapacity(allocation.edges.length)
    this.allocation = allocation
    this.gradient = scratch.floats(tokens)
    this.step = scratch.floats(tokens)
    this.logPriceBefore = scratch.floats(tokens)
    this.matrix = scratch.floats(tokens * tokens)
    this.indices = scratch.ints(tokens)
    this.mode = scratch.bytes(edges)
    this.flow = scratch.floats(edges)
    this.weight = scratch.floats(edges)
    this.sold = scratch.floats(tokens)
    this.earned = scratch.floats(tokens)
  }

  minimize(tolerance: number, maxSteps: number): void {
    const { allocation, gradient, step, logPriceBefore } = this
    allocation.putHubsLast()
    const { tokens, logPrice } = allocation
    const size = tokens.length
    let value = allocation.evaluate()
    let residual = Number.POSITIVE_INFINITY
    let stepsWithoutGain = 0
    let halvings = 0
    for (let count = 0; count < maxSteps; count++) {
      this.fillGradient(gradient)
      residual = 0
      for (let j = 1; j < size; j++) residual = Math.max(residual, this.residualOf(j))
      if (residual < tolerance * value) break
      this.newtonStep(gradient, step, value)
      let largestMove = 0
      let slope = 0
      for (let j = 1; j < size; j++) {
        largestMove = Math.max(largestMove, Math.abs(step[j]!))
        slope += gradient[j]! * step[j]!
        logPriceBefore[j] = logPrice[tokens[j]!]!
      }
      let scale = largestMove > MAX_LOG_PRICE_STEP ? MAX_LOG_PRICE_STEP / largestMove : 1
      let nextValue = value
      let hasDescended = false
      for (let halving = 0; halving < STEP_HALVINGS; halving++) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = logPriceBefore[j]! + scale * step[j]!
        nextValue = allocation.evaluate()
        hasDescended =
          nextValue <= value + SUFFICIENT_DESCENT * scale * slope || Math.abs(scale * slope) < DESCENT_ROUNDING * value
        if (hasDescended) break
        scale /= 2
        halvings++
      }
      if (!hasDescended) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = logPriceBefore[j]!
        value = allocation.evaluate()
        break
      }
      const valueGain = value - nextValue
      value = nextValue
      if (valueGain < MIN_VALUE_GAIN * value && largestMove < MIN_PRICE_MOVE) break
      stepsWithoutGain = valueGain < MIN_PROGRESS * value ? stepsWithoutGain + 1 : 0
      if (stepsWithoutGain === IDLE_STEPS || halvings > ALL_HALVINGS) break
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
    const { problem, edges, tokenIndex, prices, sold, bought, input, output, conductance, tradingMode, sharedPools } =
      this.allocation
    const { sold: soldValue, earned } = this
    const hasSharedPools = sharedPools.length > 0
    this.fullCount = 0
    gradient.fill(0)
    soldValue.fill(0)
    earned.fill(0)
    gradient[tokenIndex[problem.source]!]! += prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      mode[k] = IDLE
      if (hasSharedPools && tradingMode[k] === TRADING_TOGETHER) {
        mode[k] = ACTIVE
        weight[k] = 0
        continue
      }
      if (!(input[k]! > 0)) continue
      const soldToken = sold[k]!
      const boughtToken = bought[k]!
      mode[k] = ACTIVE
      if (conductance[k] === 0) {
        mode[k] = FULL
        this.fullCount++
      }
      flow[k] = input[k]! * prices[soldToken]!
      weight[k] = conductance[k]! * prices[soldToken]!
      const proceeds = output[k]! * prices[boughtToken]!
      gradient[tokenIndex[soldToken]!]! -= flow[k]!
      gradient[tokenIndex[boughtToken]!]! += proceeds
      soldValue[tokenIndex[soldToken]!]! += flow[k]!
      earned[tokenIndex[soldToken]!]! += proceeds
    }
    for (const { tokens, value } of sharedPools) {
      for (let k = 0; k < tokens.length; k++) {
        if (value[k] === 0) continue
        const j = tokenIndex[tokens[k]!]!
        gradient[j]! -= value[k]!
        // The proceeds of a shared pool cannot be attributed to single tokens; use the price, which they are at least.
        if (value[k]! < 0) continue
        soldValue[j]! += value[k]!
        earned[j]! += value[k]!
      }
    }
  }

  /**
   * Solves the linear model of the network. If the step would activate an idle edge, the edge gets its initial
   * conductance. If the step would move an edge off a flat range, the edge gets the conductance beyond the range. Then
   * the step is computed again. Without this look-ahead, Newton's method overshoots at every new edge.
   */
  private newtonStep(gradient: Float64Array, step: Float64Array, value: number): void {
    const { mode, flow, weight } = this
    const { problem, edges, curves, tokens, tokenIndex, logPrice, prices, sold, bought, logRate } = this.allocation
    const size = tokens.length
    const { budget } = problem
    for (let guess = 0; ; guess++) {
      this.assemble(gradient, step, value)
      budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4 + 4 * edges.length)
      if (guess > 0) {
        let slope = 0
        for (let j = 1; j < size; j++) slope += gradient[j]! * step[j]!
        if (!(slope < 0)) {
          // The predicted step does not descend, so take the step without prediction.
          for (let k = 0; k < edges.length; k++) if (mode[k] === ACTIVATED) mode[k] = IDLE
          this.assemble(gradient, step, value)
          budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4)
          return
        }
      }
      if (guess >= ACTIVATION_ROUNDS) return
      let hasActivated = this.fullCount > 0 && this.leaveFlats(step)
      for (let k = 0; k < edges.length; k++) {
        if (mode[k] !== IDLE) continue
        const soldToken = sold[k]!
        const boughtToken = bought[k]!
        const gap = logPrice[soldToken]! - logPrice[boughtToken]! - logRate[k]!
        if (!(gap + step[tokenIndex[soldToken]!]! - step[tokenIndex[boughtToken]!]! < 0)) continue
        const conductance = firstConductance(curves[k]!)
        if (conductance > 0) {
          mode[k] = ACTIVATED
          weight[k] = conductance * prices[soldToken]!
          flow[k] = -weight[k]! * gap
          hasActivated = true
        }
      }
      if (!hasActivated) return
    }
  }

  /**
   * Gives edges that a step would move off a flat range of their rates the conductance beyond it. Returns false if
   * there are none.
   */
  private leaveFlats(step: Float64Array): boolean {
    const { mode, flow, weight } = this
    const { edges, curves, tokenIndex, logPrice, prices, sold, bought } = this.allocation
    let hasChanged = false
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] !== FULL) continue
      const [soldToken, boughtToken] = [sold[k]!, bought[k]!]
      const logRate = logPrice[soldToken]! - logPrice[boughtToken]!
      const change = step[tokenIndex[soldToken]!]! - step[tokenIndex[boughtToken]!]!
      const { highLogRate, conductanceAbove, lowLogRate, conductanceBelow } = flatAt(curves[k]!, Math.exp(logRate))
      const isAbove = logRate + change > highLogRate
      if (!isAbove && !(logRate + change < lowLogRate)) continue
      const conductance = isAbove ? conductanceAbove : conductanceBelow
      if (!(conductance > 0)) continue
      mode[k] = ACTIVATED
      weight[k] = conductance * prices[soldToken]!
      flow[k] = -weight[k]! * (logRate - (isAbove ? highLogRate : lowLogRate))
      hasChanged = true
    }
    return hasChanged
  }

  private assemble(gradient: Float64Array, step: Float64Array, value: number): void {
    const { matrix, mode, flow, weight } = this
    const { edges, tokens, tokenIndex, sold, bought, sharedPools } = this.allocation
    const size = tokens.length
    matrix.fill(0, 0, size * size)
    for (let j = 0; j < size; j++) step[j] = -gradient[j]!
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] === IDLE) continue
      const a = tokenIndex[sold[k]!]!
      const b = tokenIndex[bought[k]!]!
      const conductance = weight[k]!
      if (mode[k] === ACTIVATED) {
        step[a]! += flow[k]!
        step[b]! -= flow[k]!
      }
      matrix[a * size + a]! += conductance
      matrix[b * size + b]! += conductance
      matrix[a < b ? a * size + b : b * size + a]! -= conductance
    }
    for (const pool of sharedPools) this.assembleShared(pool)
    // Limits the step of a token in surplus or shortage to about a factor of e, even if few edges respond to its price.
    for (let j = 1; j < size; j++)
      matrix[j * size + j]! +=
        DIAGONAL_OF_VALUE * value + DIAGONAL_OF_ENTRY * matrix[j * size + j]! + Math.abs(gradient[j]!)
    step[0] = 0
  }

  /** All tokens of a pool are coupled by its invariant: a star of resistors with the center node eliminated. */
  private assembleShared({ tokens, weight }: SharedPool): void {
    const { matrix } = this
    const { tokenIndex } = this.allocation
    const size = this.allocation.tokens.length
    let total = 0
    for (const edgeWeight of weight) total += edgeWeight
    for (let i = 0; i < tokens.length; i++) {
      for (let j = 0; j < i; j++) {
        if (!(weight[i]! > 0 && weight[j]! > 0)) continue
        const conductance = (weight[i]! * weight[j]!) / total
        const [a, b] = [tokenIndex[tokens[i]!]!, tokenIndex[tokens[j]!]!]
        matrix[a * size + a]! += conductance
        matrix[b * size + b]! += conductance
        matrix[a < b ? a * size + b : b * size + a]! -= conductance
      }
    }
  }
}
