/**
 * Gas that a transaction's gas limit needs in addition to the gas used. A call forwards at most 63/64 of the remaining
 * gas (EIP-150), and a payment in the native token adds a stipend. The caller spends the reserved 1/64 on its own later
 * steps, so only calls near the end of a transaction need extra gas.
 */

/**
 * Gas stipend of the native payment to the sender, less the gas used after the payment. Measured; equal for all routes.
 */
const NATIVE_STIPEND = 1_928
/** Share of the gas that stays reserved at the deepest call: traces show one to two levels, each with 1/63. */
const RESERVED_SHARE = 1.5 / 63
/**
 * Gas that the Guard uses after the Executor's call. For `native`, only the gas before the payment counts. Measured on
 * Ethereum's mainnet state.
 */
const GAS_AFTER_CALL = { token: 30_000, native: 16_000 }
/**
 * Gas used before the Executor is called, for direct payments. If the last pool pays the sender directly, the Guard
 * only reads a balance afterward.
 */
const GAS_BEFORE_DIRECT_CALL = 20_000

/**
 * Returns the gas that the gas limit needs in addition to the gas used.
 *
 * @param gasUsed - gas of the Guard's call before refunds, as simulated
 */
export function reservedGas(gasUsed: number, payment: 'token' | 'native' | 'direct'): number {
  if (payment === 'direct') return Math.round(RESERVED_SHARE * Math.max(0, gasUsed - GAS_BEFORE_DIRECT_CALL))
  const missingGas = Math.max(0, RESERVED_SHARE * gasUsed - GAS_AFTER_CALL[payment])
  return Math.round(payment === 'native' ? Math.max(NATIVE_STIPEND, missingGas) : missingGas)
}
