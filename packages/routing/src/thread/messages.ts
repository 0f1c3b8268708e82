/** Messages between a process and a thread that routes for it. */
import type { Pool, Snapshot } from '@sluice/liquidity'
import { RoutingError, type RoutingErrorCode } from '../errors.ts'
import type {
  BoundProof,
  ExactOutputRequest,
  Leg,
  ProvedPool,
  Route,
  RouteRequest,
  RouteResult,
  RouteTerms,
} from '../types.ts'

export type ToThread =
  /** Brings the thread's pools of a chain nearer to a block. */
  | {
      readonly do: 'change'
      readonly chainId: number
      readonly changed: readonly Pool[]
      readonly gone: readonly string[]
    }
  /** The same as entries, in memory that all threads read; they follow upon what the thread has. */
  | { readonly do: 'follow'; readonly chainId: number; readonly entries: readonly Uint8Array[] }
  /** A part that many requests of a chain have in common; in the place of the one of the same name. */
  | { readonly do: 'share'; readonly chainId: number; readonly name: string; readonly terms: SharedTerms }
  | {
      readonly do: 'find'
      readonly chainId: number
      readonly block: Snapshot['block']
      readonly request: PlainRequest
      /** Names of the parts that were told before. */
      readonly shared: readonly string[]
    }
  | { readonly do: 'forget'; readonly chainId: number }

/** Terms that many requests of a chain have in common, and that grow with what is known of it. */
export type SharedTerms = Pick<RouteTerms, 'trust' | 'taxes' | 'haircuts' | 'learnedGas'>

/** A request without what goes ahead of it, once. */
export type PlainRequest = Omit<RouteRequest, keyof SharedTerms> | Omit<ExactOutputRequest, keyof SharedTerms>

/** The parts of a request that go ahead, by name: requests differ in the level of trust that they ask for. */
export function sharedTerms({
  trust,
  taxes,
  haircuts,
  learnedGas,
}: RouteRequest | ExactOutputRequest): ReadonlyMap<string, SharedTerms> {
  const terms = new Map<string, SharedTerms>()
  if (trust) terms.set(`trust ${trust.level}`, { trust })
  if (taxes) terms.set('taxes', { taxes })
  if (haircuts) terms.set('haircuts', { haircuts })
  if (learnedGas) terms.set('learned gas', { learnedGas })
  return terms
}

export function ownTerms({
  trust,
  taxes,
  haircuts,
  learnedGas,
  ...own
}: RouteRequest | ExactOutputRequest): PlainRequest {
  return own
}

/** Pools go back as their ids: the process has them. */
export type PlainRoute = Omit<Route, 'legs'> & { readonly legs: readonly PlainLeg[] }
export type PlainLeg = Omit<Leg, 'pool'> & { readonly pool: string }
export type PlainProof = Omit<BoundProof, 'pools'> & {
  readonly pools: readonly (Omit<ProvedPool, 'pool'> & { readonly pool: string })[]
}
export type PlainResult =
  | {
      readonly ok: true
      readonly route: PlainRoute
      readonly rivals?: readonly PlainRoute[]
      readonly proof?: PlainProof | null
    }
  | Extract<RouteResult, { ok: false }>

export type FromThread =
  /** A graph was made for the search, which begins; one that is known needs none. */
  | { readonly prepared: true }
  | { readonly result: PlainResult }
  /** A fault of the search; of errors, messages keep no more than the built-in class and the text. */
  | { readonly error: Error; readonly code?: RoutingErrorCode }

export function toPlain(result: RouteResult): PlainResult {
  if (!result.ok) return result
  const plain = (route: Route) => ({ ...route, legs: route.legs.map((leg) => ({ ...leg, pool: leg.pool.id })) })
  const { rivals, proof } = result
  return {
    ok: true,
    route: plain(result.route),
    ...(rivals && { rivals: rivals.map(plain) }),
    ...(proof !== undefined && { proof: proof && { ...proof, pools: proof.pools.map(ofPool) } }),
  }
}

const ofPool = (proved: ProvedPool) => ({ ...proved, pool: proved.pool.id })

/** @throws the error that the search ended with */
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
  const whole = (route: PlainRoute) => {
    return { ...route, legs: route.legs.map((leg) => ({ ...leg, pool: pools.get(leg.pool)! })) }
  }
  const { rivals, proof } = result
  const pool = (id: string) => pools.get(id)!
  return {
    ok: true,
    route: whole(result.route),
    ...(rivals && { rivals: rivals.map(whole) }),
    ...(proof !== undefined && {
      proof: proof && { ...proof, pools: proof.pools.map((proved) => ({ ...proved, pool: pool(proved.pool) })) },
    }),
  }
}
