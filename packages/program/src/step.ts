/**
 * Input and output of a step. The operation of the step (ops/) defines the swap itself. Addresses are hex in lower
 * case.
 */

/** Amount that a step takes, and the account that holds it. */
export type StepInput =
  /** Exact amount of the sender's input token, in base units below 2^128. The Guard transfers it from the sender. */
  | { readonly kind: 'pull'; readonly amount: bigint }
  /** The whole input of the sender. The Guard transfers it from the sender. */
  | { readonly kind: 'pullAll' }
  /** Exact amount of the Executor's balance, in base units below 2^128. */
  | { readonly kind: 'held'; readonly amount: bigint }
  /** floor(balance × share / SHARE_DENOMINATOR) of the Executor's balance; 1 ≤ share < SHARE_DENOMINATOR. */
  | { readonly kind: 'share'; readonly share: number }
  /** The Executor's whole balance. */
  | { readonly kind: 'rest' }
  /** The amount that an earlier step paid to the pool. Only for operations with `canBePrepaid`. */
  | { readonly kind: 'atPool' }

/** Receiver of a step's output. */
export type StepOutput =
  | { readonly kind: 'executor' }
  /**
   * Recipient set by the Guard: the Guard itself, which checks the output and releases it to the sender, or the sender
   * in direct mode.
   */
  | { readonly kind: 'recipient' }
  /** Another pool, which takes the output as its own input (`atPool`). */
  | { readonly kind: 'address'; readonly address: `0x${string}` }
