/** Gas of ticks: stops pools before ticks whose gas exceeds the earnings beyond them. */

import { type CompiledCurve, inputBefore, outputBefore, piecesCrossed, upToPiece } from '../graph/price-curve.ts'
import { baseCost, curveOf, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { FEW_STEPS, MAX_RESIDUAL, TICK_ROUNDS } from '../tolerances.ts'

type Trade = { readonly input: number; readonly output: number }
/** Prices of the sold and the bought token, in output base units. */
type Ends = { readonly sold: number; readonly bought: number }
type Stop = { readonly crossed: number; readonly cost: number }

/** The number of crossed ticks that minimizes their gas plus the forgone earnings at the current prices, and that cost. */
function bestStop(problem: Problem, curve: CompiledCurve, { input, output }: Trade, { sold, bought }: Ends): Stop {
  const perTick = curve.gasPerPiece * problem.perGas
  const { keepIn, keepOut } = curve
  let crossed = piecesCrossed(curve, input)
  problem.budget.spend(2 + crossed)
  let cost = crossed * perTick
  for (let fewer = crossed - 1; fewer >= 0; fewer--) {
    const lost =
      (output - outputBefore(curve, fewer + 1) * keepOut) * bought -
      (input - inputBefore(curve, fewer + 1) / keepIn) * sold
    if (lost >= cost) break
    if (fewer * perTick + lost >= cost) continue
    cost = fewer * perTick + lost
    crossed = fewer
  }
  return { crossed, cost }
}

/** Cost of a leg that stops at the best tick, in output base units. */
export function costAtBest(problem: Problem, edge: number, trade: Trade, ends: Ends): number {
  const curve = curveOf(problem, edge)
  const base = baseCost(problem, edge)
  return curve.gasPerPiece === 0 ? base : base + bestStop(problem, curve, trade, ends).cost
}

/** Stops pools at ticks that are not worth their gas and reallocates the trade, while the net output improves. */
export function stopAtTicks(problem: Problem, opening: Allocation, flow: Flow): Flow {
  let best = flow
  let [stopped, allocation] = [problem, opening]
  for (let round = 0; round < TICK_ROUNDS; round++) {
    const stops = stopsOf(stopped, allocation)
    if (stops.length === 0) break
    stopped = { ...stopped, adjustedCurves: new Map([...stopped.adjustedCurves, ...stops]) }
    const next = new Allocation(stopped)
    next.restore(allocation.checkpoint())
    solve(next, MAX_RESIDUAL, FEW_STEPS)
    const shorter = flowOf(stopped, next)
    if (!shorter || shorter.net <= best.net) break
    best = shorter
    allocation = next
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
    const ends = { sold: allocation.price(from[edge]!), bought: allocation.price(to[edge]!) }
    const { crossed } = bestStop(problem, curve, { input, output: allocation.output[k]! }, ends)
    if (crossed < piecesCrossed(curve, input)) stops.push([edge, upToPiece(curve, crossed)])
  })
  return stops
}
