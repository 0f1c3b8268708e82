/**
 * Gas of ticks: stops trades before ticks that cost more gas than the trade earns after crossing them. A piece of a
 * price curve ends at a tick. An edge is a pool in one direction.
 */

import { type CompiledCurve, inputBefore, outputBefore, piecesCrossed, upToPiece } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE, MAX_TICK_ROUNDS } from '../tolerances.ts'

/** Trade of one edge, in base units. */
type Trade = { readonly input: number; readonly output: number }
/** Prices of the sold and the bought token, in output base units. */
export type LegPrices = { readonly priceIn: number; readonly priceOut: number }
/**
 * Number of ticks that a trade should cross. `cost`: cost of their gas, plus the earnings that are lost by crossing no
 * more ticks, in output base units.
 */
type Stop = { readonly crossedTicks: number; readonly cost: number }

/**
 * Finds the best number of ticks to cross at the current prices. It minimizes the gas of these ticks plus the earnings
 * that are lost by stopping early.
 */
function bestStop(
  problem: Problem,
  curve: CompiledCurve,
  { input, output }: Trade,
  { priceIn, priceOut }: LegPrices,
): Stop {
  const costPerTick = curve.gasPerPiece * problem.costPerGas
  const { keepIn, keepOut } = curve
  let crossedTicks = piecesCrossed(curve, input)
  problem.budget.spend(2 + crossedTicks)
  let cost = crossedTicks * costPerTick
  for (let fewerTicks = crossedTicks - 1; fewerTicks >= 0; fewerTicks--) {
    const lostEarnings =
      (output - outputBefore(curve, fewerTicks + 1) * keepOut) * priceOut -
      (input - inputBefore(curve, fewerTicks + 1) / keepIn) * priceIn
    if (lostEarnings >= cost) break
    if (fewerTicks * costPerTick + lostEarnings >= cost) continue
    cost = fewerTicks * costPerTick + lostEarnings
    crossedTicks = fewerTicks
  }
  return { crossedTicks, cost }
}

/** Cost of a leg if its trade stops at the best tick, in output base units. */
export function costAtBestStop(problem: Problem, edge: number, trade: Trade, prices: LegPrices): number {
  const curve = curveOf(problem, edge)
  const baseCost = legBaseCost(problem, edge)
  return curve.gasPerPiece === 0 ? baseCost : baseCost + bestStop(problem, curve, trade, prices).cost
}

/**
 * Repeatedly stops pools before ticks that are not worth their gas, and allocates the trade again, while the net output
 * improves.
 */
export function stopAtTicks(problem: Problem, initialAllocation: Allocation, flow: Flow): Flow {
  let best = flow
  let [stoppedProblem, allocation] = [problem, initialAllocation]
  for (let round = 0; round < MAX_TICK_ROUNDS; round++) {
    const cutCurves = cutCurvesOf(stoppedProblem, allocation)
    if (cutCurves.length === 0) break
    stoppedProblem = { ...stoppedProblem, adjustedCurves: new Map([...stoppedProblem.adjustedCurves, ...cutCurves]) }
    const nextAllocation = new Allocation(stoppedProblem)
    nextAllocation.restore(allocation.checkpoint())
    solveDual(nextAllocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
    const stoppedFlow = flowOf(stoppedProblem, nextAllocation)
    if (!stoppedFlow || stoppedFlow.net <= best.net) break
    best = stoppedFlow
    allocation = nextAllocation
  }
  return best
}

/** Returns each edge that crosses too many ticks, with its price curve cut at the best tick. */
function cutCurvesOf(problem: Problem, allocation: Allocation): [number, CompiledCurve][] {
  const { from, to } = problem.graph.topology
  const cutCurves: [number, CompiledCurve][] = []
  allocation.edges.forEach((edge, k) => {
    const input = allocation.input[k]!
    const curve = curveOf(problem, edge)
    if (curve.gasPerPiece === 0 || !(input > 0) || piecesCrossed(curve, input) === 0) return
    const prices = { priceIn: allocation.price(from[edge]!), priceOut: allocation.price(to[edge]!) }
    const { crossedTicks } = bestStop(problem, curve, { input, output: allocation.output[k]! }, prices)
    if (crossedTicks < piecesCrossed(curve, input)) cutCurves.push([edge, upToPiece(curve, crossedTicks)])
  })
  return cutCurves
}
