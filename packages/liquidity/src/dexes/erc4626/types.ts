/** A vault as a pool of its asset and its share, in this order. */
export type Erc4626State = {
  /** Base units of the asset, as the vault counts them. */
  readonly totalAssets: bigint
  /** Base units of the share. */
  readonly totalSupply: bigint
  /** Shares that the vault counts beside the supply, with one asset beside the assets; 0 for a vault without them. */
  readonly virtualShares: bigint
  /** Base units of the asset. */
  readonly maxDeposit: bigint
  /** Base units of the asset that the vault itself holds: what it can pay without help of others. */
  readonly cash: bigint
}
