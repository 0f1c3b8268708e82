/**
 * Encodes and decodes calls of the Guard's swap functions. One type, `GuardSwap`, represents a call of any of these
 * functions.
 */
import { makeError } from 'ethers'
import { type IGuard, IGuard__factory } from '../dist/index.js'
import { callCodec } from './codec.ts'
import { readPermit, type SignedPermit, toPermitStruct } from './permit.ts'

export { PERMIT2_BITS, permitKinds, type SignedPermit } from './permit.ts'

type Hex = `0x${string}`

/** A swap of the Guard. Amounts are in base units; the zero address is the native token. */
export type GuardSwap = {
  /**
   * Input token. If the call has value, this is the wrapper with which the Guard wraps the value, or zero if the
   * Executor receives the value unwrapped.
   */
  readonly tokenIn: string
  readonly amountIn: bigint
  /** Wei sent with the call: `amountIn` for native input, otherwise 0. */
  readonly value: bigint
  readonly tokenOut: string
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly executor: string
  /** Wrapper that the Guard unwraps for native output; zero for none. */
  readonly wrapper: string
  /** Parts per million of the output. */
  readonly feePpm: bigint
  readonly feeRecipient: string
  /** Account that receives the output; absent if the calldata does not name it, so that the Guard pays the sender. */
  readonly recipient?: string
  /** True for direct mode, in which the Executor pays the recipient instead of the Guard. */
  readonly direct: boolean
  /** The sender's signature instead of an approval, for ERC-20 input only. */
  readonly permit?: SignedPermit
  /** Program that the Executor runs. */
  readonly program: string
}

const abi = IGuard__factory.createInterface()
const swapCodec = callCodec<[bigint, IGuard.OrderStruct, string], [bigint]>(abi, 'swap')
const swapNativeCodec = callCodec<[IGuard.OrderStruct, string], [bigint]>(abi, 'swapNative')
const swapDirectCodec = callCodec<[bigint, string, IGuard.OrderStruct, string], [bigint]>(abi, 'swapDirect')
const swapWithPayoutCodec = callCodec<[bigint, IGuard.OrderStruct, IGuard.PayoutStruct, string], [bigint]>(
  abi,
  'swapWithPayout',
)

type PermitArguments = [bigint, IGuard.OrderStruct, IGuard.PermitStruct]
const swapWithPermitCodec = callCodec<[...PermitArguments, IGuard.PayoutStruct, string], [bigint]>(
  abi,
  'swapWithPermit',
)
const swapDirectWithPermitCodec = callCodec<
  [bigint, string, IGuard.OrderStruct, IGuard.PermitStruct, string],
  [bigint]
>(abi, 'swapDirectWithPermit')

const ZERO = `0x${'0'.repeat(40)}`

/**
 * Encodes the calldata of a swap with the function that has the fewest words, which saves gas.
 *
 * @throws ethers' INVALID_ARGUMENT if a value does not fit its type, a signature has an unknown form, a permit comes
 *   with value, or the function needs a recipient that is missing
 */
export function encodeGuardSwap(request: GuardSwap): Hex {
  const { amountIn, value, program } = request
  const isPlainSwap = request.recipient === undefined && request.wrapper === ZERO && request.feePpm === 0n
  if (!request.permit && !request.direct && isPlainSwap)
    return value === 0n ? swapCodec.encode(amountIn, request, program) : swapNativeCodec.encode(request, program)
  const { recipient } = request
  if (recipient === undefined)
    throw makeError('the function names a recipient', 'INVALID_ARGUMENT', { argument: 'recipient', value: recipient })
  const payout = { ...request, recipient }
  if (request.permit) {
    if (value !== 0n) throw makeError('a permit comes without value', 'INVALID_ARGUMENT', { argument: 'value', value })
    const permit = toPermitStruct(request.permit)
    if (request.direct) return swapDirectWithPermitCodec.encode(amountIn, recipient, request, permit, program)
    return swapWithPermitCodec.encode(amountIn, request, permit, payout, program)
  }
  if (request.direct) return swapDirectCodec.encode(amountIn, recipient, request, program)
  return swapWithPayoutCodec.encode(amountIn, request, payout, program)
}

/**
 * Decodes the calldata of a swap, with addresses in lower case.
 *
 * @throws ethers' BAD_DATA if the data is truncated, TypeError if it does not call a swap of the Guard
 */
export function decodeGuardSwap(data: string, value: bigint): GuardSwap {
  const call = abi.parseTransaction({ data, value })
  const { order, permit, payout, recipient, amountIn, program } = (call?.args.toObject(true) ?? {}) as {
    order?: Record<'tokenIn' | 'tokenOut' | 'executor', string> & Record<'minOutput' | 'deadline', bigint>
    permit?: IGuard.PermitStruct
    payout?: Record<'recipient' | 'wrapper' | 'feeRecipient', string> & Record<'feePpm', bigint>
    recipient?: string
    amountIn?: bigint
    program: string
  }
  if (!call || !order) throw new TypeError('the calldata is no swap of the Guard')
  const namedRecipient = payout?.recipient ?? recipient
  return {
    tokenIn: order.tokenIn.toLowerCase(),
    amountIn: amountIn ?? value,
    value,
    tokenOut: order.tokenOut.toLowerCase(),
    minOutput: order.minOutput,
    deadline: order.deadline,
    executor: order.executor.toLowerCase(),
    wrapper: payout?.wrapper.toLowerCase() ?? ZERO,
    feePpm: payout?.feePpm ?? 0n,
    feeRecipient: payout?.feeRecipient.toLowerCase() ?? ZERO,
    ...(namedRecipient !== undefined && { recipient: namedRecipient.toLowerCase() }),
    direct: call.name.startsWith('swapDirect'),
    ...(permit && { permit: readPermit(permit) }),
    program,
  }
}
