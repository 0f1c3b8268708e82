/** 20 bytes, 0x-prefixed lower-case hex. */
type Address = `0x${string}`

/** How much of its input token a step takes. */
export type StepInput =
  /** Exactly this much of the sender's input token, drawn through the Guard. Base units, below 2^128. */
  | { readonly kind: 'pull'; readonly amount: bigint }
  /** Whatever of the sender's input has not been drawn yet. */
  | { readonly kind: 'pullRest' }
  /** Exactly this much of what the Executor holds. Base units, below 2^128. */
  | { readonly kind: 'held'; readonly amount: bigint }
  /** floor(balance × share / SHARE_DENOMINATOR) of what the Executor holds; 1 ≤ share < SHARE_DENOMINATOR. */
  | { readonly kind: 'share'; readonly share: number }
  /** All that the Executor holds. */
  | { readonly kind: 'rest' }
  /** The step before has paid this pool already: only where the family measures its own input (uniswap-v2). */
  | { readonly kind: 'atPool' }

/** Where a step's output goes. */
export type StepOutput =
  | { readonly kind: 'executor' }
  /** The Guard, which releases it to the sender after its checks (custody). */
  | { readonly kind: 'guard' }
  /** Another pool that takes it as its input, or the sender in direct mode. */
  | { readonly kind: 'address'; readonly address: Address }

type Common = { readonly tokenIn: Address; readonly input: StepInput; readonly output: StepOutput }

/** One instruction of the Executor: a swap in one pool, or a wrap. One member per family. */
export type Step =
  | (Common & {
      readonly op: 'uniswap-v2'
      readonly pool: Address
      readonly zeroForOne: boolean
      readonly feePpm: number
    })
  | (Common & { readonly op: 'uniswap-v3'; readonly pool: Address; readonly zeroForOne: boolean })
  /** Native to wrapped; `tokenIn` is the zero address. */
  | (Common & { readonly op: 'wrap'; readonly wrapped: Address })
  /** Wrapped to native; `tokenIn` is the wrapper. */
  | (Common & { readonly op: 'unwrap' })
