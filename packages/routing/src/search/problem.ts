/** One request made ready for the search: which edges it may use, with the taxes of its ends folded in. */
import { type Address, NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import type { Edge, Graph } from '../graph.ts'
import type { RejectedSource, RouteRequest } from '../types.ts'
import { withTax } from './response.ts'

export type Problem = {
  /** ERC-20 that is sold; the wrapper where the request says NATIVE. */
  readonly source: Address
  readonly target: Address
  readonly amountIn: bigint
  readonly maxHops: number
  readonly maxPools: number
  /** Output base units that a leg through the edge costs in gas and calldata; 0 where both are free or cannot be priced. */
  cost(edge: Edge): number
  /** Whether `cost` is 0 for every edge. */
  readonly free: boolean
  /** Usable edges out of a token. */
  edgesFrom(token: Address): readonly Edge[]
}

export const DEFAULT_MAX_HOPS = 4
export const DEFAULT_MAX_POOLS = 24
const PPM = 1_000_000

/** A taxed token is only ever sold first or bought last: in between every further transfer would be taxed again. */
export class EdgeFilter {
  readonly rejected: RejectedSource[] = []
  private readonly cache = new Map<Address, readonly Edge[]>()
  private readonly banned = new Set<string>()
  private readonly graph: Graph
  private readonly request: RouteRequest
  private readonly source: Address
  private readonly target: Address

  constructor(graph: Graph, request: RouteRequest, source: Address, target: Address) {
    this.graph = graph
    this.request = request
    this.source = source
    this.target = target
  }

  edgesFrom(token: Address): readonly Edge[] {
    let edges = this.cache.get(token)
    if (!edges) {
      edges = (this.graph.edgesFrom.get(token) ?? []).flatMap((edge) => this.admit(edge) ?? [])
      this.cache.set(token, edges)
    }
    return edges
  }

  /** Takes a pool out of this request, for a reason that is told when nothing is found. */
  ban(pool: Pool, reason: string): void {
    this.banned.add(pool.id)
    this.rejected.push({ pool: pool.id, family: pool.family, reason })
    this.cache.clear()
  }

  private admit(edge: Edge): Edge | undefined {
    const { pool, tokenIn, tokenOut } = edge
    const { request, source, target } = this
    if (tokenOut === source || tokenIn === target || this.banned.has(pool.id)) return undefined
    if (request.excludePools?.has(pool.id)) return this.reject(pool, 'excluded by the request')
    if (request.allow && !request.allow(pool)) return this.reject(pool, 'left out by the source filter')
    const taxIn = request.tax?.(tokenIn, pool.id)
    const taxOut = request.tax?.(tokenOut, pool.id)
    if (taxIn && taxIn.sellPpm > 0) {
      if (tokenIn !== source) return undefined
      if (!familyOf(pool.family)?.takesTaxedInput)
        return this.reject(pool, 'cannot take a token that is taxed on transfer')
    }
    if (taxOut && taxOut.buyPpm > 0 && tokenOut !== target) return undefined
    const keptIn = 1 - (taxIn?.sellPpm ?? 0) / PPM
    const keptOut = 1 - (taxOut?.buyPpm ?? 0) / PPM
    if (keptIn <= 0 || keptOut <= 0) return this.reject(pool, 'the token takes all of a transfer')
    const response = withTax(edge.response, keptIn, keptOut)
    return response === edge.response ? edge : { ...edge, response }
  }

  private reject(pool: Pool, reason: string): undefined {
    if (!this.rejected.some((source) => source.pool === pool.id))
      this.rejected.push({ pool: pool.id, family: pool.family, reason })
    return undefined
  }
}

/** The ERC-20 behind an end of the route; null where NATIVE has no wrapper. */
export function erc20Of(token: Address, wrappedNative: Address | null): Address | null {
  return token === NATIVE ? wrappedNative : token
}
