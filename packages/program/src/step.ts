/** Payment of a step, in and out; its work is its operation's (ops/). Addresses are lower-case hex. */

/** Amount of its input token that a step takes. */
export type StepInput =
  /** Exactly this much of the sender's input token, drawn through the Guard. Base units, below 2^128. */
  | { readonly kind: 'pull'; readonly amount: bigint }
  /** All of the sender's input, drawn through the Guard. */
  | { readonly kind: 'pullAll' }
  /** Exactly this much of what the Executor holds. Base units, below 2^128. */
  | { readonly kind: 'held'; readonly amount: bigint }
  /** floor(balance × share / SHARE_DENOMINATOR) of what the Executor holds; 1 ≤ share < SHARE_DENOMINATOR. */
  | { readonly kind: 'share'; readonly share: number }
  /** All that the Executor holds. */
  | { readonly kind: 'rest' }
  /** The step before has paid this pool already: only of operations that are `prepaid`. */
  | { readonly kind: 'atPool' }

/** Receiver of a step's output. */
export type StepOutput =
  | { readonly kind: 'executor' }
  /** Whom the Guard names: itself, to release it to the sender after its checks, or the sender in direct mode. */
  | { readonly kind: 'recipient' }
  /** Another pool that takes it as its input. */
  | { readonly kind: 'address'; readonly address: `0x${string}` }
