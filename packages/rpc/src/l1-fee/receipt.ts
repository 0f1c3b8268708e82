/** Computes from a receipt what a rollup charged in addition to gas. */

/** Fee fields of a receipt; null or absent on chains without them. */
export type ReceiptFees = {
  readonly gasUsed: bigint
  /** Wei for the data on the parent chain. */
  readonly l1Fee?: bigint | null | undefined
  /**
   * Since Isthmus (OP Stack): the scalar of the operator fee, which is multiplied by the gas, and its constant part in
   * wei.
   */
  readonly operatorFeeScalar?: bigint | null | undefined
  readonly operatorFeeConstant?: bigint | null | undefined
  /** Present since Jovian (OP Stack). */
  readonly daFootprintGasScalar?: unknown
  /** Present on Mantle. */
  readonly tokenRatio?: unknown
}

/**
 * Returns the wei charged in addition to gas, for data and by the operator; null if the receipt names no such fee. Like
 * `L1Fee.feeWei`, it contains the operator fee.
 *
 * @see https://specs.optimism.io/protocol/jovian/exec-engine.html#operator-fee
 */
export function l1FeeOfReceipt(receipt: ReceiptFees): bigint | null {
  const { gasUsed, l1Fee, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar, tokenRatio } = receipt
  if (l1Fee == null && operatorFeeScalar == null && operatorFeeConstant == null) return null
  const scaledGas = gasUsed * (operatorFeeScalar ?? 0n)
  // The Jovian upgrade changed the unit of the scalar. Mantle has used Jovian's unit from the start.
  const usesJovianUnit = daFootprintGasScalar != null || tokenRatio != null
  const operatorFee = (usesJovianUnit ? scaledGas * 100n : scaledGas / 1_000_000n) + (operatorFeeConstant ?? 0n)
  return (l1Fee ?? 0n) + operatorFee
}
