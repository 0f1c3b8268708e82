/**
 * Gas that a transaction must be given beyond what it uses, and gets back: a call passes on at most 63/64 of what is left
 * (EIP-150), and a payment in the native token comes with a stipend. What follows in the caller is paid out of the same rest, so
 * that only the last calls of a transaction count.
 */

/** The stipend of the payment to the sender, less what is used after it: measured, the same for every route. */
const STIPEND = 1_928
/** Parts of its gas that the Executor's call and the deepest calls in it hold back: by traces, one to two of them. */
const HELD_PART = 1.5 / 63
/** Gas that the Guard uses after the Executor's call, and before it and the payment. Measured on the real state of Ethereum. */
const AFTER = { token: 30_000, native: 16_000 }
/** Gas before the Executor is called; after it, where the last pool pays the sender itself, the Guard only reads a balance. */
const BEFORE_DIRECT = 20_000

/** @param gasUsed - gross gas of the Guard's call, as simulated */
export function heldGas(gasUsed: number, paid: 'token' | 'native' | 'direct'): number {
  if (paid === 'direct') return Math.round(HELD_PART * Math.max(0, gasUsed - BEFORE_DIRECT))
  const beyond = Math.max(0, HELD_PART * gasUsed - AFTER[paid])
  return Math.round(paid === 'native' ? Math.max(STIPEND, beyond) : beyond)
}
