/** Public types of the routing package: requests, routes, proofs, and refusals. */
import type { Address } from '@sluice/chains'
import type { Pool, Trust } from '@sluice/liquidity'
import type { SourceFilter } from './sources.ts'
import type { Taxes } from './taxes.ts'

/** ERC-20 interface of the native asset. */
export type NativeErc20 = {
  readonly token: Address
  /**
   * Base units of the token that are worth one wei. Differs from 1 if the token has other decimals than the native
   * asset.
   */
  readonly unitsPerWei: number
}

/**
 * Discount on a pool's output, by pool id, in ppm. It affects only how routes are ranked: reported amounts are not
 * discounted. A pool with a discount of 1,000,000 ppm is excluded.
 */
export type DriftPenalties = ReadonlyMap<string, number>

/**
 * Measured gas of one direction of a pool, before refunds, by the position of the leg in its route: `first`, `last`, or
 * `middle` (between them). The first leg also pulls its input from the sender; the last leg also pays the Guard.
 */
export type MeasuredHop = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly first: number
  readonly middle: number
  readonly last: number
}

/**
 * Learned gas by pool id: either an offset from the gas of the pool's family, which may be negative, or measured hops.
 */
export type LearnedGas = ReadonlyMap<string, number | readonly MeasuredHop[]>

/** All fields of a request except the amount. Plain data, so that it can be posted to a worker thread. */
export type RouteTerms = {
  /** ERC-20 address or NATIVE. If the input or output is NATIVE, NATIVE and its wrapper count as one token. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly wrappedNative: Address | null
  /** ERC-20 form of the native asset; used to price gas on chains without a wrapper. */
  readonly nativeErc20?: NativeErc20
  /** Wei per unit of gas. With 0, routes are ranked by gross output. */
  readonly gasPriceWei: bigint
  /** Wei per byte of calldata on rollups; 0 on other chains. */
  readonly l1FeePerByteWei?: number
  /** Maximum number of pools in series, 1–4; default 4. */
  readonly maxHops?: number
  /** Maximum number of pools of a route; default 24. With 1, the trade is not divided. */
  readonly maxSplits?: number
  /** Work limit of the search, in units of `WorkBudget`; default `MAX_WORK`. */
  readonly work?: number
  /** Ids of pools that the route must not use. */
  readonly excludePools?: ReadonlySet<string>
  /** Directions of pools that are known to accept less input than the states of the pools imply. */
  readonly inputLimits?: readonly InputLimit[]
  /** Output discounts of pools that paid less in transactions than they quoted. */
  readonly driftPenalties?: DriftPenalties
  /** Gas of pools, learned from simulations. */
  readonly learnedGas?: LearnedGas
  /** Families and DEXes whose pools may be used; all if absent. */
  readonly sources?: SourceFilter
  /** Tokens and pools that the route may pass through between its ends; no restriction if absent. */
  readonly trust?: Trust
  /**
   * Admits untrusted sampled pools that trade the input or output token. Such a pool may pay less in a transaction than
   * in a simulation, so the caller must compare the route with a route without them. Default: false.
   */
  readonly withSampled?: boolean
  /** Transfer taxes of tokens. Tokens without an entry are treated as untaxed. */
  readonly taxes?: Taxes
  /**
   * When to compute the bound after gas, which takes about as long as the search itself. Default: together with the
   * route. `later`: when the callback in the result is called; not supported for exact-output requests, where it is
   * computed together with the route.
   */
  readonly boundAfterGas?: 'later' | 'never'
  /** Requests a proof of the bound. Ignored for exact-output requests. */
  readonly proof?: boolean
  /**
   * Maximum number of alternatives that are returned with the best route. Once gas is measured, an alternative may turn
   * out to be better. Default: 0.
   */
  readonly maxAlternatives?: number
}

/** Largest input that a pool takes in one direction, in base units. */
export type InputLimit = {
  readonly poolId: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly maxInput: bigint
}

/** An exact-input request: maximize the output. */
export type RouteRequest = RouteTerms & {
  /** Base units, greater than 0. */
  readonly amountIn: bigint
}

/** An exact-output request: minimize the input. */
export type ExactOutputRequest = RouteTerms & {
  /** Minimum output in base units, greater than 0: before a convenience fee, after known token taxes. */
  readonly amountOut: bigint
}

/** One swap of a route. Legs are listed in execution order. */
export type Leg = {
  readonly pool: Pool
  /**
   * Tokens as the pool trades them, never NATIVE: pools of the native token have the zero address, all others the
   * wrapper.
   */
  readonly tokenIn: Address
  readonly tokenOut: Address
  /**
   * Share of the current balance of `tokenIn` that the leg sells: floor(balance × num / den); num = den sells the whole
   * balance. If the sender brings NATIVE, the native balance and the wrapper balance count as one. A leg that sells the
   * wrapper then wraps its share implicitly, without a separate leg.
   */
  readonly num: bigint
  readonly den: bigint
  /** Base units sent to the pool, before any tax of the token. */
  readonly amountIn: bigint
  /** Base units received from the pool, after any tax of the token. */
  readonly amountOut: bigint
  /** Gas of the swap by the model of its pool, with tick crossings, without learned gas. */
  readonly gas: number
  /**
   * Names of the storage slots that this swap writes and other swaps of the pool might not. Their gas is learned
   * separately.
   */
  readonly writes?: readonly string[]
}

/** A route: legs with their amounts in exact integers, the gas of the route, and its distance from the upper bound. */
export type RoutePlan = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /**
   * Output in exact integers by the models of the pools, after known token taxes: the amount that the sender receives
   * before a convenience fee.
   */
  readonly amountOut: bigint
  /** Empty for a pure wrap or unwrap. */
  readonly legs: readonly Leg[]
  /** Gas of all legs, plus the shared wrap or unwrap if an end is NATIVE. An estimate for ranking, not a gas limit. */
  readonly gas: number
  /** Cost of the gas in base units of the output token; null if the native token cannot be priced in it. */
  readonly gasCostOut: bigint | null
  /**
   * Output in base units at the mid prices before the trade, without fees or price impact; null if unknown. Pools of
   * dust count at their average prices.
   */
  readonly midAmountOut: bigint | null
  /** Distance of the output from the upper bound on all routes, in basis points; null if no bound was found. */
  readonly optimalityGapBps: number | null
  /** Like `optimalityGapBps`, with both the output and the bound net of gas; null if no bound was found. */
  readonly optimalityGapNetBps: number | null
}

/** One pool's term in the sum of a proof. */
export type ProvedPool = {
  readonly pool: Pool
  /** Swaps covered by this term, as [token sold, token bought] pairs in the pool's own tokens. */
  readonly pairs: readonly (readonly [Address, Address])[]
  /** Upper bound on the earnings of these swaps at the proof's prices: an integer at the proof's scale. */
  readonly earned: bigint
  /**
   * True if the optimal trade at the proof's prices reaches the end of the price curve. The pool itself may trade
   * further.
   */
  readonly isCut: boolean
}

/**
 * Proof of an upper bound, before gas, on the output of all routes that use each direction of a pool at most once. By
 * weak duality, the bound is the input valued at its price, plus the maximum earnings of each pool at the prices.
 */
export type BoundProof = {
  /** Scale: prices and earnings are integers in output base units × 10^decimals. */
  readonly decimals: number
  /**
   * Prices of each token after 0, 1, … `maxHops` pools of a path. If an end is NATIVE, the wrapper's address stands for
   * both. The price of the output token is 10^decimals.
   */
  readonly prices: readonly (readonly [Address, readonly bigint[]])[]
  /** Sorted by earnings, highest first. */
  readonly pools: readonly ProvedPool[]
  /** Number and total earnings of the pools that `pools` does not list, because its length is limited. */
  readonly beyond: { readonly pools: number; readonly earned: bigint }
  /**
   * Added to the sum for float rounding, and for fees that one swap leaves in a pool of several tokens for the next
   * swap. At the proof's scale.
   */
  readonly allowance: bigint
  /** The proved bound on the output, in base units, rounded up. */
  readonly bound: bigint
  /** Maximum number of pools in series of the routes that the bound covers. */
  readonly maxHops: number
}

/** A pool that was left out of a search, with the reason. */
export type RejectedPool = { readonly pool: string; readonly family: string; readonly reason: string }

/** Result of a search: a route, or the reason why there is none. */
export type RouteResult =
  | {
      readonly ok: true
      readonly route: RoutePlan
      /**
       * Alternatives to `route` whose measured gas may show them to be better; present only if the request allows for
       * some.
       */
      readonly alternatives?: readonly RoutePlan[]
      /** Present only if the request asks for a proof; null if no bound was found. */
      readonly proof?: BoundProof | null
      /**
       * Computes `optimalityGapNetBps` of all routes above and sets it in place; null until then. Present only for
       * `boundAfterGas: 'later'`.
       */
      readonly boundAfterGas?: () => void
    }
  | {
      readonly ok: false
      /** BAD_TOKEN: one of the two tokens charges its sender in addition to the amount sent. */
      readonly code: 'UNKNOWN_TOKEN' | 'BAD_TOKEN' | 'NO_ROUTE' | 'INSUFFICIENT_LIQUIDITY'
      readonly message: string
      readonly reasons: readonly RejectedPool[]
      /** Largest input that can be routed, in base units; absent if no amount can be. */
      readonly maxRoutableAmount?: bigint
      /** Largest output that can be routed, in base units, for exact-output requests; absent if none can be. */
      readonly maxOutputAmount?: bigint
    }
