/** Gas for ticks: where a pool should stop, rather than cross a tick for the little that lies behind it. */

import { type CompiledCurve, inputBefore, outputBefore, piecesCrossed, upToPiece } from '../graph/price-curve.ts'
import { curveOf, leastCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { FEW_STEPS, TICK_ROUNDS, TIGHT } from '../tolerances.ts'

type Trade = { readonly input: number; readonly output: number }
/** The prices of what a pool takes and of what it gives, in output base units. */
type Ends = { readonly sold: number; readonly bought: number }
type Stop = { readonly crossed: number; readonly cost: number }

/**
 * The number of ticks to cross at which their gas and what is not earned behind them cost least, at the present prices.
 */
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

/** The cost of a leg if it stops at the best tick. */
export function costAtBest(problem: Problem, edge: number, trade: Trade, ends: Ends): number {
  const curve = curveOf(problem, edge)
  const least = leastCost(problem, edge)
  return curve.gasPerPiece === 0 ? least : least + bestStop(problem, curve, trade, ends).cost
}

/**
 * Ends pools at ticks that are not worth their gas, and divides the trade anew, as long as that improves what is left.
 */
export function holdAtTicks(problem: Problem, opening: Allocation, flow: Flow): Flow {
  let best = flow
  let [held, allocation] = [problem, opening]
  for (let round = 0; round < TICK_ROUNDS; round++) {
    const stops = stopsOf(held, allocation)
    if (stops.length === 0) break
    held = { ...held, taxed: new Map([...held.taxed, ...stops]) }
    const next = new Allocation(held)
    next.restore(allocation.checkpoint())
    solve(next, TIGHT, FEW_STEPS)
    const shorter = flowOf(held, next)
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
