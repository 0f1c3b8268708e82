/** Base units; prices of 10^18, fees of 10^4. */
export type AaveGsmState = {
  /** True while frozen, and once seized. */
  readonly stopped: boolean
  /** Base units of one whole asset, and GHO for it. */
  readonly unit: bigint
  readonly ratio: bigint
  readonly sellFee: bigint
  readonly buyFee: bigint
  /** Base units of the asset that it still takes in. */
  readonly exposure: bigint
  /** Base units of the asset that it can pay. */
  readonly liquidity: bigint
  /** GHO that it may have made, and has. */
  readonly capacity: bigint
  readonly level: bigint
}
