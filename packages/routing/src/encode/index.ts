import { type IGuard, IGuard__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { encodeProgram, type Step } from '@sluice/program'
import type { Route } from '../types.ts'
import { needsWrapper } from './native.ts'
import { buildSteps, type StepMaker } from './steps.ts'

export { EncodeError, type EncodeErrorCode } from './errors.ts'
export type { StepMaker } from './steps.ts'

export type SwapRequest = {
  readonly route: Route
  readonly guard: Address
  readonly executor: Address
  readonly wrappedNative: Address | null
  /** By family id. */
  readonly families: ReadonlyMap<string, StepMaker>
  /** Least output the sender accepts, base units, above 0. */
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  /** Parts per million of the output, 0–100,000. */
  readonly feePpm?: bigint
  /** Needed with a fee. */
  readonly feeRecipient?: Address
  /** Direct mode, for an output token that takes a tax on every transfer: the Executor pays the sender itself. Excludes a fee. */
  readonly direct?: boolean
}

export type EncodedSwap = {
  readonly to: Address
  readonly data: Hex
  /** Wei to send along. */
  readonly value: bigint
  readonly steps: readonly Step[]
}

const guardSwap = callCodec<[order: IGuard.OrderStruct, program: Hex], [bigint]>(
  IGuard__factory.createInterface(),
  'swap',
)

/**
 * The transaction that swaps along a route.
 *
 * @throws EncodeError for a route that cannot be encoded
 */
export function encodeSwap(request: SwapRequest): EncodedSwap {
  const { route, guard, executor, wrappedNative, families, direct = false, feePpm = 0n } = request
  const nativeIn = route.tokenIn === NATIVE
  const steps = buildSteps(route, { wrappedNative, families })
  const order = {
    tokenIn: nativeIn ? ZERO_ADDRESS : route.tokenIn,
    amountIn: route.amountIn,
    tokenOut: route.tokenOut === NATIVE ? ZERO_ADDRESS : route.tokenOut,
    minOutput: request.minOutput,
    deadline: request.deadline,
    executor,
    // Wrapped and unwrapped by the Guard, which is cheaper than by the Executor, where the steps leave it to.
    wrapper: wrappedNative && needsWrapper(route, wrappedNative) ? wrappedNative : ZERO_ADDRESS,
    feePpm,
    feeRecipient: feePpm > 0n ? (request.feeRecipient ?? ZERO_ADDRESS) : ZERO_ADDRESS,
    direct,
  }
  return {
    to: guard,
    data: guardSwap.encode(order, encodeProgram(steps)),
    value: nativeIn ? route.amountIn : 0n,
    steps,
  }
}
