/**
 * Converts a route to a graph whose nodes are tokens and whose edges are legs (swaps in single pools). Computes the
 * flow through each leg and the column of each token in the diagram.
 */
import type { SwapLeg } from '@sluice/client'

export type GraphLeg = SwapLeg & {
  /** Index in the route. */
  readonly index: number
  /**
   * Lower-case addresses of the leg's tokens. If the route's source or target is native, its wrapper has the same id.
   */
  readonly tokenInId: string
  readonly tokenOutId: string
  /** Fraction of the swap's whole amount, 0 to 1, unlike `share`: the percentage of the leg's input token. */
  flow: number
}

export type GraphToken = {
  /** Lower-case address. */
  readonly id: string
  /** Fraction of the swap's amount that passes the token, 0 to 1. */
  flow: number
  /** Length of the longest path of legs from the source token. */
  column: number
  readonly outgoing: GraphLeg[]
  readonly incoming: GraphLeg[]
}

export type RouteGraph = {
  readonly legs: readonly GraphLeg[]
  /** Sorted by column. */
  readonly tokens: readonly GraphToken[]
  readonly lastColumn: number
  readonly sourceId: string
  readonly targetId: string
}

export type RouteToDraw = { readonly src: string; readonly dst: string; readonly swaps: readonly SwapLeg[] }

export function graphOf({ src, dst, swaps }: RouteToDraw): RouteGraph {
  const soldIds = new Set(swaps.map(({ tokenIn }) => tokenIn.toLowerCase()))
  const boughtIds = new Set(swaps.map(({ tokenOut }) => tokenOut.toLowerCase()))
  // Some pools trade the native token, and others trade its wrapper. No leg converts between these two forms. So a
  // token that no leg buys is the source or its other form. Likewise, a token that no leg sells is a form of the
  // target.
  const isWrappedSource = (id: string) => soldIds.has(src.toLowerCase()) && !boughtIds.has(id)
  const isWrappedTarget = (id: string) => boughtIds.has(dst.toLowerCase()) && !soldIds.has(id)
  const legs: GraphLeg[] = swaps.map((swap, index) => {
    const [soldId, boughtId] = [swap.tokenIn.toLowerCase(), swap.tokenOut.toLowerCase()]
    const tokenInId = isWrappedSource(soldId) ? src.toLowerCase() : soldId
    const tokenOutId = isWrappedTarget(boughtId) ? dst.toLowerCase() : boughtId
    return { ...swap, index, tokenInId, tokenOutId, flow: 0 }
  })
  const tokens = new Map<string, GraphToken>()
  const tokenNodeOf = (id: string): GraphToken => {
    const node = tokens.get(id) ?? { id, flow: 0, column: 0, outgoing: [], incoming: [] }
    tokens.set(id, node)
    return node
  }
  for (const leg of legs) {
    tokenNodeOf(leg.tokenInId).outgoing.push(leg)
    tokenNodeOf(leg.tokenOutId).incoming.push(leg)
  }
  // If no leg trades the source itself, the input token of the first leg is its wrapper. The same holds for the target.
  const sourceId = tokens.has(src.toLowerCase()) ? src.toLowerCase() : legs[0]!.tokenInId
  const targetId = tokens.has(dst.toLowerCase()) ? dst.toLowerCase() : legs.at(-1)!.tokenOutId
  // Finds the longest path from the source to each token. The number of rounds is limited, because a route may have a
  // cycle.
  for (let round = 0; round < tokens.size; round++)
    for (const leg of legs) {
      const from = tokenNodeOf(leg.tokenInId)
      const to = tokenNodeOf(leg.tokenOutId)
      if (to.column <= from.column) to.column = from.column + 1
    }
  const lastColumn = Math.max(...[...tokens.values()].map(({ column }) => column))
  tokenNodeOf(targetId).column = lastColumn
  const tokensByColumn = [...tokens.values()].sort((a, b) => a.column - b.column)
  tokenNodeOf(sourceId).flow = 1
  for (const { flow, outgoing } of tokensByColumn) {
    const totalShare = outgoing.reduce((sum, leg) => sum + leg.share, 0) || 1
    for (const leg of outgoing) {
      leg.flow = (flow * leg.share) / totalShare
      tokenNodeOf(leg.tokenOutId).flow += leg.flow
    }
  }
  return { legs, tokens: tokensByColumn, lastColumn, sourceId, targetId }
}

/** A leg, or several thin legs (`foldedLegs`) that the diagram shows as one mark (gate). */
export type ShownLeg = GraphLeg & { readonly foldedLegs?: readonly GraphLeg[] }

/** Fraction of the swap's amount below which a leg is thin and may be folded. */
const THIN_FLOW = 0.03

/** Folds thin legs between the same two tokens into one mark (gate), so that all marks of a column can have labels. */
export function foldThinLegs(legs: readonly GraphLeg[], maxGatesPerPair: number): readonly ShownLeg[] {
  const gateLimit = legs.length > 30 ? Math.min(maxGatesPerPair, 4) : maxGatesPerPair
  return legsByPair(legs).flatMap((members): readonly ShownLeg[] => {
    const thinLegs = members.slice(gateLimit - 1).filter((leg) => leg.flow < THIN_FLOW)
    if (thinLegs.length < 2) return members
    const sum = (name: 'share' | 'flow') => thinLegs.reduce((total, leg) => total + leg[name], 0)
    const foldedLeg = {
      ...thinLegs[0]!,
      dex: `${thinLegs.length} more`,
      foldedLegs: thinLegs,
      share: sum('share'),
      flow: sum('flow'),
    }
    return [...members.filter((leg) => !thinLegs.includes(leg)), foldedLeg]
  })
}

/** Groups legs by their two tokens, thickest first. */
function legsByPair(legs: readonly GraphLeg[]): readonly GraphLeg[][] {
  const legsByKey = new Map<string, GraphLeg[]>()
  for (const leg of legs) {
    const key = `${leg.tokenInId}>${leg.tokenOutId}`
    const members = legsByKey.get(key) ?? []
    members.push(leg)
    legsByKey.set(key, members)
  }
  return [...legsByKey.values()].map((members) => members.sort((a, b) => b.flow - a.flow))
}

/** The legs of a token pair, with their total fraction of the swap's amount. */
export type Strip = {
  readonly tokenInId: string
  readonly tokenOutId: string
  readonly flow: number
  readonly legs: readonly GraphLeg[]
}

/** Returns one strip per token pair for narrow screens, sorted by column, then by flow. */
export function stripsOf(graph: RouteGraph): readonly Strip[] {
  const columnByToken = new Map(graph.tokens.map(({ id, column }) => [id, column]))
  return legsByPair(graph.legs)
    .map((legs) => ({
      tokenInId: legs[0]!.tokenInId,
      tokenOutId: legs[0]!.tokenOutId,
      legs,
      flow: legs.reduce((sum, leg) => sum + leg.flow, 0),
    }))
    .sort((a, b) => columnByToken.get(a.tokenInId)! - columnByToken.get(b.tokenInId)! || b.flow - a.flow)
}
