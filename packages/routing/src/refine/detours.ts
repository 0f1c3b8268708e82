/**
 * Finds detours of a flow: paths from one of its tokens to a later one that keep the flow within the hop limit. A flow
 * is a set of edges (pools in one direction) with their inputs. The labels of column generation (`columns/frontier.ts`)
 * ignore the positions of tokens in the flow, so the best path by these labels may exceed the hop limit. Here, each
 * token has one label per maximum number of edges. The label is its best value if it is sold into the flow, or its best
 * inverse cost if it is bought from the flow. Called by `join-paths.ts`.
 */
import { legBaseCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import type { Flow } from '../solver/flow.ts'
import { MAX_DETOURS, MIN_DETOUR_GAS_SHARE, MIN_EDGE_GAIN, MIN_LABEL_GAIN } from '../tolerances.ts'
import { maxHopsFromSource, maxHopsToTarget } from './token-positions.ts'

/**
 * Labels of all tokens for paths of at most k = 0, 1, … edges. Index of both arrays: k times the number of tokens, plus
 * the token.
 */
type Labels = {
  readonly labels: Float64Array
  /** By label: edge of its path that sells (backward) or buys (forward) the token; −1 if there is none. */
  readonly edges: Int32Array
}
/** By token of the flow: maximum number of edges between the token and the source, or between it and the target. */
type HopsByToken = ReadonlyMap<number, number>

/** Returns the most promising detours, by earnings after gas at the prices of the flow's allocation. */
export function findDetours(problem: Problem, allocation: Allocation, flow: Flow): readonly (readonly number[])[] {
  const { graph, maxHops, rate, budget } = problem
  const { offset, from, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    const hopsFromSource = maxHopsFromSource(problem, flow)
    const hopsToTarget = maxHopsToTarget(problem, flow)
    const values = computeLabels(problem, allocation, hopsToTarget, 'backward')
    const inverseCosts = computeLabels(problem, allocation, hopsFromSource, 'forward', values)
    const tokenCount = tokens.length
    const detours: { readonly edges: readonly number[]; readonly netEarning: number }[] = []
    const addDetour = (edges: readonly number[]) => {
      const [startToken, endToken] = [from[edges[0]!]!, to[edges.at(-1)!]!]
      // A detour must lead forward in the order of the flow, so that the flow stays acyclic.
      if (!(hopsFromSource.get(startToken)! < (hopsFromSource.get(endToken) ?? 0))) return
      const gain =
        edges.reduce(
          (product, edge) => product * rate[edge]!,
          allocation.price(endToken) / allocation.price(startToken),
        ) - 1
      if (!(gain > MIN_EDGE_GAIN)) return
      // The gain falls about linearly to 0 as the amount grows, so on average it is half of `gain`. It reaches 0 at
      // `minConductance * gain / edges.length` or more: per unit of value, the rate of each edge falls by at most the
      // fraction 1 / `minConductance` (conductance: see `CurvePoint`).
      let soldTokenPrice = allocation.price(startToken)
      let minConductance = Number.POSITIVE_INFINITY
      for (const edge of edges) {
        minConductance = Math.min(minConductance, graph.conductance[edge]! * soldTokenPrice)
        soldTokenPrice /= rate[edge]!
      }
      const earning = (minConductance * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + legBaseCost(problem, edge), 0)
      if (earning > MIN_DETOUR_GAS_SHARE * cost) detours.push({ edges, netEarning: earning - cost })
    }
    for (const [soldToken, hopsBefore] of hopsFromSource) {
      budget.spend(1 + offset[soldToken + 1]! - offset[soldToken]!)
      for (let edge = offset[soldToken]!; edge < offset[soldToken + 1]!; edge++) {
        const hopsAfterEdge = hopsToTarget.get(to[edge]!)
        if (
          hopsAfterEdge !== undefined &&
          hopsBefore + 1 + hopsAfterEdge <= maxHops &&
          rate[edge]! > 0 &&
          allocation.hasEdge[edge] === 0
        )
          addDetour([edge])
      }
    }
    budget.spend(tokenCount * maxHops)
    for (let token = 0; token < tokenCount; token++) {
      if (hopsFromSource.has(token)) continue
      let bestGainRatio = 1 + MIN_EDGE_GAIN
      let hopsAfter = -1
      for (let k = 1; k < maxHops; k++) {
        const gainRatio =
          values.labels[k * tokenCount + token]! * inverseCosts.labels[(maxHops - k) * tokenCount + token]!
        if (gainRatio > bestGainRatio) [bestGainRatio, hopsAfter] = [gainRatio, k]
      }
      if (hopsAfter > 0)
        addDetour([
          ...pathToFlow(inverseCosts, token, maxHops - hopsAfter, hopsFromSource, tokenCount, from).toReversed(),
          ...pathToFlow(values, token, hopsAfter, hopsToTarget, tokenCount, to),
        ])
    }
    return detours
      .sort((a, b) => b.netEarning - a.netEarning)
      .slice(0, MAX_DETOURS)
      .map(({ edges }) => edges)
  })
}

/**
 * Computes the labels for each maximum path length, from 0 to `maxHops` − 1 edges. A backward label of a token is its
 * maximum value if it is sold along a path into the flow. A forward label is the inverse of its minimum cost if it is
 * bought along a path out of the flow. The path length includes edges of the flow. For backward labels, these are the
 * edges between the end of the path and the target. For forward labels, they are the edges between the source and the
 * start of the path.
 *
 * @param hopsByToken - by token of the flow: number of edges to the target (backward) or from the source (forward)
 * @param values - backward labels. If given, forward labels that cannot give a gain together with them are skipped
 */
function computeLabels(
  problem: Problem,
  allocation: Allocation,
  hopsByToken: HopsByToken,
  direction: 'backward' | 'forward',
  values?: Labels,
): Labels {
  const { graph, maxHops, rate, rateBack, source, target, budget } = problem
  const { offset, to, reverse, tokens, scratch } = graph.topology
  const rates = direction === 'backward' ? rateBack : rate
  const tokenCount = tokens.length
  const labels = scratch.floats(tokenCount * maxHops, 0)
  const edges = scratch.ints(tokenCount * maxHops, -1)
  const isQueued = scratch.bytes(tokenCount, 0)
  /** Tokens whose label for paths of at most k − 1 edges changed. */
  let previouslyChangedTokens: number[] = []
  for (let k = 0; k < maxHops; k++) {
    const [layerOffset, previousOffset, remainingOffset] = [
      k * tokenCount,
      (k - 1) * tokenCount,
      (maxHops - k) * tokenCount,
    ]
    const changedTokens: number[] = []
    const setLabel = (token: number, label: number) => {
      labels[layerOffset + token] = label
      if (isQueued[token] === 0) changedTokens.push(token)
      isQueued[token] = 1
    }
    if (k > 0) {
      labels.copyWithin(layerOffset, previousOffset, layerOffset)
      edges.copyWithin(layerOffset, previousOffset, layerOffset)
      for (const token of previouslyChangedTokens) {
        if (token === (direction === 'backward' ? source : target)) continue
        const label = labels[previousOffset + token]!
        budget.spend(1 + offset[token + 1]! - offset[token]!)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const neighbor = to[edge]!
          const newLabel = label * rates[edge]!
          if (!(newLabel > labels[layerOffset + neighbor]! * (1 + MIN_LABEL_GAIN)) || hopsByToken.has(neighbor))
            continue
          // No path back into the flow within the remaining edges gives a gain.
          if (values && !(newLabel * values.labels[remainingOffset + neighbor]! > 1)) continue
          edges[layerOffset + neighbor] = direction === 'backward' ? reverse[edge]! : edge
          setLabel(neighbor, newLabel)
        }
      }
    }
    for (const [token, hopsAway] of hopsByToken) {
      if (hopsAway !== k) continue
      setLabel(token, direction === 'backward' ? allocation.price(token) : 1 / allocation.price(token))
    }
    for (const token of changedTokens) isQueued[token] = 0
    previouslyChangedTokens = changedTokens
  }
  return { labels, edges }
}

/**
 * Follows labels of at most `maxEdges` edges from a token to the flow. Returns the edges.
 *
 * @param nextTokenByEdge - by edge: its token on the side of the flow
 */
function pathToFlow(
  labels: Labels,
  startToken: number,
  maxEdges: number,
  hopsByToken: HopsByToken,
  tokenCount: number,
  nextTokenByEdge: Int32Array,
): readonly number[] {
  const edges: number[] = []
  for (let [token, k] = [startToken, maxEdges]; !hopsByToken.has(token) && k > 0; k--) {
    const nextEdge = labels.edges[k * tokenCount + token]!
    edges.push(nextEdge)
    token = nextTokenByEdge[nextEdge]!
  }
  return edges
}
