/**
 * Encodes routes as transactions to the Guard, the entry contract. The Guard calls the Executor, the contract that
 * swaps, and checks the output.
 */
import { encodeGuardSwap, type SignedPermit } from '@sluice/bindings/guard'
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { encodeProgram, type Step } from '@sluice/program'
import type { RoutePlan } from '../types.ts'
import { needsWrapper } from './native.ts'
import { buildSteps, type StepMaker } from './steps.ts'

export { EncodeError, type EncodeErrorCode } from './errors.ts'
export { hopPrograms } from './hop.ts'
export type { StepMaker } from './steps.ts'

/** A route, and the parameters of the transaction that swaps along it. */
export type EncodeRequest = {
  /** Account that sends the transaction. */
  readonly from: Address
  /** Account that receives the output; by default `from`. */
  readonly recipient?: Address
  readonly route: RoutePlan
  readonly guard: Address
  readonly executor: Address
  readonly wrappedNative: Address | null
  /** Step makers by family id. A family is the set of all pools with the same interface. */
  readonly families: ReadonlyMap<string, StepMaker>
  /** Minimum output that the sender accepts, in base units; must be above 0. */
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  /** Fee in parts per million of the output, 0–100,000; default 0. */
  readonly feePpm?: bigint
  /** Required if `feePpm` is above 0. */
  readonly feeRecipient?: Address
  /**
   * Direct mode, for an output token that takes a tax on every transfer: the Executor pays the recipient itself.
   * Excludes a fee.
   */
  readonly direct?: boolean
  /** Signed permit of the sender, in place of an approval; not possible with a native input. */
  readonly permit?: SignedPermit
}

/** Transaction of a swap, with the steps that the Executor runs. */
export type EncodedSwap = {
  readonly to: Address
  readonly data: Hex
  /** Wei sent with the transaction. */
  readonly value: bigint
  readonly steps: readonly Step[]
}

/**
 * Encodes the transaction that swaps along a route.
 *
 * @throws EncodeError for a route that cannot be encoded
 */
export function encodeSwap(request: EncodeRequest): EncodedSwap {
  const { route, guard, executor, wrappedNative, families, direct = false, feePpm = 0n } = request
  const isNativeIn = route.tokenIn === NATIVE
  const steps = buildSteps(route, { wrappedNative, families })
  const isNativeOut = route.tokenOut === NATIVE
  const value = isNativeIn ? route.amountIn : 0n
  // If possible, the Guard wraps or unwraps, which takes less gas than in the Executor.
  const wrapper = wrappedNative && needsWrapper(route, wrappedNative) ? wrappedNative : ZERO_ADDRESS
  const isUnwrapped = isNativeOut && wrapper !== ZERO_ADDRESS
  const hasOtherRecipient = request.recipient !== undefined && request.recipient !== request.from
  // Without this field the Guard pays the sender, which costs less calldata.
  const needsRecipientField = hasOtherRecipient || isUnwrapped || feePpm > 0n || direct || request.permit !== undefined
  const data = encodeGuardSwap({
    tokenIn: isNativeIn ? wrapper : route.tokenIn,
    amountIn: route.amountIn,
    value,
    tokenOut: isNativeOut ? ZERO_ADDRESS : route.tokenOut,
    minOutput: request.minOutput,
    deadline: request.deadline,
    executor,
    wrapper: isNativeOut ? wrapper : ZERO_ADDRESS,
    feePpm,
    feeRecipient: feePpm > 0n ? (request.feeRecipient ?? ZERO_ADDRESS) : ZERO_ADDRESS,
    ...(needsRecipientField && { recipient: request.recipient ?? request.from }),
    direct,
    ...(request.permit && { permit: request.permit }),
    program: encodeProgram(steps),
  })
  return { to: guard, data, value, steps }
}
