/**
 * Reserves relative to their targets: equal (`ONE`), short of base (`ABOVE_ONE`), or short of quote (`BELOW_ONE`), as
 * in the contract's `RState`.
 */
export type Side = 'ONE' | 'ABOVE_ONE' | 'BELOW_ONE'

/** `kind` is the first word of the pool's `version`, such as `DVM`; empty if the pool has no version. */
export type DodoV2Fixed = { readonly kind: string }

/** State of a PMM pool (DVM, DPP, DSP, or GSP), with the targets that a trade now would use. */
export type DodoV2State = {
  /** Price of the base token: base units of quote per base unit of base, 18 decimals. */
  readonly price: bigint
  /** Dependence of the price on the reserves, 18 decimals: 0 for a constant price, 10¹⁸ for x·y = k. */
  readonly slippage: bigint
  readonly base: bigint
  readonly quote: bigint
  readonly baseTarget: bigint
  readonly quoteTarget: bigint
  readonly side: Side
  /** Fractions of the output, 18 decimals: the fees of the liquidity providers and of the maintainer. */
  readonly lpFee: bigint
  readonly maintainerFee: bigint
}
