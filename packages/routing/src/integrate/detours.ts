/**
 * Ways beside a flow that fit into the limit on hops. The labels of a frontier know no places in a flow: the best way it sees
 * may be too long from where it begins to where it ends. Here every token has a label for each number of edges that are left.
 */
import { leastCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import type { Flow } from '../solver/flow.ts'
import { DETOUR_GAS_SHARE, DETOURS_TRIED, EDGE_GAIN, LABEL_GAIN } from '../tolerances.ts'
import { depthsOf, heightsOf } from './places.ts'

/** Labels of all tokens by number of edges, and the edge by which each was reached. */
type Labels = { readonly value: Float64Array; readonly edge: Int32Array }
type Places = ReadonlyMap<number, number>

/** The detours that promise most after their gas, at the prices of an allocation that the flow is of. */
export function detoursAround(problem: Problem, allocation: Allocation, flow: Flow): readonly (readonly number[])[] {
  const { graph, maxHops, rate, budget } = problem
  const { offset, from, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    const depth = depthsOf(problem, flow)
    const height = heightsOf(problem, flow)
    const values = spread(problem, allocation, height, 'back')
    const costs = spread(problem, allocation, depth, 'on', values)
    const count = tokens.length
    const found: { readonly edges: readonly number[]; readonly promise: number }[] = []
    const take = (edges: readonly number[]) => {
      const [u, v] = [from[edges[0]!]!, to[edges.at(-1)!]!]
      // Only forward in the order of the flow: it stays free of cycles.
      if (!(depth.get(u)! < (depth.get(v) ?? 0))) return
      const gain = edges.reduce((product, edge) => product * rate[edge]!, allocation.price(v) / allocation.price(u)) - 1
      if (!(gain > EDGE_GAIN)) return
      // As much as the narrowest of them lets through until the gain is gone, half of it on average.
      let value = allocation.price(u)
      let narrowest = Number.POSITIVE_INFINITY
      for (const edge of edges) {
        narrowest = Math.min(narrowest, graph.conductance[edge]! * value)
        value /= rate[edge]!
      }
      const earning = (narrowest * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + leastCost(problem, edge), 0)
      if (earning > DETOUR_GAS_SHARE * cost) found.push({ edges, promise: earning - cost })
    }
    for (const [u, before] of depth) {
      budget.spend(1 + offset[u + 1]! - offset[u]!)
      for (let edge = offset[u]!; edge < offset[u + 1]!; edge++) {
        const after = height.get(to[edge]!)
        if (after !== undefined && before + 1 + after <= maxHops && rate[edge]! > 0 && allocation.has[edge] === 0)
          take([edge])
      }
    }
    budget.spend(count * maxHops)
    for (let token = 0; token < count; token++) {
      if (depth.has(token)) continue
      let best = 1 + EDGE_GAIN
      let left = -1
      for (let k = 1; k < maxHops; k++) {
        const gain = values.value[k * count + token]! * costs.value[(maxHops - k) * count + token]!
        if (gain > best) [best, left] = [gain, k]
      }
      if (left > 0)
        take([
          ...chain(costs, token, maxHops - left, depth, count, from).toReversed(),
          ...chain(values, token, left, height, count, to),
        ])
    }
    return found
      .sort((a, b) => b.promise - a.promise)
      .slice(0, DETOURS_TRIED)
      .map(({ edges }) => edges)
  })
}

/**
 * Labels over 0 to `maxHops` − 1 edges: back from the tokens of a flow their best values, on from them the inverse of their least
 * costs. A token of the flow is there from the number of edges on that it is away from its end.
 *
 * @param values - labels back, where only those on are wanted that gain together with them
 */
function spread(
  problem: Problem,
  allocation: Allocation,
  places: Places,
  direction: 'back' | 'on',
  values?: Labels,
): Labels {
  const { graph, maxHops, rate, rateBack, source, target, budget } = problem
  const { offset, to, reverse, tokens, scratch } = graph.topology
  const rates = direction === 'back' ? rateBack : rate
  const count = tokens.length
  const value = scratch.floats(count * maxHops, 0)
  const edgeOf = scratch.ints(count * maxHops, -1)
  const isIn = scratch.bytes(count, 0)
  let layer: number[] = []
  for (let k = 0; k < maxHops; k++) {
    const [here, before, behind] = [k * count, (k - 1) * count, (maxHops - k) * count]
    const changed: number[] = []
    const change = (token: number, label: number) => {
      value[here + token] = label
      if (isIn[token] === 0) changed.push(token)
      isIn[token] = 1
    }
    if (k > 0) {
      value.copyWithin(here, before, here)
      edgeOf.copyWithin(here, before, here)
      for (const token of layer) {
        if (token === (direction === 'back' ? source : target)) continue
        const label = value[before + token]!
        budget.spend(1 + offset[token + 1]! - offset[token]!)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const next = label * rates[edge]!
          if (!(next > value[here + other]! * (1 + LABEL_GAIN)) || places.has(other)) continue
          // No way on from there by the edges that are left gains anything.
          if (values && !(next * values.value[behind + other]! > 1)) continue
          edgeOf[here + other] = direction === 'back' ? reverse[edge]! : edge
          change(other, next)
        }
      }
    }
    for (const [token, away] of places) {
      if (away !== k) continue
      change(token, direction === 'back' ? allocation.price(token) : 1 / allocation.price(token))
    }
    for (const token of changed) isIn[token] = 0
    layer = changed
  }
  return { value, edge: edgeOf }
}

/** Edges from a token to the flow, by labels of as many edges at most. */
function chain(
  { edge }: Labels,
  start: number,
  most: number,
  places: Places,
  count: number,
  end: Int32Array,
): readonly number[] {
  const edges: number[] = []
  for (let [token, k] = [start, most]; !places.has(token) && k > 0; k--) {
    const next = edge[k * count + token]!
    edges.push(next)
    token = end[next]!
  }
  return edges
}
