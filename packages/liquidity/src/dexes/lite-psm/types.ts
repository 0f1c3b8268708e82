/** Base units; fees of 10^18. */
export type LitePsmState = {
  /** Fees of a gem sold, and of one bought; all ones where that way is halted. */
  readonly tin: bigint
  readonly tout: bigint
  /** DAI's base units for one base unit of the gem. */
  readonly factor: bigint
  /** Amounts that it can pay. */
  readonly dai: bigint
  readonly gems: bigint
}
