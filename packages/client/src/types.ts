/** What the service takes and gives. Amounts are integers in base units, as decimal strings on the wire. */

export type Hex = `0x${string}`

export type SwapParameters = {
  /** Input token; NATIVE for the native token. */
  readonly src: string
  readonly dst: string
  /** Base units of `src`. */
  readonly amount: bigint | string
  readonly from: string
  /** Percent, at most 4 decimals. 0.5 when absent. */
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
  /** What the route may pass through between its ends. `earned` when absent. */
  readonly intermediates?: 'named' | 'earned' | 'any'
  /** Wei per gas. */
  readonly gasPrice?: bigint | string
  /** Percent. */
  readonly maxPriceImpact?: number | string
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
  readonly minToAmount?: string
  readonly blockHash?: string
  readonly priceImpact?: number | null
  readonly gasCost?: { readonly native: string; readonly usd: number | null; readonly l1Fee: string | null }
  readonly netToAmount?: string | null
  readonly optimalityGap?: number | null
  readonly warnings?: readonly string[]
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
}

/** How the interface writes the native token of any chain. */
export const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
