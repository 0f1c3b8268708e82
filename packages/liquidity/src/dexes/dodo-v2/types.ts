/** On which side of its target the pool stands: in balance, short of base, or short of quote. */
export type Side = 'ONE' | 'ABOVE_ONE' | 'BELOW_ONE'

/** As the pool's `version` begins; empty where it has none. */
export type DodoV2Fixed = { readonly kind: string }

/** A proactive market maker (DVM, DPP or DSP) with its targets as a trade now would find them. */
export type DodoV2State = {
  /** Price of the base token: base units of quote per base unit of base, 18 decimals. */
  readonly price: bigint
  /** The slope by which the price moves with the reserves, 18 decimals: 0 flat, 10¹⁸ as x·y = k. */
  readonly slippage: bigint
  readonly base: bigint
  readonly quote: bigint
  readonly baseTarget: bigint
  readonly quoteTarget: bigint
  readonly side: Side
  /** Parts of the output, 18 decimals: what stays with the liquidity, and what the maintainer takes. */
  readonly lpFee: bigint
  readonly maintainerFee: bigint
}
