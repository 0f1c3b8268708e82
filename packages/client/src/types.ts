/** Requests and responses of the service. Amounts are integers in base units, encoded as decimal strings. */

import type { ClientError } from './errors.ts'

/** Bytes or an address as 0x-prefixed hexadecimal text. */
export type Hex = `0x${string}`

/** Parameters of a transaction with an exact input. */
export type SwapParameters = {
  /** Input token; NATIVE for the native token. */
  readonly src: string
  readonly dst: string
  /** Input in base units of `src`. */
  readonly amount: bigint | string
  readonly from: string
  /** Account that receives the output. Default: `from`. */
  readonly recipient?: string
  /** Percent with at most 4 decimals. With `auto` the service chooses between 0.05 and 3. Default: 0.5. */
  readonly slippage?: number | string
  /** Fee in percent of the output, at most 10. */
  readonly convenienceFee?: number | string
  readonly convenienceFeeRecipient?: string
  readonly minimumBlock?: number
  /** Unix seconds. */
  readonly deadline?: number
  readonly feeExemptKey?: string
  readonly includeSources?: readonly string[]
  readonly excludeSources?: readonly string[]
  readonly excludePools?: readonly string[]
  readonly maxHops?: number
  readonly maxSplits?: number
  /** Minimum trust level of intermediate tokens and pools. Default: `earned`. */
  readonly intermediates?: 'named' | 'earned' | 'any'
  /** Wei per gas. */
  readonly gasPrice?: bigint | string
  /** If 1, the response lists missing approvals and the swap as `calls`. Default: 0. */
  readonly calls?: 0 | 1
  /** Signature that replaces an approval: `permit` of a PermitOffer, followed by the signature. */
  readonly permit?: string
  /** Maximum price impact in percent. The service refuses routes with a higher impact. */
  readonly maxPriceImpact?: number | string
}

/** Parameters of a transaction with an exact output, for which the service finds the smallest input. */
export type ExactOutputParameters = Omit<SwapParameters, 'amount'> & {
  readonly amount?: undefined
  /** Minimum output in base units of `dst`. */
  readonly amountOut: bigint | string
}

/** Parameters of a transaction, with an exact input or an exact output. */
export type RouteParameters = (SwapParameters & { readonly amountOut?: undefined }) | ExactOutputParameters

/** Request for `swap`. The wallet is the sender. */
export type SwapRequest =
  | (Omit<SwapParameters, 'from' | 'permit'> & { readonly amountOut?: undefined })
  | Omit<ExactOutputParameters, 'from' | 'permit'>

/** Parameters of a quote, which needs no sender. */
export type QuoteParameters = Omit<SwapParameters, 'from' | 'amount'> & { readonly from?: string } & (
    | { readonly amount: bigint | string; readonly amountOut?: never }
    /** Minimum output in base units of `dst`; alternative to `amount`. */
    | { readonly amount?: never; readonly amountOut: bigint | string }
  )

/** Parameters of a quote at the newest block or at a past block. */
export type PastQuoteParameters = QuoteParameters & {
  /** Block whose state the service's node still has. Default: the newest block. */
  readonly block?: number
}

/** Unsigned transaction of a swap. */
export type Transaction = {
  readonly from: string
  /** Address of the Guard. */
  readonly to: string
  readonly data: Hex
  /** Wei. */
  readonly value: string
}

/** One swap of a route in one pool. */
export type SwapLeg = {
  readonly pool: string
  readonly protocol: string
  readonly dex: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string
  readonly amountOut: string
  /** Percent of all `tokenIn` that the route sells. */
  readonly share: number
  readonly gas: string
}

/** A route with its transaction. `toAmount` is never 0. */
export type Route = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly toAmount: string
  readonly gasEstimate: string
  readonly simulationBlock: number
  readonly swaps: readonly SwapLeg[]
  readonly tx: Transaction
  /** Present with `calls: 1`: calls to send in this order in one atomic batch, such as by `wallet_sendCalls`. */
  readonly calls?: readonly { readonly to: string; readonly data: Hex; readonly value: string }[]
  readonly minToAmount?: string
  /** Present with `slippage: 'auto'`: the chosen percentage and the reason. */
  readonly slippage?: { readonly percent: number; readonly reason: string }
  readonly blockHash?: string
  /** Number of the block from which the quote is too old. Request a new quote at that block. */
  readonly expiresAtBlock?: number
  /** Id that lets the operator of the service reproduce the quote. */
  readonly quoteId?: string
  /**
   * Loss against the mid price of the same route, in percent. Leaves out dust pools: pools that pay less than half of
   * their mid price, and together take at most 1 % of the input and pay at most 5 % of the output.
   */
  readonly priceImpact?: number | null
  /** Gas charged to the sender after refunds. `gasCost` and `netToAmount` are based on it. */
  readonly gasCharged?: string
  /** Like `gasCharged`, if the transaction is mined at its deadline; pools may need more gas by then. */
  readonly gasChargedAtDeadline?: string
  /**
   * `native` and `l1Fee` in wei; `native` includes `l1Fee`, the fee for publishing the transaction on the parent chain.
   */
  readonly gasCost?: { readonly native: string; readonly usd: number | null; readonly l1Fee: string | null }
  /** `toAmount` less the cost of gas. */
  readonly netToAmount?: string | null
  /**
   * Basis points by which the output is below an upper bound on all permitted routes through the known pools, before
   * gas.
   */
  readonly optimalityGap?: number | null
  /** Like `optimalityGap`, after gas. */
  readonly optimalityGapNet?: number | null
  /** Present until the service has found all pools of the chain. Until then, a later quote may be better. */
  readonly poolsPending?: true
  readonly warnings?: readonly string[]
}

/** A route without a transaction. */
export type Quote = Omit<Route, 'tx'>

/** Parameters of a request for permit offers. */
export type PermitParameters = {
  readonly src: string
  readonly from: string
  /** Base units. */
  readonly amount: bigint | string
  /** Unix seconds, at most a day ahead. */
  readonly deadline?: number
  /** Expected spender. Not sent to the service. Required on chains with a Guard that this package does not know. */
  readonly guard?: string
}

/** A permit that the owner of a token may sign. */
export type PermitOffer = {
  readonly kind: 'eip2612' | 'dai' | 'permit2'
  /** True if the signature has no amount: until the owner revokes it, the Guard may draw any amount. */
  readonly unlimited: boolean
  /** Transaction that the owner must send once before signing; null if none is needed. */
  readonly approval: {
    readonly to: string
    readonly data: Hex
    readonly value: string
    /** True if the transaction approves Permit2 for the maximum amount. */
    readonly unlimited?: boolean
    /** Transaction to send before, for tokens that change an allowance only from zero. */
    readonly reset?: { readonly to: string; readonly data: Hex; readonly value: string }
  } | null
  /** Message for `eth_signTypedData_v4`. */
  readonly typedData: object
  /** Value of the `permit` parameter of a swap, to which the signature is appended. */
  readonly permit: string
}

/** Event of a quote stream. */
export type QuoteEvent =
  /** The first quote, and each quote that differs from the last one. Has a transaction if `from` was given. */
  | { readonly event: 'quote'; readonly data: Route | Quote }
  /** The latest quote or refusal still holds at this block. */
  | { readonly event: 'block'; readonly data: { readonly simulationBlock: number; readonly blockHash: string } }
  /** The service has no quote at this block. */
  | {
      readonly event: 'refused'
      readonly data: { readonly error: string; readonly code: string }
      /** `NO_ROUTE` when the service has no route at this block, `HTTP` for other failures. */
      readonly error: ClientError
    }

/** Parameters of a simulated call. */
export type SimulateParameters = {
  readonly from: string
  readonly to: string
  readonly data: string
  readonly tokenIn: string
  readonly amountIn: bigint | string
  readonly tokenOut: string
  readonly gasPrice?: bigint | string
  readonly gas?: bigint | string
  readonly block?: number | string
  readonly spender?: string
  readonly coinbase?: string
  readonly balanceSlot?: bigint | string
  readonly allowanceSlot?: bigint | string
}

/** Result of a simulated call. */
export type SimulationResult = {
  readonly success: boolean
  readonly amountOut: string
  readonly gasUsed: number
  readonly returnData: Hex
  readonly revertReason?: string
  readonly block: string
}

/** A chain that the service supports. */
export type ChainEntry = {
  readonly ChainID: string
  readonly ChainName: string
  readonly RouterAddress: string
  readonly TrackerName: string
  readonly CoinsPrefix?: string | null
  readonly Status?: 'deployed' | 'predicted'
  readonly L1FeeModel?: string
}

/** A token in the format of Uniswap's token lists. */
export type ListedToken = {
  readonly chainId: number
  readonly address: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logoURI?: string
  /** `copy`: the symbol equals, or looks like, the symbol of another token. */
  readonly tags: readonly ('native' | 'registry' | 'found' | 'unlisted' | 'copy')[]
  readonly extensions: { readonly depthUsd: number | null; readonly copyOf?: string }
}

/** Filter of a token list. */
export type TokenListParameters = {
  /** Part of a symbol or name, or a whole address. */
  readonly q?: string
  readonly limit?: number
}

/** Changes of the simulated output of recent quotes, some blocks after the quote. */
export type Drift = {
  /** Number of blocks after the quote: 1 or 2. */
  readonly after: number
  readonly samples: number
  readonly wouldRevertPercent: number
  /**
   * Basis points by which the simulated output exceeds the quote. Negative if it is lower, null if no simulation
   * succeeded.
   */
  readonly driftBps: {
    readonly mean: number | null
    readonly median: number | null
    /** 5 % of the quotes drift this much or worse. */
    readonly worst5: number | null
  }
}

/** Drift statistics of a chain: in total, and by protocol family, brand and pool. */
export type Stats = {
  readonly chainId: number
  /** Setting of the service: percent of the calls to its node that may be spent on samples. */
  readonly samplePercent: number
  /** Samples since the service started. */
  readonly samples: number
  /** Samples without a result. */
  readonly missed: number
  /** Drift one and two blocks after the quote. */
  readonly blocks: readonly Drift[]
  readonly families: readonly { readonly protocol: string; readonly blocks: readonly Drift[] }[]
  readonly brands: readonly { readonly dex: string; readonly blocks: readonly Drift[] }[]
  readonly pools: readonly {
    readonly pool: string
    readonly protocol: string
    readonly dex: string
    readonly blocks: readonly Drift[]
  }[]
  /** Pools that repeatedly paid less than quoted, in descending order of `haircutPercent`. */
  readonly withdrawing: readonly {
    readonly pool: string
    readonly protocol: string
    readonly dex: string
    /** Percent deducted from the pool's output when routes are ranked; 100 while the pool is excluded. */
    readonly haircutPercent: number
    /** Unix seconds; null if the pool is not excluded. */
    readonly leftOutUntil: number | null
    /** Number of samples; older samples have less weight. */
    readonly samples: number
    /** Number of these samples in which the pool paid too little. */
    readonly withdrew: number
  }[]
}

/** State of a transaction. Amounts are in base units, gas costs in wei. Unknown values are null. */
export type TransactionStatus = {
  readonly hash: string
  /** `unknown`: no node has the transaction. `landed`: mined and successful. `reverted`: mined and failed. */
  readonly status: 'unknown' | 'pending' | 'landed' | 'reverted'
  readonly block: number | null
  readonly blockHash: string | null
  /** Number of blocks from `block` to the newest block, both included. */
  readonly confirmations: number | null
  readonly from: string | null
  readonly to: string | null
  /** Gas used after refunds. */
  readonly gasUsed: string | null
  readonly gasCost: { readonly native: string; readonly l1Fee: string | null } | null
  /** Order in the calldata; null if the transaction does not call the Guard directly. */
  readonly swap: SwapStatus | null
  /** Reason of a revert. */
  readonly reason: string | null
}

/** Order of a transaction and the amounts that moved. */
export type SwapStatus = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly minToAmount: string
  /** Unix seconds. */
  readonly deadline: number
  /** Input that left the sender. */
  readonly spent: string | null
  /** Output that reached the recipient. */
  readonly received: string | null
  /** `toAmount` of the quote; absent if the caller did not pass it. */
  readonly quoted?: string
  /** Percent by which `received` exceeds `quoted`. */
  readonly difference?: number | null
}

/**
 * Address that stands for a chain's native token in requests and responses.
 *
 * @example
 * ```ts
 * const request = { src: NATIVE, dst, amount: 10n ** 18n }
 * ```
 */
export const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
