/**
 * Gas limit that a transaction needs on top of the gas it uses. A call forwards at most 63/64 of the remaining gas
 * (EIP-150), and a payment in the native token adds a stipend. The caller spends the reserve on its own later steps, so
 * only calls near the end of a transaction need extra gas.
 */

/** Stipend of the payment to the sender, less the gas that is used after it. Measured; the same for every route. */
const STIPEND = 1_928
/** Share of the gas that the Executor's call and its deepest calls reserve: traces show one to two levels of 1/63. */
const RESERVED_SHARE = 1.5 / 63
/**
 * Gas that the Guard uses after the Executor's call, up to the payment for `native`. Measured on Ethereum's mainnet
 * state.
 */
const AFTER = { token: 30_000, native: 16_000 }
/**
 * Gas before the Executor is called. If the last pool pays the sender directly, the Guard only reads a balance
 * afterwards.
 */
const BEFORE_DIRECT = 20_000

/** @param gasUsed - gas of the Guard's call before refunds, as simulated */
export function heldGas(gasUsed: number, payment: 'token' | 'native' | 'direct'): number {
  if (payment === 'direct') return Math.round(RESERVED_SHARE * Math.max(0, gasUsed - BEFORE_DIRECT))
  const beyond = Math.max(0, RESERVED_SHARE * gasUsed - AFTER[payment])
  return Math.round(payment === 'native' ? Math.max(STIPEND, beyond) : beyond)
}
