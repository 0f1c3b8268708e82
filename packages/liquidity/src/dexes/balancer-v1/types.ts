/** A finalized pool, by token: neither weights nor the fee change any more. Fixed numbers have 18 decimals. */
export type BalancerV1State = {
  /** Base units that the pool counts; what was sent by mistake counts after `gulp` only. */
  readonly balances: readonly bigint[]
  /** Not normalized: from 1 to 50. */
  readonly weights: readonly bigint[]
  /** Part of the input. */
  readonly swapFee: bigint
}
