/** A route as a graph, with the share of the order on each leg and the column of each token. */
import type { SwapLeg } from '@sluice/client'

export type GraphLeg = SwapLeg & {
  readonly index: number
  /** Lower-case addresses of the leg's tokens. */
  readonly a: string
  readonly b: string
  /** Share of the whole order, 0 to 1. */
  flow: number
}

export type GraphToken = {
  readonly id: string
  flow: number
  column: number
  readonly outgoing: GraphLeg[]
  readonly into: GraphLeg[]
}

export type RouteGraph = {
  readonly legs: readonly GraphLeg[]
  /** Sorted by column. */
  readonly tokens: readonly GraphToken[]
  readonly last: number
  readonly src: string
  readonly dst: string
}

export type Drawn = { readonly src: string; readonly dst: string; readonly swaps: readonly SwapLeg[] }

export function graphOf({ src, dst, swaps }: Drawn): RouteGraph {
  const legs: GraphLeg[] = swaps.map((swap, index) => {
    const a = swap.tokenIn.toLowerCase()
    const b = swap.tokenOut.toLowerCase()
    return { ...swap, index, a, b, flow: 0 }
  })
  const tokens = new Map<string, GraphToken>()
  const token = (id: string): GraphToken => {
    const node = tokens.get(id) ?? { id, flow: 0, column: 0, outgoing: [], into: [] }
    tokens.set(id, node)
    return node
  }
  for (const leg of legs) {
    token(leg.a).outgoing.push(leg)
    token(leg.b).into.push(leg)
  }
  // The native token is wrapped outside the legs, so the first or last leg's token represents it.
  const first = tokens.has(src.toLowerCase()) ? src.toLowerCase() : legs[0]!.a
  const end = tokens.has(dst.toLowerCase()) ? dst.toLowerCase() : legs.at(-1)!.b
  // Finds the longest path from the source. A limit of rounds keeps a cyclic route from hanging the page.
  for (let round = 0; round < tokens.size; round++)
    for (const leg of legs) {
      const from = token(leg.a)
      const to = token(leg.b)
      if (to.column <= from.column) to.column = from.column + 1
    }
  const last = Math.max(...[...tokens.values()].map(({ column }) => column))
  token(end).column = last
  const order = [...tokens.values()].sort((x, y) => x.column - y.column)
  token(first).flow = 1
  for (const { flow, outgoing } of order) {
    const total = outgoing.reduce((sum, leg) => sum + leg.share, 0) || 1
    for (const leg of outgoing) {
      leg.flow = (flow * leg.share) / total
      token(leg.b).flow += leg.flow
    }
  }
  return { legs, tokens: order, last, src: first, dst: end }
}

/** A leg, or several thin legs folded into one gate. */
export type ShownLeg = GraphLeg & { readonly folded?: readonly GraphLeg[] }

/** Share of the order below which a leg is thin. */
const THIN = 0.03

/** Folds thin legs between the same two tokens into one gate, so that a column can label all its gates. */
export function fold(legs: readonly GraphLeg[], max: number): readonly ShownLeg[] {
  const maxColumns = legs.length > 30 ? Math.min(max, 4) : max
  return pairsOf(legs).flatMap((members): readonly ShownLeg[] => {
    const thin = members.slice(maxColumns - 1).filter((leg) => leg.flow < THIN)
    if (thin.length < 2) return members
    const sum = (name: 'share' | 'flow') => thin.reduce((total, leg) => total + leg[name], 0)
    const foldedLeg = { ...thin[0]!, dex: `${thin.length} more`, folded: thin, share: sum('share'), flow: sum('flow') }
    return [...members.filter((leg) => !thin.includes(leg)), foldedLeg]
  })
}

/** Groups legs by their two tokens, thickest first. */
function pairsOf(legs: readonly GraphLeg[]): readonly GraphLeg[][] {
  const pairs = new Map<string, GraphLeg[]>()
  for (const leg of legs) {
    const key = `${leg.a}>${leg.b}`
    const members = pairs.get(key) ?? []
    members.push(leg)
    pairs.set(key, members)
  }
  return [...pairs.values()].map((members) => members.sort((x, y) => y.flow - x.flow))
}

export type Strip = {
  readonly a: string
  readonly b: string
  readonly flow: number
  readonly legs: readonly GraphLeg[]
}

/** Returns one strip per token pair for narrow screens, sorted by column, then by flow. */
export function stripsOf(graph: RouteGraph): readonly Strip[] {
  const column = new Map(graph.tokens.map(({ id, column }) => [id, column]))
  return pairsOf(graph.legs)
    .map((legs) => ({ a: legs[0]!.a, b: legs[0]!.b, legs, flow: legs.reduce((sum, leg) => sum + leg.flow, 0) }))
    .sort((x, y) => column.get(x.a)! - column.get(y.a)! || y.flow - x.flow)
}
