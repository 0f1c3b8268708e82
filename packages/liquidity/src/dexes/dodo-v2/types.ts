/** State and immutable facts of DODO V2 pools. */

/**
 * Reserves compared with their targets, as the contract's `RState`: equal (`ONE`), too few base tokens (`ABOVE_ONE`),
 * or too few quote tokens (`BELOW_ONE`).
 */
export type Side = 'ONE' | 'ABOVE_ONE' | 'BELOW_ONE'

/** Immutable facts (`Pool.fixed`) of a pool. */
export type DodoV2Fixed = {
  /** First word of the pool's `version`, such as `DVM`; empty if the pool has no version. */
  readonly kind: string
}

/** State of a PMM pool (DVM, DPP, DSP, or GSP). Reserves and targets are base units. */
export type DodoV2State = {
  /** Price of the base token: base units of quote per base unit of base, 18 decimals. */
  readonly price: bigint
  /** Dependence of the price on the reserves, 18 decimals: 0 for a constant price, 10¹⁸ for x·y = k. */
  readonly slippage: bigint
  /** Reserve of the base token. */
  readonly base: bigint
  /** Reserve of the quote token. */
  readonly quote: bigint
  /** Target of the base token that the next trade uses. */
  readonly baseTarget: bigint
  /** Target of the quote token that the next trade uses; 0 in DVM pools. */
  readonly quoteTarget: bigint
  readonly side: Side
  /** Fee of the liquidity providers as a fraction of the output, 18 decimals. */
  readonly lpFee: bigint
  /** Fee of the maintainer (the protocol) as a fraction of the output, 18 decimals. */
  readonly maintainerFee: bigint
}
