/**
 * Finds detours from a flow within the hop limit. A frontier's labels ignore the positions of tokens in the flow, so
 * its best path may exceed the hop limit. Here, each token has a label per number of remaining edges.
 */
import { legBaseCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import type { Flow } from '../solver/flow.ts'
import { DETOUR_GAS_SHARE, DETOURS_TRIED, EDGE_GAIN, LABEL_GAIN } from '../tolerances.ts'
import { depthsOf, heightsOf } from './token-positions.ts'

/** Labels of all tokens by number of edges, and the edge that led to each. */
type Labels = { readonly value: Float64Array; readonly edge: Int32Array }
type HopsByToken = ReadonlyMap<number, number>

/** The most promising detours after gas, at the prices of the flow's allocation. */
export function findDetours(problem: Problem, allocation: Allocation, flow: Flow): readonly (readonly number[])[] {
  const { graph, maxHops, rate, budget } = problem
  const { offset, from, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    const depthByToken = depthsOf(problem, flow)
    const heightByToken = heightsOf(problem, flow)
    const values = spread(problem, allocation, heightByToken, 'back')
    const costs = spread(problem, allocation, depthByToken, 'on', values)
    const count = tokens.length
    const detours: { readonly edges: readonly number[]; readonly benefit: number }[] = []
    const addDetour = (edges: readonly number[]) => {
      const [startToken, endToken] = [from[edges[0]!]!, to[edges.at(-1)!]!]
      // Only forward in the order of the flow, so that the flow stays acyclic.
      if (!(depthByToken.get(startToken)! < (depthByToken.get(endToken) ?? 0))) return
      const gain =
        edges.reduce(
          (product, edge) => product * rate[edge]!,
          allocation.price(endToken) / allocation.price(startToken),
        ) - 1
      if (!(gain > EDGE_GAIN)) return
      // The narrowest edge limits the amount at which the gain is used up; half of the gain on average.
      let value = allocation.price(startToken)
      let minConductance = Number.POSITIVE_INFINITY
      for (const edge of edges) {
        minConductance = Math.min(minConductance, graph.conductance[edge]! * value)
        value /= rate[edge]!
      }
      const earning = (minConductance * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + legBaseCost(problem, edge), 0)
      if (earning > DETOUR_GAS_SHARE * cost) detours.push({ edges, benefit: earning - cost })
    }
    for (const [soldToken, depthOfToken] of depthByToken) {
      budget.spend(1 + offset[soldToken + 1]! - offset[soldToken]!)
      for (let edge = offset[soldToken]!; edge < offset[soldToken + 1]!; edge++) {
        const heightOfToken = heightByToken.get(to[edge]!)
        if (
          heightOfToken !== undefined &&
          depthOfToken + 1 + heightOfToken <= maxHops &&
          rate[edge]! > 0 &&
          allocation.hasEdge[edge] === 0
        )
          addDetour([edge])
      }
    }
    budget.spend(count * maxHops)
    for (let token = 0; token < count; token++) {
      if (depthByToken.has(token)) continue
      let best = 1 + EDGE_GAIN
      let hopsAfter = -1
      for (let k = 1; k < maxHops; k++) {
        const gain = values.value[k * count + token]! * costs.value[(maxHops - k) * count + token]!
        if (gain > best) [best, hopsAfter] = [gain, k]
      }
      if (hopsAfter > 0)
        addDetour([
          ...chain(costs, token, maxHops - hopsAfter, depthByToken, count, from).toReversed(),
          ...chain(values, token, hopsAfter, heightByToken, count, to),
        ])
    }
    return detours
      .sort((a, b) => b.benefit - a.benefit)
      .slice(0, DETOURS_TRIED)
      .map(({ edges }) => edges)
  })
}

/**
 * Computes labels over 0 to `maxHops` − 1 edges: backwards from the flow's tokens their best values, forwards the
 * inverse of their minimum costs. A token of the flow enters at its distance from the end.
 *
 * @param values - backward labels; forward labels that do not gain together with them are skipped
 */
function spread(
  problem: Problem,
  allocation: Allocation,
  places: HopsByToken,
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
    const changedTokens: number[] = []
    const change = (token: number, label: number) => {
      value[here + token] = label
      if (isIn[token] === 0) changedTokens.push(token)
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
          // No continuation within the remaining edges gains.
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
    for (const token of changedTokens) isIn[token] = 0
    layer = changedTokens
  }
  return { value, edge: edgeOf }
}

/** Edges from a token to the flow, by labels of at most this many edges. */
function chain(
  { edge }: Labels,
  start: number,
  maxEdges: number,
  places: HopsByToken,
  count: number,
  end: Int32Array,
): readonly number[] {
  const edges: number[] = []
  for (let [token, k] = [start, maxEdges]; !places.has(token) && k > 0; k--) {
    const next = edge[k * count + token]!
    edges.push(next)
    token = end[next]!
  }
  return edges
}
