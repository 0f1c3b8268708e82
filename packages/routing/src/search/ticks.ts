/** Gas for ticks: where a pool should stop, rather than cross a tick for the little that lies behind it. */
import { type Flow, flowOf } from './flow.ts'
import { leastCost, type Problem, responseOf } from './problem.ts'
import { piecesCrossed, type Response, upToPiece } from './response.ts'
import { FEW_STEPS, TIGHT, WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 3

type Trade = { readonly input: number; readonly output: number }
/** The prices of what a pool takes and of what it gives, in output base units. */
type Ends = { readonly sold: number; readonly bought: number }
type Stop = { readonly crossed: number; readonly cost: number }

/** The number of ticks to cross at which their gas and what is not earned behind them cost least, at the present prices. */
function bestStop(problem: Problem, response: Response, { input, output }: Trade, { sold, bought }: Ends): Stop {
  const perTick = response.gasPerPiece * problem.perGas
  const { inputBefore, outputBefore, keepIn, keepOut } = response
  let crossed = piecesCrossed(response, input)
  problem.budget.spend(2 + crossed)
  let cost = crossed * perTick
  for (let fewer = crossed - 1; fewer >= 0; fewer--) {
    const lost =
      (output - outputBefore[fewer + 1]! * keepOut) * bought - (input - inputBefore[fewer + 1]! / keepIn) * sold
    if (lost >= cost) break
    if (fewer * perTick + lost >= cost) continue
    cost = fewer * perTick + lost
    crossed = fewer
  }
  return { crossed, cost }
}

/** What a leg costs if it stops at the best tick. */
export function costAtBest(problem: Problem, edge: number, trade: Trade, ends: Ends): number {
  const response = responseOf(problem, edge)
  const least = leastCost(problem, edge)
  return response.gasPerPiece === 0 ? least : least + bestStop(problem, response, trade, ends).cost
}

/** Ends pools at ticks that are not worth their gas, and divides the trade anew, as long as that improves what is left. */
export function holdAtTicks(problem: Problem, filling: WaterFilling, flow: Flow): Flow {
  let best = flow
  let [held, division] = [problem, filling]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stops = stopsOf(held, division)
    if (stops.length === 0) break
    held = { ...held, taxed: new Map([...held.taxed, ...stops]) }
    const next = new WaterFilling(held)
    next.restore(division.checkpoint())
    next.solve(TIGHT, FEW_STEPS)
    const shorter = flowOf(held, next)
    if (!shorter || shorter.net <= best.net) break
    best = shorter
    division = next
  }
  return best
}

function stopsOf(problem: Problem, filling: WaterFilling): [number, Response][] {
  const { from, to } = problem.graph.topology
  const stops: [number, Response][] = []
  filling.edges.forEach((edge, k) => {
    const input = filling.input[k]!
    const response = responseOf(problem, edge)
    if (response.gasPerPiece === 0 || !(input > 0) || piecesCrossed(response, input) === 0) return
    const ends = { sold: filling.price(from[edge]!), bought: filling.price(to[edge]!) }
    const { crossed } = bestStop(problem, response, { input, output: filling.output[k]! }, ends)
    if (crossed < piecesCrossed(response, input)) stops.push([edge, upToPiece(response, crossed)])
  })
  return stops
}
