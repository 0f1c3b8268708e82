/** The move that pruning cannot make: a pool or a chain of them for a direct pool that costs less gas at a slightly worse price. */
import { type Flow, flowOf, groupBy } from './flow.ts'
import { costOf, leastCost, type Problem, responseOf } from './problem.ts'
import { outputOf } from './response.ts'
import { holdAtTicks } from './ticks.ts'
import { TIGHT, WaterFilling } from './water-filling.ts'

const MAX_MOVES = 8
/** Moves that are tried, those that promise most first, before the search ends. */
const MAX_TRIED = 8

/** Replaces chains while that improves what is left after gas. */
export function shortenChains(problem: Problem, flow: Flow): Flow {
  const filling = divisionOver(problem, flow.edges)
  let best = flow
  for (let move = 0; move < MAX_MOVES; move++) {
    const better = firstImprovement(problem, filling, best)
    if (!better) break
    best = better
  }
  return best
}

/** The division that a flow uses, with its prices. */
function divisionOver(problem: Problem, edges: readonly number[]): WaterFilling {
  const { graph, rate } = problem
  const { from, to } = graph.topology
  const filling = new WaterFilling(problem)
  // A flow's edges stand in topological order: seen from the end, the price of what an edge buys is known.
  for (const edge of edges.toReversed())
    filling.addToken(from[edge]!, filling.logPrice[to[edge]!]! + Math.log(rate[edge]!))
  for (const edge of edges) filling.addEdge(edge)
  filling.solve(TIGHT)
  return filling
}

/** Leaves the filling as the improvement has it, or as it was. */
function firstImprovement(problem: Problem, filling: WaterFilling, best: Flow): Flow | null {
  const moves = chainsOf(problem, best)
    .flatMap((chain) => movesFor(problem, filling, best, chain))
    .sort((a, b) => b.gain - a.gain)
  for (const { chain, direct } of moves.slice(0, MAX_TRIED)) {
    const before = filling.checkpoint()
    filling.addEdge(direct)
    filling.removeEdges(new Set(chain))
    filling.solve(TIGHT)
    const flow = flowOf(problem, filling)
    const held = flow && holdAtTicks(problem, filling, flow)
    if (held && held.net > best.net) return held
    filling.restore(before)
    filling.evaluate()
  }
  return null
}

/** Edges, and runs of them through tokens that nothing else enters or leaves. */
function chainsOf({ graph, source, target, budget }: Problem, { edges }: Flow): readonly (readonly number[])[] {
  const { from, to } = graph.topology
  const into = groupBy(edges, (edge) => to[edge]!)
  const outOf = groupBy(edges, (edge) => from[edge]!)
  const chains: number[][] = []
  for (const first of edges) {
    const chain = [first]
    chains.push([first])
    // A flow has no circles: a chain is no longer than the flow.
    for (;;) {
      budget.spend(4 * chain.length)
      const token = to[chain.at(-1)!]!
      const next = outOf.get(token) ?? []
      if (token === target || token === source || next.length !== 1 || into.get(token)!.length !== 1) break
      chain.push(next[0]!)
      chains.push([...chain])
    }
  }
  return chains
}

type Move = { readonly chain: readonly number[]; readonly direct: number; readonly gain: number }

/** Direct pools for a chain, with what each would gain if all other amounts stood still. */
function movesFor(problem: Problem, filling: WaterFilling, flow: Flow, chain: readonly number[]): readonly Move[] {
  const { graph, rate } = problem
  const { offset, from, to } = graph.topology
  const start = from[chain[0]!]!
  const end = to[chain.at(-1)!]!
  const worth = filling.price(end)
  const inputOf = (edge: number) => flow.input[flow.edges.indexOf(edge)]!
  const cost = chain.reduce((sum, edge) => sum + costOf(problem, edge, inputOf(edge)), 0)
  const received = outputOf(responseOf(problem, chain.at(-1)!), inputOf(chain.at(-1)!))
  problem.budget.spend(offset[start + 1]! - offset[start]! + flow.edges.length * chain.length + 1)
  const moves: Move[] = []
  for (let edge = offset[start]!; edge < offset[start + 1]!; edge++) {
    if (to[edge] !== end || rate[edge] === 0 || filling.has[edge] || leastCost(problem, edge) >= cost) continue
    const input = inputOf(chain[0]!)
    const output = outputOf(responseOf(problem, edge), input)
    const saving = cost - costOf(problem, edge, input)
    const gain = (output - received) * worth + saving
    // What a pool loses against the chain is less once the amounts are divided anew.
    if (gain > -saving) moves.push({ chain, direct: edge, gain })
  }
  return moves
}
