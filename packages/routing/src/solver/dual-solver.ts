/**
 * Finds the best allocation of a trade over a set of edges (pools in one direction). Every token has a price in the
 * output token, and every edge trades until its marginal rate equals the ratio of the prices of its two tokens. The
 * prices that leave no token in surplus or shortage minimize a convex function, the dual. Newton's method finds them.
 * The Hessian equals the matrix of a resistor network, in which each edge is a resistor. Its conductance is the
 * response of the edge's trade to the rate.
 *
 * The dual over all edges of the graph bounds the output of any route: see `columns/upper-bound.ts`.
 */

import { firstConductance, flatAt, isStraight, withSteeperFall } from '../graph/price-curve.ts'
import { roundedCapacity } from '../graph/scratch.ts'
import {
  DESCENT_ROUNDING,
  DIAGONAL_OF_ENTRY,
  DIAGONAL_OF_VALUE,
  MAX_ACTIVATION_ROUNDS,
  MAX_HALVINGS,
  MAX_HALVINGS_PER_STEP,
  MAX_IDLE_STEPS,
  MAX_LOG_PRICE_STEP,
  MAX_NEWTON_STEPS,
  MAX_STEPS_AFTER_CHANGE,
  MIN_DESCENT_SHARE,
  MIN_PRICE_MOVE,
  MIN_PROGRESS,
  MIN_VALUE_GAIN,
  SOFTENING_FACTORS,
  UNRESOLVED_SHARE,
} from '../tolerances.ts'
import { type Allocation, TRADING_TOGETHER } from './allocation.ts'
import { solveSymmetric } from './linear.ts'
import type { SharedPool } from './shared-pools.ts'

/**
 * Mode of an edge in the linear model of a Newton step. IDLE: no trade. ACTIVE: a trade that responds to the rate.
 * FULL: a trade that does not respond, because the pool is at its capacity or in a gap without liquidity. ACTIVATED: an
 * idle or full edge that begins to respond during the step.
 */
const IDLE = 0
const ACTIVE = 1
const FULL = 2
const ACTIVATED = 3

/**
 * Solves an allocation in place: changes its prices until no token has a surplus or shortage above the tolerance. Stops
 * earlier if no further progress is possible, or if the steps are used up.
 *
 * @param tolerance - maximum surplus or shortage, as a fraction of the dual's value
 */
export function solveDual(allocation: Allocation, tolerance: number, maxSteps = MAX_NEWTON_STEPS): void {
  allocation.problem.graph.topology.scratch.within(() => {
    const newton = new Newton(allocation)
    newton.minimize(tolerance, maxSteps)
    const { softenings } = allocation.problem
    if (allocation.residual > UNRESOLVED_SHARE && allocation.curves.some(isStraight) && softenings.remaining-- > 0)
      solveSoftened(allocation, newton, tolerance)
  })
}

/**
 * Solves again with straight curves (of pools with a fixed rate) made artificially steeper, and then less and less
 * steep. Restores the earlier solution if the new one is not better. Reason: a pool with a fixed rate gives the dual a
 * kink at this rate. Between several kinks, Newton's method makes only tiny steps.
 */
function solveSoftened(allocation: Allocation, newton: Newton, tolerance: number): void {
  const { curves, value } = allocation
  const checkpoint = allocation.checkpoint()
  for (const factor of SOFTENING_FACTORS) {
    allocation.curves = curves.map((curve) => (isStraight(curve) ? withSteeperFall(curve, factor) : curve))
    newton.minimize(tolerance, MAX_STEPS_AFTER_CHANGE)
  }
  allocation.curves = curves
  newton.minimize(tolerance, MAX_STEPS_AFTER_CHANGE)
  if (allocation.value <= value) return
  allocation.restore(checkpoint)
  newton.minimize(tolerance, 1)
}

/** One run of Newton's method over an allocation's prices, with the arrays of its linear model. */
class Newton {
  private readonly allocation: Allocation
  /** By index in `tokens`: surplus of the token, in output base units; the dual's gradient by log price. */
  private readonly gradient: Float64Array
  /** By index in `tokens`: change of the log price in the Newton step. */
  private readonly step: Float64Array
  /** By index in `tokens`: log price before the step. */
  private readonly logPriceBefore: Float64Array
  /** Square matrix of the linear model, row by row. */
  private readonly matrix: Float64Array
  /** Scratch space of the linear solver. */
  private readonly indices: Int32Array
  /** By index in `edges`: `IDLE`, `ACTIVE`, `FULL`, or `ACTIVATED`. */
  private readonly mode: Uint8Array
  /**
   * By index in `edges`: value of the input at the price of the sold token, in output base units. For an activated
   * edge: the constant term of this value in the linear model.
   */
  private readonly flowValue: Float64Array
  /** By index in `edges`: conductance times the price of the sold token, in output base units. */
  private readonly valueConductance: Float64Array
  /**
   * By index in `tokens`, in output base units: value of the token that edges sell, and value of the tokens that they
   * buy with it.
   */
  private readonly soldValue: Float64Array
  private readonly earnedValue: Float64Array
  /** Number of edges in the mode `FULL`. */
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
    this.flowValue = scratch.floats(edges)
    this.valueConductance = scratch.floats(edges)
    this.soldValue = scratch.floats(tokens)
    this.earnedValue = scratch.floats(tokens)
  }

  /** Minimizes the dual from the current prices, and records value, residual, and unsold share in the allocation. */
  minimize(tolerance: number, maxSteps: number): void {
    const { allocation, gradient, step, logPriceBefore } = this
    allocation.putHubsLast()
    const { tokens, logPrice } = allocation
    const size = tokens.length
    let value = allocation.evaluate()
    let residual = Number.POSITIVE_INFINITY
    let stepsWithoutGain = 0
    let halvings = 0
    for (let steps = 0; steps < maxSteps; steps++) {
      this.fillGradient(gradient)
      residual = 0
      for (let j = 1; j < size; j++) residual = Math.max(residual, this.residualOf(j))
      if (residual < tolerance * value) break
      this.newtonStep(gradient, step, value)
      let largestMove = 0
      // Derivative of the dual in the direction of the step.
      let slope = 0
      for (let j = 1; j < size; j++) {
        largestMove = Math.max(largestMove, Math.abs(step[j]!))
        slope += gradient[j]! * step[j]!
        logPriceBefore[j] = logPrice[tokens[j]!]!
      }
      let scale = largestMove > MAX_LOG_PRICE_STEP ? MAX_LOG_PRICE_STEP / largestMove : 1
      let nextValue = value
      let hasDescended = false
      for (let halving = 0; halving < MAX_HALVINGS_PER_STEP; halving++) {
        for (let j = 1; j < size; j++) logPrice[tokens[j]!] = logPriceBefore[j]! + scale * step[j]!
        nextValue = allocation.evaluate()
        hasDescended =
          nextValue <= value + MIN_DESCENT_SHARE * scale * slope || Math.abs(scale * slope) < DESCENT_ROUNDING * value
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
      if (stepsWithoutGain === MAX_IDLE_STEPS || halvings > MAX_HALVINGS) break
    }
    allocation.value = value
    allocation.residual = residual / value
    allocation.measureUnsold()
  }

  /**
   * Surplus or shortage of a token in output base units, at least 0. A shortage is valued at the average proceeds of
   * the edges that sell the token, not at its price. The price may be near 0, because there was a surplus above the
   * capacity of these edges before. Any shortage would then look small.
   */
  private residualOf(j: number): number {
    const surplus = this.gradient[j]!
    if (surplus >= 0) return surplus
    return -surplus * Math.max(1, this.earnedValue[j]! / this.soldValue[j]!)
  }

  /** Computes the surplus of each token at the current prices, and the modes of all edges. */
  private fillGradient(gradient: Float64Array): void {
    const { mode, flowValue, valueConductance } = this
    const {
      problem,
      edges,
      tokenIndex,
      prices,
      soldTokens,
      boughtTokens,
      input,
      output,
      conductance,
      tradingMode,
      sharedPools,
    } = this.allocation
    const { soldValue, earnedValue } = this
    const hasSharedPools = sharedPools.length > 0
    this.fullCount = 0
    gradient.fill(0)
    soldValue.fill(0)
    earnedValue.fill(0)
    gradient[tokenIndex[problem.source]!]! += prices[problem.source]! * problem.amountIn
    for (let k = 0; k < edges.length; k++) {
      mode[k] = IDLE
      if (hasSharedPools && tradingMode[k] === TRADING_TOGETHER) {
        mode[k] = ACTIVE
        valueConductance[k] = 0
        continue
      }
      if (!(input[k]! > 0)) continue
      const soldToken = soldTokens[k]!
      const boughtToken = boughtTokens[k]!
      mode[k] = ACTIVE
      if (conductance[k] === 0) {
        mode[k] = FULL
        this.fullCount++
      }
      flowValue[k] = input[k]! * prices[soldToken]!
      valueConductance[k] = conductance[k]! * prices[soldToken]!
      const proceeds = output[k]! * prices[boughtToken]!
      gradient[tokenIndex[soldToken]!]! -= flowValue[k]!
      gradient[tokenIndex[boughtToken]!]! += proceeds
      soldValue[tokenIndex[soldToken]!]! += flowValue[k]!
      earnedValue[tokenIndex[soldToken]!]! += proceeds
    }
    for (const { tokens, valueChange } of sharedPools) {
      for (let k = 0; k < tokens.length; k++) {
        if (valueChange[k] === 0) continue
        const j = tokenIndex[tokens[k]!]!
        gradient[j]! -= valueChange[k]!
        // The proceeds of a shared pool cannot be attributed to single tokens. So each token is valued at its price,
        // which is a lower bound on the proceeds.
        if (valueChange[k]! < 0) continue
        soldValue[j]! += valueChange[k]!
        earnedValue[j]! += valueChange[k]!
      }
    }
  }

  /**
   * Computes the Newton step by solving the linear model of the network. If the step would make an idle edge trade, the
   * edge gets its conductance at zero input. A full edge has a flat range of rates at which its trade stays the same.
   * If the step would move the edge out of this range, the edge gets the conductance beyond the range. Then the step is
   * computed again. Without this prediction, Newton's method overshoots at every new edge.
   */
  private newtonStep(gradient: Float64Array, step: Float64Array, value: number): void {
    const { mode, flowValue, valueConductance } = this
    const { problem, edges, curves, tokens, tokenIndex, logPrice, prices, soldTokens, boughtTokens, logRate } =
      this.allocation
    const size = tokens.length
    const { budget } = problem
    for (let round = 0; ; round++) {
      this.assemble(gradient, step, value)
      budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4 + 4 * edges.length)
      if (round > 0) {
        let slope = 0
        for (let j = 1; j < size; j++) slope += gradient[j]! * step[j]!
        if (!(slope < 0)) {
          // The predicted step does not descend, so the step without prediction is taken.
          for (let k = 0; k < edges.length; k++) if (mode[k] === ACTIVATED) mode[k] = IDLE
          this.assemble(gradient, step, value)
          budget.spend(solveSymmetric(this.matrix, step, size, this.indices) / 4)
          return
        }
      }
      if (round >= MAX_ACTIVATION_ROUNDS) return
      let hasActivated = this.fullCount > 0 && this.activateFullEdges(step)
      for (let k = 0; k < edges.length; k++) {
        if (mode[k] !== IDLE) continue
        const soldToken = soldTokens[k]!
        const boughtToken = boughtTokens[k]!
        // Logarithm of the price ratio / the edge's first rate. Below 0, the first unit earns at the prices.
        const logGap = logPrice[soldToken]! - logPrice[boughtToken]! - logRate[k]!
        if (!(logGap + step[tokenIndex[soldToken]!]! - step[tokenIndex[boughtToken]!]! < 0)) continue
        const conductance = firstConductance(curves[k]!)
        if (conductance > 0) {
          mode[k] = ACTIVATED
          valueConductance[k] = conductance * prices[soldToken]!
          flowValue[k] = -valueConductance[k]! * logGap
          hasActivated = true
        }
      }
      if (!hasActivated) return
    }
  }

  /**
   * Activates full edges: those that a step would move out of a flat range get the conductance beyond the range.
   * Returns false if there are none.
   */
  private activateFullEdges(step: Float64Array): boolean {
    const { mode, flowValue, valueConductance } = this
    const { edges, curves, tokenIndex, logPrice, prices, soldTokens, boughtTokens } = this.allocation
    let hasActivated = false
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] !== FULL) continue
      const [soldToken, boughtToken] = [soldTokens[k]!, boughtTokens[k]!]
      const logRate = logPrice[soldToken]! - logPrice[boughtToken]!
      const change = step[tokenIndex[soldToken]!]! - step[tokenIndex[boughtToken]!]!
      const { highLogRate, conductanceAbove, lowLogRate, conductanceBelow } = flatAt(curves[k]!, Math.exp(logRate))
      const isAbove = logRate + change > highLogRate
      if (!isAbove && !(logRate + change < lowLogRate)) continue
      const conductance = isAbove ? conductanceAbove : conductanceBelow
      if (!(conductance > 0)) continue
      mode[k] = ACTIVATED
      valueConductance[k] = conductance * prices[soldToken]!
      flowValue[k] = -valueConductance[k]! * (logRate - (isAbove ? highLogRate : lowLogRate))
      hasActivated = true
    }
    return hasActivated
  }

  /**
   * Fills in the matrix, and in `step` the right-hand side: the negative gradient plus the constant terms of activated
   * edges (`flowValue`).
   */
  private assemble(gradient: Float64Array, step: Float64Array, value: number): void {
    const { matrix, mode, flowValue, valueConductance } = this
    const { edges, tokens, tokenIndex, soldTokens, boughtTokens, sharedPools } = this.allocation
    const size = tokens.length
    matrix.fill(0, 0, size * size)
    for (let j = 0; j < size; j++) step[j] = -gradient[j]!
    for (let k = 0; k < edges.length; k++) {
      if (mode[k] === IDLE) continue
      const a = tokenIndex[soldTokens[k]!]!
      const b = tokenIndex[boughtTokens[k]!]!
      const conductance = valueConductance[k]!
      if (mode[k] === ACTIVATED) {
        step[a]! += flowValue[k]!
        step[b]! -= flowValue[k]!
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

  /**
   * Adds a multi-token pool to the matrix. The invariant couples all of its tokens, like a star of resistors; the
   * center node is eliminated.
   */
  private assembleShared({ tokens, valueConductance }: SharedPool): void {
    const { matrix } = this
    const { tokenIndex } = this.allocation
    const size = this.allocation.tokens.length
    let conductanceSum = 0
    for (const conductance of valueConductance) conductanceSum += conductance
    for (let i = 0; i < tokens.length; i++) {
      for (let j = 0; j < i; j++) {
        if (!(valueConductance[i]! > 0 && valueConductance[j]! > 0)) continue
        const conductance = (valueConductance[i]! * valueConductance[j]!) / conductanceSum
        const [a, b] = [tokenIndex[tokens[i]!]!, tokenIndex[tokens[j]!]!]
        matrix[a * size + a]! += conductance
        matrix[b * size + b]! += conductance
        matrix[a < b ? a * size + b : b * size + a]! -= conductance
      }
    }
  }
}
