/**
 * Orders and permits in the calldata of the Guard. The Guard is the contract that takes the input, lets the Executor
 * run a program of swaps, and checks the output.
 */
import type { Hex } from './types.ts'

/** Kinds of permit; the index is the number that the Guard uses. */
export const permitKinds = ['eip2612', 'dai', 'permit2'] as const

/** Signed permit that lets the Guard draw the input. */
export type GuardPermit = {
  readonly kind: (typeof permitKinds)[number]
  /** Base units; zero for a DAI permit, which is unlimited. */
  readonly amount: bigint
  /** Nonce of a DAI or Permit2 permit; zero for EIP-2612, whose nonce is not in the calldata. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly signature: Hex
}

/** Decoded swap of the Guard. Amounts are in base units; the zero address is the native token. */
export type GuardOrder = {
  /**
   * Input token. If the call carries value, this is the wrapper with which the Guard wraps the value, or zero if the
   * value stays native.
   */
  readonly tokenIn: Hex
  /** Input; for `swapNative` the value of the call. */
  readonly amountIn: bigint
  readonly tokenOut: Hex
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly executor: Hex
  /** Wrapper that the Guard unwraps to pay native output; zero if it unwraps nothing. */
  readonly wrapper: Hex
  readonly feePpm: bigint
  readonly feeRecipient: Hex
  /** Account that receives the output; absent if the calldata names none, so that the sender receives it. */
  readonly recipient?: Hex
  /** True for direct mode, in which the Executor pays the recipient instead of the Guard. */
  readonly direct: boolean
  /** Program that the Executor executes. */
  readonly program: Hex
  /** Permit in the calldata, if any. */
  readonly permit?: GuardPermit
}

/** Order whose calldata names the recipient. */
export type AddressedOrder = GuardOrder & { readonly recipient: Hex }
