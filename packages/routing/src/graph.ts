/** The pools of one block as a graph over tokens, compiled for the search and shared by all quotes of that block. */
import type { Address } from '@sluice/chains'
import { familyOf, HOP_GAS, type Pool, type Snapshot } from '@sluice/liquidity'
import { compileResponse, type Response } from './search/response.ts'

/** One direction through one pool. */
export type Edge = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly response: Response
  /** Gas of the hop for ranking, before ticks crossed. */
  readonly gas: number
}

export type Graph = {
  readonly snapshot: Snapshot
  readonly edgesOfPool: ReadonlyMap<string, readonly Edge[]>
  /** Edges that sell a token. */
  readonly edgesFrom: ReadonlyMap<Address, readonly Edge[]>
}

/** Gas of a hop whose family has no figure of its own. */
const USUAL_GAS = 120_000

/**
 * Compiles a snapshot; with the graph of the snapshot right before it, only the pools that changed.
 */
export function buildGraph(snapshot: Snapshot, previous?: Graph): Graph {
  const reuse = previous && snapshot.changed ? new Set(snapshot.changed) : undefined
  const edgesOfPool = new Map<string, readonly Edge[]>()
  const edgesFrom = new Map<Address, Edge[]>()
  for (const [id, pool] of snapshot.pools) {
    const kept = reuse && !reuse.has(id) ? previous?.edgesOfPool.get(id) : undefined
    const edges = kept && kept[0]?.pool === pool ? kept : compilePool(pool)
    edgesOfPool.set(id, edges)
    for (const edge of edges) {
      const list = edgesFrom.get(edge.tokenIn)
      if (list) list.push(edge)
      else edgesFrom.set(edge.tokenIn, [edge])
    }
  }
  return { snapshot, edgesOfPool, edgesFrom }
}

function compilePool(pool: Pool): readonly Edge[] {
  const family = familyOf(pool.family)
  if (!family) return []
  const gas = (HOP_GAS as Readonly<Record<string, number>>)[pool.family] ?? USUAL_GAS
  const edges: Edge[] = []
  for (const tokenIn of pool.tokens) {
    for (const tokenOut of pool.tokens) {
      if (tokenIn === tokenOut) continue
      const response = compileResponse(family.curve(pool, tokenIn, tokenOut))
      if (response.liquidity.length > 0) edges.push({ pool, tokenIn, tokenOut, response, gas })
    }
  }
  return edges
}
