/** Gas of ticks: stops pools before ticks whose gas exceeds the earnings beyond them. */

import { type CompiledCurve, inputBefore, outputBefore, piecesCrossed, upToPiece } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { FEW_STEPS, MAX_RESIDUAL, TICK_ROUNDS } from '../tolerances.ts'

type Trade = { readonly input: number; readonly output: number }
/** Prices of the sold and the bought token, in output base units. */
type EndPrices = { readonly sold: number; readonly bought: number }
type Stop = { readonly crossedTicks: number; readonly cost: number }

/**
 * Finds the number of crossed ticks that minimizes the gas of ticks plus the forgone earnings at the current prices.
 */
function bestStop(problem: Problem, curve: CompiledCurve, { input, output }: Trade, { sold, bought }: EndPrices): Stop {
  const costPerTick = curve.gasPerPiece * problem.costPerGas
  const { keepIn, keepOut } = curve
  let crossedTicks = piecesCrossed(curve, input)
  problem.budget.spend(2 + crossedTicks)
  let cost = crossedTicks * costPerTick
  for (let fewerTicks = crossedTicks - 1; fewerTicks >= 0; fewerTicks--) {
    const lostEarnings =
      (output - outputBefore(curve, fewerTicks + 1) * keepOut) * bought -
      (input - inputBefore(curve, fewerTicks + 1) / keepIn) * sold
    if (lostEarnings >= cost) break
    if (fewerTicks * costPerTick + lostEarnings >= cost) continue
    cost = fewerTicks * costPerTick + lostEarnings
    crossedTicks = fewerTicks
  }
  return { crossedTicks, cost }
}

/** Cost of a leg that stops at the best tick, in output base units. */
export function costAtBestStop(problem: Problem, edge: number, trade: Trade, endPrices: EndPrices): number {
  const curve = curveOf(problem, edge)
  const base = legBaseCost(problem, edge)
  return curve.gasPerPiece === 0 ? base : base + bestStop(problem, curve, trade, endPrices).cost
}

/** Stops pools at ticks that are not worth their gas and reallocates the trade, while the net output improves. */
export function stopAtTicks(problem: Problem, initialAllocation: Allocation, flow: Flow): Flow {
  let best = flow
  let [stoppedProblem, allocation] = [problem, initialAllocation]
  for (let round = 0; round < TICK_ROUNDS; round++) {
    const stops = stopsOf(stoppedProblem, allocation)
    if (stops.length === 0) break
    stoppedProblem = { ...stoppedProblem, adjustedCurves: new Map([...stoppedProblem.adjustedCurves, ...stops]) }
    const nextAllocation = new Allocation(stoppedProblem)
    nextAllocation.restore(allocation.checkpoint())
    solveDual(nextAllocation, MAX_RESIDUAL, FEW_STEPS)
    const stoppedFlow = flowOf(stoppedProblem, nextAllocation)
    if (!stoppedFlow || stoppedFlow.net <= best.net) break
    best = stoppedFlow
    allocation = nextAllocation
  }
  return best
}

function stopsOf(problem: Problem, allocation: Allocation): [number, CompiledCurve][] {
  const { from, to } = problem.graph.topology
  const stops: [number, CompiledCurve][] = []
  allocation.edges.forEach((edge, k) => {
    const input = allocation.input[k]!
    const curve = curveOf(problem, edge)
    if (curve.gasPerPiece === 0 || !(input > 0) || piecesCrossed(curve, input) === 0) return
    const endPrices = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    const { crossedTicks } = bestStop(problem, curve, { input, output: allocation.output[k]! }, endPrices)
    if (crossedTicks < piecesCrossed(curve, input)) stops.push([edge, upToPiece(curve, crossedTicks)])
  })
  return stops
}
