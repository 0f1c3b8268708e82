/** Messages between the process and its routing threads. Terms are fields of a request, such as its trust list. */
import type { Pool, Snapshot } from '@sluice/liquidity'
import { RoutingError, type RoutingErrorCode } from '../errors.ts'
import type {
  BoundProof,
  ExactOutputRequest,
  Leg,
  ProvedPool,
  RoutePlan,
  RouteRequest,
  RouteResult,
  RouteTerms,
} from '../types.ts'

export type ToThread =
  /** Updates the thread's pools of a chain. */
  | {
      readonly do: 'change'
      readonly chainId: number
      readonly changedPools: readonly Pool[]
      readonly goneIds: readonly string[]
    }
  /** Updates the thread's pools by log entries in shared memory, which continue from its current state. */
  | { readonly do: 'follow'; readonly chainId: number; readonly entries: readonly Uint8Array[] }
  /** Sets shared terms of a chain. Replaces the terms with the same name. */
  | { readonly do: 'share'; readonly chainId: number; readonly name: string; readonly terms: SharedTerms }
  /** Runs a search. The thread answers with a result or an error. */
  | {
      readonly do: 'find'
      readonly chainId: number
      readonly block: Snapshot['block']
      readonly request: PlainRequest
      /** Names of shared terms that apply to the request. */
      readonly sharedNames: readonly string[]
    }
  /** Frees all memory of a chain. */
  | { readonly do: 'forget'; readonly chainId: number }

/** Terms that many requests of a chain share. They may be large, so they are sent only when they change. */
export type SharedTerms = Pick<RouteTerms, 'trust' | 'taxes' | 'driftPenalties' | 'learnedGas'>

/** A request without its shared terms. */
export type PlainRequest = Omit<RouteRequest, keyof SharedTerms> | Omit<ExactOutputRequest, keyof SharedTerms>

/** Returns the shared terms of a request by name. Trust terms have a name for each trust level. */
export function sharedTerms({
  trust,
  taxes,
  driftPenalties,
  learnedGas,
}: RouteRequest | ExactOutputRequest): ReadonlyMap<string, SharedTerms> {
  const terms = new Map<string, SharedTerms>()
  if (trust) terms.set(`trust ${trust.level}`, { trust })
  if (taxes) terms.set('taxes', { taxes })
  if (driftPenalties) terms.set('driftPenalties', { driftPenalties })
  if (learnedGas) terms.set('learned gas', { learnedGas })
  return terms
}

/** Returns a request without its shared terms. */
export function withoutSharedTerms({
  trust,
  taxes,
  driftPenalties,
  learnedGas,
  ...plainRequest
}: RouteRequest | ExactOutputRequest): PlainRequest {
  return plainRequest
}

/** A route in a message, with pool ids in place of the pools, which the main thread has. */
export type PlainRoute = Omit<RoutePlan, 'legs'> & { readonly legs: readonly PlainLeg[] }
export type PlainLeg = Omit<Leg, 'pool'> & { readonly pool: string }
export type PlainProof = Omit<BoundProof, 'pools'> & {
  readonly pools: readonly (Omit<ProvedPool, 'pool'> & { readonly pool: string })[]
}
export type PlainResult =
  | {
      readonly ok: true
      readonly route: PlainRoute
      readonly alternatives?: readonly PlainRoute[]
      readonly proof?: PlainProof | null
    }
  | Extract<RouteResult, { ok: false }>

export type FromThread =
  /** The thread has built the graph, and the search begins. Not sent if the graph was cached. */
  | { readonly prepared: true }
  | { readonly result: PlainResult }
  /** The search failed. A posted error keeps only its built-in class and its text, so the code is a separate field. */
  | { readonly error: Error; readonly code?: RoutingErrorCode }

/** Replaces pools by their ids. */
export function toPlain(result: RouteResult): PlainResult {
  if (!result.ok) return result
  const plainRoute = (route: RoutePlan) => ({
    ...route,
    legs: route.legs.map((leg) => ({ ...leg, pool: leg.pool.id })),
  })
  const { alternatives, proof } = result
  return {
    ok: true,
    route: plainRoute(result.route),
    ...(alternatives && { alternatives: alternatives.map(plainRoute) }),
    ...(proof !== undefined && { proof: proof && { ...proof, pools: proof.pools.map(plainProofPool) } }),
  }
}

const plainProofPool = (provedPool: ProvedPool) => ({ ...provedPool, pool: provedPool.pool.id })

/**
 * Replaces ids by pools.
 *
 * @throws the error of the search
 */
export function fromPlain(
  answer: Exclude<FromThread, { prepared: true }>,
  pools: ReadonlyMap<string, Pool>,
): RouteResult {
  if ('error' in answer) {
    const { error, code } = answer
    throw code === undefined ? error : new RoutingError(code, error.message, { cause: error })
  }
  const { result } = answer
  if (!result.ok) return result
  const withPools = (route: PlainRoute) => {
    return { ...route, legs: route.legs.map((leg) => ({ ...leg, pool: pools.get(leg.pool)! })) }
  }
  const { alternatives, proof } = result
  const poolOf = (id: string) => pools.get(id)!
  return {
    ok: true,
    route: withPools(result.route),
    ...(alternatives && { alternatives: alternatives.map(withPools) }),
    ...(proof !== undefined && {
      proof: proof && {
        ...proof,
        pools: proof.pools.map((provedPool) => ({ ...provedPool, pool: poolOf(provedPool.pool) })),
      },
    }),
  }
}
