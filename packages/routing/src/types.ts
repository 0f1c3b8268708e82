import type { Address } from '@sluice/chains'
import type { Pool, Trust } from '@sluice/liquidity'
import type { SourceFilter } from './sources.ts'
import type { Taxes } from './taxes.ts'

export type NativeErc20 = {
  readonly token: Address
  /** Base units that are worth a wei: not 1 where the token has other decimals than the native asset. */
  readonly unitsPerWei: number
}

/**
 * Parts per million of a pool's output that routes are ranked without; what they are said to pay is not lessened. Such a pool
 * is left out where that is all of it.
 */
export type Haircuts = ReadonlyMap<string, number>

/**
 * Gas of one direction through a pool as measured, before refunds, by the leg's place in a route: the first leg pulls its input from
 * the sender, the last one pays the Guard.
 */
export type MeasuredHop = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly first: number
  readonly middle: number
  readonly last: number
}

/** By pool: gas of its legs beyond that of the family's row, which may be negative, or gas as measured. */
export type LearnedGas = ReadonlyMap<string, number | readonly MeasuredHop[]>

/** The terms of a trade, its amount apart. Plain data, so that it can be sent to another thread. */
export type RouteTerms = {
  /** ERC-20 or NATIVE; NATIVE and the wrapped native are joined by a free edge. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly wrappedNative: Address | null
  /** The token that prices gas where nothing wraps the native token: the ERC-20 that is worth as much. */
  readonly nativeErc20?: NativeErc20
  /** Wei per gas; 0 ranks by gross output. */
  readonly gasPriceWei: bigint
  /** Wei per byte of calldata on rollups; 0 elsewhere. */
  readonly l1FeePerByteWei?: number
  /** 1–4. */
  readonly maxHops?: number
  /** Most pools a route may use. */
  readonly maxSplits?: number
  /** Units of work that the search may take; MOST_WORK when absent. */
  readonly work?: number
  /** Pools that may not be used. */
  readonly excludePools?: ReadonlySet<string>
  /** Pools, by id, that are not taken at their word. */
  readonly haircuts?: Haircuts
  /** Gas of pools as simulations have shown it. */
  readonly learnedGas?: LearnedGas
  readonly sources?: SourceFilter
  /** Tokens and pools that the route may pass through between its ends; anything when absent. */
  readonly trust?: Trust
  readonly taxes?: Taxes
  /**
   * When the bound after gas is worked out, which takes about as long as a route does: with the route when absent. Of requests for an
   * output, `later` is as if absent.
   */
  readonly boundAfterGas?: 'later' | 'never'
  /** True where the answer carries a proof of the bound; of requests for an input only. */
  readonly proof?: boolean
  /** Most routes that are told beside the best because measuring their gas may show them to be better; none when absent. */
  readonly mostRivals?: number
}

/** A request for the most that an input buys. */
export type RouteRequest = RouteTerms & {
  /** Base units, above 0. */
  readonly amountIn: bigint
}

/** A request for the least input that buys an output. */
export type ExactOutputRequest = RouteTerms & {
  /** The least that the route must pay, base units, above 0: before a convenience fee, after recorded taxes. */
  readonly amountOut: bigint
}

/** One pool used, in execution order. */
export type Leg = {
  readonly pool: Pool
  /** Tokens of the trade; never NATIVE: in pools of the native token the zero address, in all others the wrapper. */
  readonly tokenIn: Address
  readonly tokenOut: Address
  /**
   * Taken from what is held of `tokenIn`: floor(held × num / den); num = den takes all. Where the sender brings NATIVE, that
   * and its wrapper count as one: what legs out of the wrapper take is wrapped at once, and is no leg.
   */
  readonly num: bigint
  readonly den: bigint
  /** Base units sent into the pool, before any tax of the token. */
  readonly amountIn: bigint
  /** Base units received from the pool, after any tax of the token. */
  readonly amountOut: bigint
  readonly gas: number
  /** Slots of the pool that its trade writes and others may not, by name: what they cost is learned apart. */
  readonly writes?: readonly string[]
}

export type Route = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Settled in exact integers, after recorded taxes: what the sender receives before a convenience fee. */
  readonly amountOut: bigint
  /** Empty for a pure wrap or unwrap. */
  readonly legs: readonly Leg[]
  /**
   * Gas of the legs, and of the wrap or unwrap of what the wrapper's pools trade at an end that is NATIVE; for ranking.
   */
  readonly gas: number
  /** Gas in output base units at the request's gas price; null when the native token cannot be priced in the output. */
  readonly gasCostOut: bigint | null
  /** Output base units for the input at the route's marginal prices before the trade; null when not known. */
  readonly midAmountOut: bigint | null
  /**
   * Basis points between the output and the upper bound over the liquidity considered; null where it cannot be
   * computed.
   */
  readonly optimalityGapBps: number | null
  /**
   * The same of what is left after gas: between the output less the gas of the legs and the upper bound of that; null where it
   * cannot be computed.
   */
  readonly optimalityGapNetBps: number | null
}

/** A pool in the sum of a proof. */
export type ProvedPool = {
  readonly pool: Pool
  /** Swaps that the sum covers: token sold and token bought, as the pool has them. */
  readonly pairs: readonly (readonly [Address, Address])[]
  /** The most that it earns by these at the prices, at the proof's scale. */
  readonly earned: bigint
  /** True where that trade ends where the pool's curve does, which may be before the pool itself ends. */
  readonly isCut: boolean
}

/**
 * An upper bound on the output of routes that swap once in each of some pools, by weak duality: the input at its price, and the most that
 * each pool earns at the prices. Gas aside.
 */
export type BoundProof = {
  /** Prices and earnings are integers: output base units times 10 to this power. */
  readonly decimals: number
  /**
   * By token, and by the pools that a path has passed before, from none to `maxHops`. Where the native token is an end, its wrapper stands
   * for both. That of the output is 10^decimals.
   */
  readonly prices: readonly (readonly [Address, readonly bigint[]])[]
  /** The pools that earn most first. */
  readonly pools: readonly ProvedPool[]
  /** Pools above the limit on those listed, and what they earn together. */
  readonly beyond: { readonly pools: number; readonly earned: bigint }
  /** Counted in for the rounding of floats, and for fees that one swap leaves for the next in a pool of several tokens. */
  readonly allowance: bigint
  /** Output base units, rounded up. */
  readonly bound: bigint
  /** Most pools in series of the routes that it covers. */
  readonly maxHops: number
}

export type RejectedSource = { readonly pool: string; readonly family: string; readonly reason: string }

export type RouteResult =
  | {
      readonly ok: true
      readonly route: Route
      /** Routes that may be better by the gas that they are charged; only where the request wants them. */
      readonly rivals?: readonly Route[]
      /** Only where the request wants it; null where none was found. */
      readonly proof?: BoundProof | null
      /** Works out `optimalityGapNetBps` of these routes, which is null until then; only where that was left for later. */
      readonly boundAfterGas?: () => void
    }
  | {
      readonly ok: false
      /** BAD_TOKEN: an end of the trade charges its sender on top of what is sent. */
      readonly code: 'UNKNOWN_TOKEN' | 'BAD_TOKEN' | 'NO_ROUTE' | 'INSUFFICIENT_LIQUIDITY'
      readonly message: string
      readonly reasons: readonly RejectedSource[]
      /** Largest input that does route, base units; absent when none does. */
      readonly maxRoutableAmount?: bigint
      /** For a request for an output, the largest that was found to route, base units; absent when none does. */
      readonly maxOutputAmount?: bigint
    }
