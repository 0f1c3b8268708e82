/**
 * Sends an amount through edges (pools in one direction) with limited capacity. If an edge is full, the excess goes to
 * other edges that sell the same token. If all of these are full, earlier edges buy less of the token. Called by
 * `flow.ts`.
 */

import { capacityOf, inputBeforeFlat, inputOf, outputOf } from '../graph/price-curve.ts'
import { roundedCapacity } from '../graph/scratch.ts'
import { curveOf, legCost, type Problem } from '../problem/problem.ts'
import {
  FLAT_REACH,
  FLOW_ROUNDING,
  MAX_IDLE_OVERFLOW_ROUNDS,
  MAX_OVERFLOW_RATIO,
  MAX_OVERFLOW_ROUNDS,
  OVERFLOW_MARGIN,
  WASTEFUL_HALVINGS,
  WASTEFUL_MAX_TOKENS,
  WASTEFUL_MAX_UNSOLD,
  WASTEFUL_REST_FACTOR,
} from '../tolerances.ts'
import { type Inflow, type ReductionRule, reduceAll, reduceByRoom } from './overflow.ts'
import { SequentialLegs } from './shared-pools.ts'

/**
 * Edges with their inputs in base units. The edges are in topological order of their sold tokens, and edges that sell
 * the same token are adjacent.
 */
export type Flow = {
  readonly edges: readonly number[]
  /** By index in `edges`: input in base units. */
  readonly input: readonly number[]
  readonly amountOut: number
  /**
   * `amountOut` less the cost of the legs, in output base units. If a part of the trade stays unsold, a huge negative
   * number, so that the flow ranks below every flow that sells everything.
   */
  readonly net: number
  /**
   * Fraction of a token's amount that the edges do not take: the maximum over the input token and all intermediate
   * tokens. 0 if they take everything.
   */
  readonly unsoldShare: number
  /** Number of edges on the longest path of the flow. */
  readonly hops: number
  /** True if a cycle had to be cut: some pools disagree on a price by more than their fees. */
  readonly hasCutCycle: boolean
}

/** Adjacency list of some edges: for each token, the indices in `edges` of the edges that sell it. */
export class EdgesByToken {
  readonly edges: readonly number[]
  private readonly firstIndex: Int32Array
  private readonly nextIndex: Int32Array

  constructor({ graph }: Problem, edges: readonly number[]) {
    const { from, tokens, scratch } = graph.topology
    this.edges = edges
    this.firstIndex = scratch.blankIndexArray(tokens.length, (indices) => {
      for (const edge of edges) indices[from[edge]!] = -1
    })
    this.nextIndex = scratch.ints(roundedCapacity(edges.length))
    for (let k = edges.length - 1; k >= 0; k--) {
      const token = from[edges[k]!]!
      this.nextIndex[k] = this.firstIndex[token]!
      this.firstIndex[token] = k
    }
  }

  /** Returns the first index for a token; −1 if no edge sells it. */
  firstOf(token: number): number {
    return this.firstIndex[token]!
  }

  /** Returns the index after a given index of the same token; −1 if there are no more. */
  nextAfter(index: number): number {
    return this.nextIndex[index]!
  }
}

/** Edges without dead ends and cycles, each with its weight among the edges that sell the same token. */
export type AcyclicEdges = {
  readonly edgesByToken: EdgesByToken
  /** By index in `edgesByToken.edges`. */
  readonly weights: readonly number[]
  /** Tokens in topological order, beginning with the source. */
  readonly order: readonly number[]
  readonly hasCutCycle: boolean
  /**
   * By edge: its conductance, −∂input / ∂ln rate. If present, the weights are inputs in base units, and the amount that
   * they do not cover is divided in proportion to the conductances. If absent, the weights are scaled to the whole
   * amount.
   */
  readonly conductanceByEdge?: ReadonlyMap<number, number>
}

/**
 * Sends the amount through the edges. If the edges out of a token cannot take everything that arrives, sends the amount
 * again with less inflow into this token.
 */
export function push(problem: Problem, acyclicEdges: AcyclicEdges): Flow {
  const firstFlow = pushOnce(problem, acyclicEdges, NO_LIMITS)
  if (firstFlow.overflow.size === 0) return firstFlow
  const reducedFlow = pushWithReducedInflow(problem, acyclicEdges, firstFlow, reduceByRoom)
  if (reducedFlow.unsoldShare === 0) return reducedFlow
  const fullyReducedFlow = pushWithReducedInflow(problem, acyclicEdges, firstFlow, reduceAll)
  if (fullyReducedFlow.unsoldShare === 0 || fullyReducedFlow.unsoldShare > WASTEFUL_MAX_UNSOLD) return fullyReducedFlow
  const wastefulFractions = findWastefulFractions(problem, acyclicEdges, fullyReducedFlow.unsoldShare)
  return wastefulFractions ? interpolatedFlow(problem, acyclicEdges, wastefulFractions) : fullyReducedFlow
}

/** Returns, by index, the fraction of its sold token that each edge takes, in proportion to the weights. */
function fractionsOf(problem: Problem, { edges }: EdgesByToken, weights: readonly number[]): readonly number[] {
  const { from } = problem.graph.topology
  const totals = new Map<number, number>()
  for (const [k, edge] of edges.entries()) totals.set(from[edge]!, (totals.get(from[edge]!) ?? 0) + weights[k]!)
  return edges.map((edge, k) => weights[k]! / totals.get(from[edge]!)!)
}

/**
 * Returns fractions that sell everything although the best pools have too little capacity. For some tokens, nearly the
 * whole amount then goes to a single edge, which pays less. Null if none are found.
 */
function findWastefulFractions(
  problem: Problem,
  acyclicEdges: AcyclicEdges,
  initialUnsold: number,
): readonly number[] | null {
  const { edgesByToken, weights } = acyclicEdges
  const { from } = problem.graph.topology
  let fractions = fractionsOf(problem, edgesByToken, weights)
  let minUnsold = initialUnsold
  for (let round = 0; round < WASTEFUL_MAX_TOKENS; round++) {
    let bestFractions = fractions
    for (const [k, edge] of edgesByToken.edges.entries()) {
      if (fractions[k] === 1) continue
      const isSibling = (j: number) => j !== k && from[edgesByToken.edges[j]!] === from[edge]
      const candidate = fractionsOf(
        problem,
        edgesByToken,
        fractions.map((fraction, j) => (j === k ? 1 : isSibling(j) ? fraction * WASTEFUL_REST_FACTOR : fraction)),
      )
      problem.budget.spend(4 * edgesByToken.edges.length)
      const flow = pushOnce(problem, { ...acyclicEdges, weights: candidate }, NO_LIMITS)
      if (flow.unsoldShare === 0) return candidate
      if (flow.unsoldShare < minUnsold) [bestFractions, minUnsold] = [candidate, flow.unsoldShare]
    }
    if (bestFractions === fractions) return null
    fractions = bestFractions
  }
  return null
}

/**
 * Finds the best flow that sells everything, by bisection between two sets of fractions. The fractions of the weights
 * leave a part unsold, and `wastefulFractions` sell everything.
 */
function interpolatedFlow(
  problem: Problem,
  acyclicEdges: AcyclicEdges,
  wastefulFractions: readonly number[],
): PushedFlow {
  const requestedFractions = fractionsOf(problem, acyclicEdges.edgesByToken, acyclicEdges.weights)
  /** Position 0 gives the wasteful fractions, and 1 gives the requested ones. */
  const flowAt = (position: number) => {
    const weights = requestedFractions.map(
      (fraction, k) => position * fraction + (1 - position) * wastefulFractions[k]!,
    )
    problem.budget.spend(4 * weights.length)
    return pushOnce(problem, { ...acyclicEdges, weights }, NO_LIMITS)
  }
  let best = flowAt(0)
  let [low, high] = [0, 1]
  for (let step = 0; step < WASTEFUL_HALVINGS; step++) {
    const middle = (low + high) / 2
    const flow = flowAt(middle)
    if (flow.unsoldShare > 0) high = middle
    else {
      low = middle
      if (flow.amountOut > best.amountOut) best = flow
    }
  }
  return best
}

/** No limits on inputs except the capacity of the pools. */
const NO_LIMITS: ReadonlyMap<number, number> = new Map()

/**
 * A flow with its overflow, by intermediate token: the amount, in base units, that the token's outgoing edges do not
 * take.
 */
type PushedFlow = Flow & { readonly overflow: ReadonlyMap<number, number> }

/** Sends the amount again and again, each time with lower limits on the edges that buy tokens in excess. */
function pushWithReducedInflow(
  problem: Problem,
  acyclicEdges: AcyclicEdges,
  firstFlow: PushedFlow,
  reductionRule: ReductionRule,
): PushedFlow {
  const { to } = problem.graph.topology
  const limits = new Map<number, number>()
  let flow = firstFlow
  let minUnsold = firstFlow.unsoldShare
  let roundsWithoutGain = 0
  for (
    let round = 0;
    round < MAX_OVERFLOW_ROUNDS && roundsWithoutGain < MAX_IDLE_OVERFLOW_ROUNDS && flow.overflow.size > 0;
    round++
  ) {
    for (const [token, excess] of flow.overflow) {
      const inflows = flow.edges.flatMap((edge, k): Inflow[] => {
        if (to[edge] !== token) return []
        const [curve, input] = [curveOf(problem, edge), flow.input[k]!]
        return [{ edge, input, output: outputOf(curve, input), room: capacityOf(curve) - input }]
      })
      for (const [k, reducedOutput] of reductionRule(inflows, excess).entries()) {
        const { edge, input, output } = inflows[k]!
        if (reducedOutput === output) continue
        const reducedInput = inputOf(curveOf(problem, edge), reducedOutput * (1 - OVERFLOW_MARGIN))
        limits.set(edge, Math.min(reducedInput, input * (1 - OVERFLOW_MARGIN)))
      }
    }
    flow = pushOnce(problem, acyclicEdges, limits)
    // Reducing the inflow of one token can increase the excess of another for a few rounds.
    roundsWithoutGain = flow.unsoldShare < minUnsold * MAX_OVERFLOW_RATIO ? 0 : roundsWithoutGain + 1
    minUnsold = Math.min(minUnsold, flow.unsoldShare)
  }
  return flow
}

/**
 * Sends the amount through the edges once. `limits` are maximum inputs by edge, in addition to the capacity of the
 * pools.
 */
function pushOnce(problem: Problem, acyclicEdges: AcyclicEdges, limits: ReadonlyMap<number, number>): PushedFlow {
  const { edgesByToken, weights, order, hasCutCycle, conductanceByEdge } = acyclicEdges
  const { source, target, amountIn } = problem
  const { to, tokens, scratch } = problem.graph.topology
  const wipe = (tokenArray: Float64Array | Int32Array) => {
    tokenArray[source] = 0
    for (const edge of edgesByToken.edges) tokenArray[to[edge]!] = 0
  }
  const balances = scratch.zeroFloats(tokens.length, wipe)
  const hopsFromSource = scratch.zeroInts(tokens.length, wipe)
  balances[source] = amountIn
  const edges: number[] = []
  const inputs: number[] = []
  let cost = 0
  let maxUnsoldShare = 0
  const overflow = new Map<number, number>()
  const legs = new SequentialLegs(problem, edgesByToken.edges)
  const limitOf = (edge: number) =>
    Math.min(limits.get(edge) ?? Number.POSITIVE_INFINITY, capacityOf(curveOf(problem, edge)))
  for (const token of order) {
    if (token === target) continue
    const tokenWeights = conductanceByEdge ? adjustedWeights(acyclicEdges, token, balances[token]!) : weights
    let weightSum = 0
    for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k)) weightSum += tokenWeights[k]!
    const startIndex = inputs.length
    // Input at which each edge is full.
    const maxInputs: number[] = []
    // Input at which each edge stops: before the next range without liquidity if that is near, else where it is full.
    const stopInputs: number[] = []
    let exceedsLimit = false
    for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k)) {
      const edge = edgesByToken.edges[k]!
      const input = (balances[token]! * tokenWeights[k]!) / weightSum
      const limit = limitOf(edge)
      const curve = curveOf(problem, edge)
      // The excess of full edges may raise this input exactly to a range without liquidity. The swap would then pay for
      // crossing a tick and gain nothing. So the edge stops before a range that begins up to `FLAT_REACH` above the
      // input.
      const maxReach = Math.min(input * (1 + FLAT_REACH), limit)
      const stopInput = curve.gasPerPiece > 0 ? inputBeforeFlat(curve, input, maxReach) : maxReach
      exceedsLimit ||= stopInput < input
      edges.push(edge)
      inputs.push(input)
      maxInputs.push(limit)
      stopInputs.push(stopInput < maxReach ? stopInput : limit)
    }
    if (exceedsLimit) {
      // Edges stop before ranges without liquidity. If a part then stays unsold, they are filled up to their limits.
      const requestedInputs = inputs.slice(startIndex)
      let unsoldFraction = redistributeExcess(inputs, startIndex, stopInputs) / balances[token]!
      if (unsoldFraction > 0) {
        for (const [k, input] of requestedInputs.entries()) inputs[startIndex + k] = input
        unsoldFraction = redistributeExcess(inputs, startIndex, maxInputs) / balances[token]!
      }
      if (unsoldFraction > FLOW_ROUNDING) {
        maxUnsoldShare = Math.max(maxUnsoldShare, unsoldFraction)
        if (token !== source) overflow.set(token, unsoldFraction * balances[token]!)
      }
    }
    for (let k = startIndex; k < inputs.length; k++) {
      const edge = edges[k]!
      const boughtToken = to[edge]!
      balances[boughtToken]! += legs.output(edge, inputs[k]!)
      hopsFromSource[boughtToken] = Math.max(hopsFromSource[boughtToken]!, hopsFromSource[token]! + 1)
      cost += legCost(problem, edge, inputs[k]!)
    }
  }
  const amountOut = balances[target]!
  const net = maxUnsoldShare > 0 ? -maxUnsoldShare * Number.MAX_VALUE : amountOut - cost
  return {
    edges,
    input: inputs,
    amountOut,
    net,
    unsoldShare: maxUnsoldShare,
    hops: hopsFromSource[target]!,
    hasCutCycle,
    overflow,
  }
}

/**
 * Returns the weights. Those of one token's edges are raised or lowered to cover the token's amount. The difference is
 * divided in proportion to `conductanceByEdge`.
 */
function adjustedWeights(
  { edgesByToken, weights, conductanceByEdge }: AcyclicEdges,
  token: number,
  amount: number,
): readonly number[] {
  let [weightSum, conductanceSum] = [0, 0]
  for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k)) {
    weightSum += weights[k]!
    conductanceSum += conductanceByEdge!.get(edgesByToken.edges[k]!)!
  }
  if (conductanceSum === 0) return weights
  const newWeights = [...weights]
  let newWeightSum = 0
  for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k)) {
    const conductance = conductanceByEdge!.get(edgesByToken.edges[k]!)!
    newWeights[k] = Math.max(0, weights[k]! + ((amount - weightSum) * conductance) / conductanceSum)
    newWeightSum += newWeights[k]!
  }
  if (newWeightSum > 0) return newWeights
  // The amount is 0, or below the rounding of the weights, which then cancel out.
  for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k))
    newWeights[k] = weightSum > 0 ? weights[k]! : conductanceByEdge!.get(edgesByToken.edges[k]!)!
  return newWeights
}

/**
 * Reduces inputs to their limits, and adds the excess to the other inputs, in proportion to these. Changes `inputs` in
 * place.
 *
 * @param startIndex - index of the first input to change; all inputs from there on divide one token
 * @param maxInputs - limit of each of these inputs
 * @returns the amount that no edge can take
 */
function redistributeExcess(inputs: number[], startIndex: number, maxInputs: readonly number[]): number {
  // Each round fills at least one more edge, or is the last.
  for (;;) {
    let excess = 0
    let unlimitedSum = 0
    for (const [k, limit] of maxInputs.entries()) {
      const input = inputs[startIndex + k]!
      if (input < limit) unlimitedSum += input
      else {
        excess += input - limit
        inputs[startIndex + k] = limit
      }
    }
    if (!(excess > 0) || unlimitedSum === 0) return excess
    const factor = 1 + excess / unlimitedSum
    for (const [k, limit] of maxInputs.entries()) if (inputs[startIndex + k]! < limit) inputs[startIndex + k]! *= factor
  }
}
