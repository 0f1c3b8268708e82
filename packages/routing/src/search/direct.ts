/** The move that pruning cannot make: a chain of pools for a direct pool that costs less gas at a slightly worse price. */
import { TIGHT } from './columns.ts'
import { type Flow, flowOf, groupBy } from './flow.ts'
import { costOf, leastCost, type Problem, responseOf } from './problem.ts'
import { outputOf } from './response.ts'
import { WaterFilling } from './water-filling.ts'

const MAX_MOVES = 8
/** Direct pools that are tried for a chain. */
const CANDIDATES = 2

/** Replaces chains while that improves what is left after gas. */
export function shortenChains(problem: Problem, flow: Flow): Flow {
  let best = flow
  for (let move = 0; move < MAX_MOVES; move++) {
    const better = chainsOf(problem, best)
      .flatMap((chain) => directEdges(problem, best, chain).map((direct) => replaced(problem, best, chain, direct)))
      .filter((candidate): candidate is Flow => candidate !== null && candidate.net > best.net)
      .sort((a, b) => b.net - a.net)[0]
    if (!better) break
    best = better
  }
  return best
}

/** Runs of two or more edges through tokens that nothing else enters or leaves. */
function chainsOf({ graph, source, target }: Problem, { edges }: Flow): readonly (readonly number[])[] {
  const { from, to } = graph.topology
  const into = groupBy(edges, (edge) => to[edge]!)
  const outOf = groupBy(edges, (edge) => from[edge]!)
  const chains: number[][] = []
  for (const first of edges) {
    const chain = [first]
    for (;;) {
      const token = to[chain.at(-1)!]!
      const next = outOf.get(token) ?? []
      if (token === target || token === source || next.length !== 1 || into.get(token)!.length !== 1) break
      chain.push(next[0]!)
      chains.push([...chain])
    }
  }
  return chains
}

function directEdges(problem: Problem, flow: Flow, chain: readonly number[]): readonly number[] {
  const { graph, rate } = problem
  const { offset, from, to } = graph.topology
  const start = from[chain[0]!]!
  const end = to[chain.at(-1)!]!
  const input = flow.input[flow.edges.indexOf(chain[0]!)]!
  const found: { edge: number; net: number }[] = []
  for (let edge = offset[start]!; edge < offset[start + 1]!; edge++) {
    if (to[edge] !== end || rate[edge] === 0 || flow.edges.includes(edge)) continue
    if (leastCost(problem, edge) >= chain.reduce((sum, step) => sum + leastCost(problem, step), 0)) continue
    found.push({ edge, net: outputOf(responseOf(problem, edge), input) - costOf(problem, edge, input) })
  }
  return found
    .sort((a, b) => b.net - a.net)
    .slice(0, CANDIDATES)
    .map(({ edge }) => edge)
}

function replaced(problem: Problem, flow: Flow, chain: readonly number[], direct: number): Flow | null {
  return divide(problem, [...flow.edges.filter((edge) => !chain.includes(edge)), direct])
}

/** The best division over a few given edges. */
export function divide(problem: Problem, edges: readonly number[]): Flow | null {
  const { graph, rate } = problem
  const { from, to } = graph.topology
  const filling = new WaterFilling(problem)
  // Prices to begin with: along the edges, back from the target.
  const known = new Map<number, number>([[problem.target, 0]])
  for (let sweep = 0; sweep < edges.length; sweep++) {
    for (const edge of edges) {
      const next = known.get(to[edge]!)
      if (next === undefined) continue
      const value = next + Math.log(rate[edge]!)
      if (value > (known.get(from[edge]!) ?? Number.NEGATIVE_INFINITY)) known.set(from[edge]!, value)
    }
  }
  for (const edge of edges) {
    const [u, v] = [from[edge]!, to[edge]!]
    if (!known.has(u) || !known.has(v)) return null
    filling.addToken(u, known.get(u)!)
    filling.addToken(v, known.get(v)!)
    filling.addEdge(edge)
  }
  filling.solve(TIGHT)
  return flowOf(problem, filling)
}
