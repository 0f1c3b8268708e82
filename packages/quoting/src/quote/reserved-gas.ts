/**
 * Computes the gas that a transaction's gas limit needs in addition to the gas used. A call forwards at most 63/64 of
 * the remaining gas (EIP-150), and a payment in the native token needs a stipend. The calling contract can spend the
 * remaining 1/64 on its own later steps, so only calls near the end of a transaction need extra gas.
 */

/**
 * Gas stipend of the native payment to the sender, less the gas that the Guard (our entry contract) uses after the
 * payment. Measured; equal for all routes.
 */
const NATIVE_STIPEND = 1_928
/** Share of the used gas that must remain for EIP-150: traces show one to two nested calls, and each needs 1/63. */
const RESERVED_SHARE = 1.5 / 63
/**
 * Gas that the Guard uses after it has called the Executor (our contract that swaps), by kind of output. For `native`,
 * only the gas until the payment counts. Measured on Ethereum's mainnet state.
 */
const GAS_AFTER_CALL = { token: 30_000, native: 16_000 }
/**
 * Gas that the Guard uses before it calls the Executor, if the last pool pays the sender directly. After the call, the
 * Guard then only reads a balance.
 */
const GAS_BEFORE_DIRECT_CALL = 20_000

/**
 * Returns the gas that the gas limit needs in addition to the gas used.
 *
 * @param gasUsed - gas of the Guard's call before refunds, as simulated
 * @param payment - `direct` if the last pool pays the sender; `token` or `native` if the Guard pays an output of this
 *   kind
 */
export function reservedGas(gasUsed: number, payment: 'token' | 'native' | 'direct'): number {
  if (payment === 'direct') return Math.round(RESERVED_SHARE * Math.max(0, gasUsed - GAS_BEFORE_DIRECT_CALL))
  const missingGas = Math.max(0, RESERVED_SHARE * gasUsed - GAS_AFTER_CALL[payment])
  return Math.round(payment === 'native' ? Math.max(NATIVE_STIPEND, missingGas) : missingGas)
}
