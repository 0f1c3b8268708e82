/** Computes from a receipt what a rollup charged in addition to gas. */

/** Fee fields of a receipt; null or absent on chains without them. */
export type ReceiptFees = {
  readonly gasUsed: bigint
  /** Wei for the data on the parent chain. */
  readonly l1Fee?: bigint | null | undefined
  /** Operator fee per gas, and per transaction in wei, since Isthmus (OP Stack). */
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
  // Mantle introduced the fee with the formula of Jovian.
  const isJovian = daFootprintGasScalar != null || tokenRatio != null
  const operatorFee = (isJovian ? scaledGas * 100n : scaledGas / 1_000_000n) + (operatorFeeConstant ?? 0n)
  return (l1Fee ?? 0n) + operatorFee
}
