/** A swap as the Guard's calldata has it. */
import type { Hex } from './types.ts'

/** Kinds of permit by the Guard's own numbers of them: EIP-2612, DAI's form, Permit2. */
export const permitKinds = ['eip2612', 'dai', 'permit2'] as const

/** Permit that the sender signed so that the Guard draws the input. */
export type GuardPermit = {
  readonly kind: (typeof permitKinds)[number]
  /** Base units; zero for DAI's form, which knows no limit. */
  readonly amount: bigint
  /** Zero for EIP-2612, whose signature alone holds it. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly signature: Hex
}

/** A swap of the Guard as its caller wrote it. Amounts in base units; the zero address is the native token. */
export type GuardOrder = {
  /** Token given. Where value comes with the call: the wrapper in which the Guard lends it, or zero. */
  readonly tokenIn: Hex
  /** The value that comes with the call where the calldata does not say it. */
  readonly amountIn: bigint
  readonly tokenOut: Hex
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly executor: Hex
  /** Wrapper that the Guard unwraps for native output. */
  readonly wrapper: Hex
  readonly feePpm: bigint
  readonly feeRecipient: Hex
  /** Account that receives the output; absent if the calldata does not name it, and pays the sender. */
  readonly recipient?: Hex
  readonly direct: boolean
  /** Program that the Executor runs. */
  readonly program: Hex
  /** A signature that comes with it. */
  readonly permit?: GuardPermit
}
