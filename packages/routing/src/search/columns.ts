/**
 * Column generation: start from the best single path, then keep adding the path that pays best at the margin of the
 * current flow while it pays more than the flow does; afterwards take out what does not earn its gas.
 */
import type { Address } from '@sluice/chains'
import type { Edge } from '../graph.ts'
import { bestPaths } from './best-path.ts'
import { type Flow, optimise, topologicalOrder, usedEdges } from './flow.ts'
import type { Problem } from './problem.ts'
import { marginalRate } from './response.ts'

const MAX_COLUMNS = 40
/** A path must beat the flow's own margin by this part to be worth a look. */
const MIN_GAIN = 1e-7
/** Rounds of taking pools out for their gas. */
const MAX_PRUNINGS = 60

export function splitFlow(problem: Problem, seed: readonly Edge[], amountIn: number): Flow | null {
  const { source, target } = problem
  let edges = new Set(seed)
  let flow = optimise(edges, source, target, amountIn)
  const barred = new Set<Edge>()
  for (let column = 0; flow && column < MAX_COLUMNS; column++) {
    const path = bestNewPath(problem, flow, barred)
    if (!path) break
    const added = path.filter((edge) => !edges.has(edge))
    const wider = new Set([...edges, ...path])
    if (!topologicalOrder(wider, source) || reversesPool(wider)) {
      for (const edge of added) barred.add(edge)
      continue
    }
    const next = optimise(wider, source, target, amountIn, seeded(flow, path))
    if (!next || next.amountOut <= flow.amountOut) {
      for (const edge of added) barred.add(edge)
      continue
    }
    flow = next
    edges = wider
  }
  return flow && prune(problem, flow, amountIn)
}

/** What a flow is worth after gas, in output base units. */
export function netOutput(problem: Problem, flow: Flow): number {
  return flow.amountOut - usedEdges(flow).reduce((cost, edge) => cost + problem.cost(edge), 0)
}

function bestNewPath(problem: Problem, flow: Flow, barred: ReadonlySet<Edge>): readonly Edge[] | null {
  const paths = bestPaths(problem, 1, (edge, value) =>
    barred.has(edge) ? 0 : value * marginalRate(edge.response, flow.input.get(edge) ?? 0),
  )
  const better = paths
    .filter(({ edges, value }) => value > flow.marginal * (1 + MIN_GAIN) && edges.some((edge) => !flow.share.has(edge)))
    .sort((a, b) => b.value - a.value)
  return better[0]?.edges ?? null
}

/** The flow's shares, with a small start for the edges of a new path. */
function seeded(flow: Flow, path: readonly Edge[]): ReadonlyMap<Edge, number> {
  const share = new Map(flow.share)
  for (const edge of path) if (!share.has(edge)) share.set(edge, 1e-3)
  return share
}

/** A pool used in two directions, or from two tokens at once, would have one leg change the price of the other. */
function reversesPool(edges: ReadonlySet<Edge>): boolean {
  return new Set([...edges].map(({ pool }) => pool.id)).size < edges.size
}

/** Takes out pools that cost more gas than they bring, cheapest contribution first, and those above the pool limit. */
function prune(problem: Problem, flow: Flow, amountIn: number): Flow {
  const { source, target, maxPools } = problem
  let best = tidy(problem, flow, amountIn)
  for (let round = 0; round < MAX_PRUNINGS; round++) {
    const used = usedEdges(best)
    const tooMany = used.length > maxPools
    if (!tooMany && problem.free) break
    const before = netOutput(problem, best)
    let chosen: Flow | null = null
    for (const edge of byContribution(best, used)) {
      const without = optimise(
        used.filter((other) => other !== edge),
        source,
        target,
        amountIn,
        best.share,
      )
      if (!without) continue
      if (tooMany || netOutput(problem, without) > before) {
        chosen = without
        break
      }
    }
    if (!chosen) break
    best = tidy(problem, chosen, amountIn)
  }
  return best
}

/** Drops edges that carry next to nothing. */
function tidy({ source, target }: Problem, flow: Flow, amountIn: number): Flow {
  const used = usedEdges(flow)
  if (used.length === flow.share.size) return flow
  return optimise(used, source, target, amountIn, flow.share) ?? flow
}

function byContribution(flow: Flow, used: readonly Edge[]): readonly Edge[] {
  const weight = weights(flow)
  const part = (edge: Edge) => flow.share.get(edge)! * weight.get(edge.tokenIn)!
  return [...used].sort((a, b) => part(a) - part(b))
}

/** Part of the whole trade that passes through each token, 0–1. */
function weights({ order, out, share }: Flow): ReadonlyMap<Address, number> {
  const weight = new Map(order.map((token, index) => [token, index === 0 ? 1 : 0]))
  for (const token of order) {
    for (const edge of out.get(token) ?? []) {
      weight.set(edge.tokenOut, weight.get(edge.tokenOut)! + weight.get(token)! * share.get(edge)!)
    }
  }
  return weight
}
