/** The price of gas in the output token. */
import { bestSinglePath, onCurves } from './columns/single-path.ts'
import type { Graph } from './graph/graph.ts'
import { outputOf } from './graph/price-curve.ts'
import { WorkBudget } from './problem/budget.ts'
import { type Ends, passableRates } from './problem/passable.ts'
import { potential } from './problem/potentials.ts'
import type { Problem } from './problem/problem.ts'
import type { RouteTerms } from './types.ts'

/** Gas and calldata of an ordinary swap, to price the native token at a size that matters. */
const USUAL_ROUTE_GAS = 300_000
const USUAL_ROUTE_BYTES = 600
/** Prices kept of one graph; a block has fewer targets. */
const MOST_KEPT = 10_000

/**
 * Output base units for a wei, by the best path for about what a swap's gas costs: a marginal rate alone would believe a
 * mispriced pool with next to nothing in it. 0 where nothing is to be paid or no path leads from the native token.
 */
export function outputPerWei(graph: Graph, request: RouteTerms, target: number): number {
  const { wrappedNative, nativeErc20, l1FeePerByteWei = 0 } = request
  const costWei = USUAL_ROUTE_GAS * Number(request.gasPriceWei) + USUAL_ROUTE_BYTES * l1FeePerByteWei
  const native = wrappedNative === null ? nativeErc20 : { token: wrappedNative, unitsPerWei: 1 }
  const source = native && graph.topology.tokenIndex.get(native.token)
  if (costWei === 0 || source === undefined || !native) return 0
  if (target === source) return native.unitsPerWei
  const byTrust = graph.facts.worthOfWei
  const known = byTrust.get(request.trust ?? graph.facts) ?? new Map<string, number>()
  byTrust.set(request.trust ?? graph.facts, known)
  const key = `${source} ${target} ${costWei}`
  const worth = known.get(key) ?? outputFor(graph, request, { source, target }, costWei * native.unitsPerWei) / costWei
  if (known.size >= MOST_KEPT) known.clear()
  known.set(key, worth)
  return worth
}

/** The output of the best path for an amount, gas aside; 0 where there is none. */
function outputFor(graph: Graph, request: RouteTerms, ends: Ends, amountIn: number): number {
  const rates = passableRates(graph, request.trust, ends, undefined, () => {})
  const free = {
    perGas: 0,
    perLeg: 0,
    taxed: new Map(),
    believed: new Map(),
    learned: new Map(),
    measured: new Map(),
  }
  // Known to all requests of the block that ask the same, so none of them pays for it; one path is bounded work.
  const limits = { maxHops: 3, maxPools: 3, onePath: true, reuse: false, mostRivals: 0, budget: new WorkBudget() }
  const problem: Problem = { graph, swap: request, ...ends, amountIn, ...limits, ...rates, ...free }
  const path = bestSinglePath(problem, potential(problem, ends.target, 'to'), onCurves(problem, 'a part'))
  return path?.reduce((amount, edge) => outputOf(graph.edges[edge]!.curve, amount), amountIn) ?? 0
}
