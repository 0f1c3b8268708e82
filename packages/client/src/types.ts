/** Requests and answers of the service. Amounts are integers in base units, as decimal strings on the wire. */

import type { ClientError } from './errors.ts'

export type Hex = `0x${string}`

export type SwapParameters = {
  /** Input token; NATIVE for the native token. */
  readonly src: string
  readonly dst: string
  /** Base units of `src`. */
  readonly amount: bigint | string
  readonly from: string
  /** Account that receives the output; `from` when absent. */
  readonly recipient?: string
  /** Percent, at most 4 decimals; `auto` leaves it to the service, from 0.05 to 3. 0.5 when absent. */
  readonly slippage?: number | string
  /** Percent of the output, at most 10. */
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
  /** Trust that tokens and pools between the route's ends must have. `earned` when absent. */
  readonly intermediates?: 'named' | 'earned' | 'any'
  /** Wei per gas. */
  readonly gasPrice?: bigint | string
  /** Approvals that the sender lacks come along as `calls`. */
  readonly calls?: 0 | 1
  /** A signature in the place of an approval: `permit` of a PermitOffer with the signature behind it. */
  readonly permit?: string
  /** Percent. */
  readonly maxPriceImpact?: number | string
}

/** Parameters of an exact output: the service finds the smallest input for it. */
export type ExactOutputParameters = Omit<SwapParameters, 'amount'> & {
  readonly amount?: undefined
  /** Lowest output, base units of `dst`. */
  readonly amountOut: bigint | string
}

/** Parameters of a transaction: an exact input, or an exact output. */
export type RouteParameters = (SwapParameters & { readonly amountOut?: undefined }) | ExactOutputParameters

/** Request of a swap whose sender is the wallet. */
export type SwapRequest =
  | (Omit<SwapParameters, 'from' | 'permit'> & { readonly amountOut?: undefined })
  | Omit<ExactOutputParameters, 'from' | 'permit'>

/** Parameters of a price before there is a wallet. */
export type QuoteParameters = Omit<SwapParameters, 'from' | 'amount'> & { readonly from?: string } & (
    | { readonly amount: bigint | string; readonly amountOut?: never }
    /** Lowest output, base units of `dst`, in place of an input. */
    | { readonly amount?: never; readonly amountOut: bigint | string }
  )

/** Parameters of a price now, or at a past block. */
export type PastQuoteParameters = QuoteParameters & {
  /** A past block whose state the service's node still has; the newest when absent. */
  readonly block?: number
}

export type Transaction = {
  readonly from: string
  /** The Guard Contract. */
  readonly to: string
  readonly data: Hex
  /** Wei. */
  readonly value: string
}

export type SwapLeg = {
  readonly pool: string
  readonly protocol: string
  readonly dex: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: string
  readonly amountOut: string
  readonly share: number
  readonly gas: string
}

/** A route that exists: `tx` is there and `toAmount` is not 0, in both versions of the interface. */
export type Route = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly toAmount: string
  readonly gasEstimate: string
  readonly simulationBlock: number
  readonly swaps: readonly SwapLeg[]
  readonly tx: Transaction
  /** With `calls: 1`: for `wallet_sendCalls` and smart accounts, to be made in this order, all or none. */
  readonly calls?: readonly { readonly to: string; readonly data: Hex; readonly value: string }[]
  readonly minToAmount?: string
  /** With `slippage: 'auto'`: what was chosen, and why. */
  readonly slippage?: { readonly percent: number; readonly reason: string }
  readonly blockHash?: string
  /** Once the chain's head is here, the quote should be asked for again. */
  readonly expiresAtBlock?: number
  /** Id by which the operator of the service makes the quote again. */
  readonly quoteId?: string
  readonly priceImpact?: number | null
  /** Gas that the sender is charged, after refunds: `gasCost` and `netToAmount` count it. */
  readonly gasCharged?: string
  /** The same when it is mined at its deadline: more if something falls due before then. */
  readonly gasChargedAtDeadline?: string
  readonly gasCost?: { readonly native: string; readonly usd: number | null; readonly l1Fee: string | null }
  readonly netToAmount?: string | null
  /** Basis points below an upper bound on every admitted route through the known pools of the block, before gas. */
  readonly optimalityGap?: number | null
  /** The same after gas. */
  readonly optimalityGapNet?: number | null
  /** The service has not found all pools of the chain: a better route may be found later. */
  readonly poolsPending?: true
  readonly warnings?: readonly string[]
}

/** A route without the transaction of anybody. */
export type Quote = Omit<Route, 'tx'>

export type PermitParameters = {
  readonly src: string
  readonly from: string
  /** Base units. */
  readonly amount: bigint | string
  /** Unix seconds, at most a day away. */
  readonly deadline?: number
  /** The Guard that the owner allows to draw: not sent to the service, and needed where this package does not know the Guard. */
  readonly guard?: string
}

/** One form of permission that an owner may sign. */
export type PermitOffer = {
  readonly kind: 'eip2612' | 'dai' | 'permit2'
  readonly unlimited: boolean
  /** The transaction that the owner sends first, once; null where nothing is missing. */
  readonly approval: {
    readonly to: string
    readonly data: Hex
    readonly value: string
    /** True if it sets the largest allowance of Permit2. */
    readonly unlimited?: boolean
  } | null
  /** For `eth_signTypedData_v4`. */
  readonly typedData: object
  /** With the signature behind it, `permit` of a swap. */
  readonly permit: string
}

/** Event of a quote that is kept up to date. */
export type QuoteEvent =
  /** The first answer, and each that differs; with a transaction where there is a `from`. */
  | { readonly event: 'quote'; readonly data: Route | Quote }
  /** Looked at again at this block: what came last stands. */
  | { readonly event: 'block'; readonly data: { readonly simulationBlock: number; readonly blockHash: string } }
  /** There is no answer at this block. */
  | {
      readonly event: 'refused'
      readonly data: { readonly error: string; readonly code: string }
      /** `NO_ROUTE` when the service has no route at this block, `HTTP` for other failures. */
      readonly error: ClientError
    }

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

export type SimulationResult = {
  readonly success: boolean
  readonly amountOut: string
  readonly gasUsed: number
  readonly returnData: Hex
  readonly revertReason?: string
  readonly block: string
}

export type ChainEntry = {
  readonly ChainID: string
  readonly ChainName: string
  readonly RouterAddress: string
  readonly TrackerName: string
  readonly CoinsPrefix?: string | null
  readonly Status?: 'deployed' | 'predicted'
  readonly L1FeeModel?: string
}

/** A token to choose from, as Uniswap's token lists have it. */
export type ListedToken = {
  readonly chainId: number
  readonly address: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logoURI?: string
  /** `copy`: its symbol is, or looks like, that of another token. */
  readonly tags: readonly ('native' | 'registry' | 'found' | 'unlisted' | 'copy')[]
  readonly extensions: { readonly depthUsd: number | null; readonly copyOf?: string }
}

export type TokenListParameters = {
  /** Part of a symbol or a name, or a whole address. */
  readonly q?: string
  readonly limit?: number
}

/** Drift of quotes some blocks later, over the last samples. */
export type Drift = {
  /** Blocks after that of the quote: 1 or 2. */
  readonly after: number
  readonly samples: number
  readonly wouldRevertPercent: number
  /** Basis points that were paid more than quoted, below 0 against the taker; null where nothing was paid. */
  readonly driftBps: { readonly mean: number | null; readonly median: number | null; readonly worst5: number | null }
}

/** Statistics of how a chain's quotes hold, by families, brands and pools of their routes. */
export type Stats = {
  readonly chainId: number
  /** Percent of the node's calls that go into this. */
  readonly samplePercent: number
  readonly samples: number
  readonly missed: number
  readonly blocks: readonly Drift[]
  readonly families: readonly { readonly protocol: string; readonly blocks: readonly Drift[] }[]
  readonly brands: readonly { readonly dex: string; readonly blocks: readonly Drift[] }[]
  readonly pools: readonly {
    readonly pool: string
    readonly protocol: string
    readonly dex: string
    readonly blocks: readonly Drift[]
  }[]
  /** Pools that withdrew their quotes again and again, those that lose most first. */
  readonly withdrawing: readonly {
    readonly pool: string
    readonly protocol: string
    readonly dex: string
    /** Part of its output that routes are ranked without; 100 while it is left out. */
    readonly haircutPercent: number
    /** Unix seconds; null where it takes part. */
    readonly leftOutUntil: number | null
    readonly samples: number
    readonly withdrew: number
  }[]
}

/** State of a transaction. Amounts in base units, gas cost in wei; null for what is not known, or not there yet. */
export type TransactionStatus = {
  readonly hash: string
  /** `unknown`: no node has it, yet or any more. `reverted`: it was mined and failed. */
  readonly status: 'unknown' | 'pending' | 'landed' | 'reverted'
  readonly block: number | null
  readonly blockHash: string | null
  /** Blocks from that block to the newest one, both counted. */
  readonly confirmations: number | null
  readonly from: string | null
  readonly to: string | null
  /** After refunds. */
  readonly gasUsed: string | null
  readonly gasCost: { readonly native: string; readonly l1Fee: string | null } | null
  /** The order, if the transaction calls the Guard itself. */
  readonly swap: SwapStatus | null
  /** Why it reverted. */
  readonly reason: string | null
}

export type SwapStatus = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly minToAmount: string
  /** Unix seconds. */
  readonly deadline: number
  /** Input that left the sender. */
  readonly spent: string | null
  /** Output that reached the sender. */
  readonly received: string | null
  /** `toAmount` of the quote, if it was given. */
  readonly quoted?: string
  /** Percent by which `received` is above it. */
  readonly difference?: number | null
}

/**
 * The native token of any chain as the interface writes it.
 *
 * @example
 * ```ts
 * const request = { src: NATIVE, dst, amount: 10n ** 18n }
 * ```
 */
export const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
