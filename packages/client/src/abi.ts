/**
 * Encodes and decodes calls of the Guard's swap functions (`permit-abi.ts`: those with a permit). Uses no ABI library,
 * so that the package stays small. Tests compare the results with the bindings that the compiler generates.
 */
import { encodeCall, selectors, WORD } from './calls.ts'
import { ClientError } from './errors.ts'
import type { AddressedOrder, GuardOrder } from './order.ts'
import { decodePermitSwap, isPermitSwap } from './permit-abi.ts'
import type { Hex } from './types.ts'

/** Number of words of the Guard's `Order` struct in calldata. */
const ORDER_WORDS = 5
/** Number of words of the Guard's `Payout` struct in calldata. */
const PAYOUT_WORDS = 4
const ZERO: Hex = `0x${'0'.repeat(40)}`

/**
 * Decodes a swap of the Guard.
 *
 * @param value - wei sent with the call
 * @throws ClientError `UNSAFE` if the data is not the canonical ABI encoding of a call of one of the Guard's swap
 *   functions
 */
export function decodeSwap(data: string, value: bigint): GuardOrder {
  if (typeof data !== 'string') throw new ClientError('UNSAFE', 'the calldata is no text')
  const selector = data.slice(0, 10).toLowerCase()
  if (value === 0n && isPermitSwap(selector)) return decodePermitSwap(data)
  const { swap, swapNative, swapWithPayout, swapDirect } = selectors
  const swapSelectors: readonly string[] = [swap, swapNative, swapWithPayout, swapDirect]
  if (!/^0x([0-9a-fA-F]{2})+$/.test(data) || !swapSelectors.includes(selector))
    throw new ClientError('UNSAFE', 'the calldata is no swap of the Guard')
  const body = data.slice(10).toLowerCase()
  const wordAt = (index: number): bigint => {
    const digits = body.slice(index * WORD, (index + 1) * WORD)
    if (digits.length !== WORD) throw new ClientError('UNSAFE', 'the calldata is cut off')
    return BigInt(`0x${digits}`)
  }
  const addressAt = (index: number): Hex => {
    const value = wordAt(index)
    if (value >> 160n !== 0n) throw new ClientError('UNSAFE', `word ${index} of the calldata is no address`)
    return `0x${value.toString(16).padStart(40, '0')}`
  }
  const hasPayout = selector === swapWithPayout
  const isDirect = selector === swapDirect
  const orderIndex = selector === swapNative ? 0 : isDirect ? 2 : 1
  const payoutIndex = orderIndex + ORDER_WORDS
  const programOffsetIndex = payoutIndex + (hasPayout ? PAYOUT_WORDS : 0)
  // Index of the recipient's word: the first word of the payout, or in direct mode the word after the amount.
  const recipientIndex = hasPayout ? payoutIndex : isDirect ? 1 : undefined
  const length = wordAt(programOffsetIndex + 1)
  const start = (programOffsetIndex + 2) * WORD
  // The program is the last part of the calldata, padded with zeros to a whole word.
  const programDigits = 2 * Number(length)
  const program = body.slice(start, start + programDigits)
  const isCanonical =
    wordAt(programOffsetIndex) === BigInt((programOffsetIndex + 1) * 32) &&
    body.length === start + Math.ceil(programDigits / WORD) * WORD &&
    /^0*$/.test(body.slice(start + programDigits))
  if (!isCanonical) throw new ClientError('UNSAFE', 'the calldata is not encoded as the compiler does')
  const amountIn = selector === swapNative ? value : wordAt(0)
  if (recipientIndex !== undefined && wordAt(recipientIndex) === 0n)
    throw new ClientError('UNSAFE', 'the calldata names no recipient where it has to')
  if (hasPayout && (wordAt(payoutIndex + 1) === 0n) !== (wordAt(payoutIndex + 2) === 0n))
    throw new ClientError('UNSAFE', 'the calldata names a fee without its recipient, or a recipient without a fee')
  if (hasPayout && wordAt(payoutIndex + 3) !== 0n && (wordAt(orderIndex + 1) !== 0n || value > 0n))
    throw new ClientError('UNSAFE', 'the calldata names a wrapper of native output without such output')
  const isValueValid =
    selector === swap ? value === 0n : value === amountIn || (value === 0n && selector !== swapNative)
  if (!isValueValid) throw new ClientError('UNSAFE', `${value} wei come with a swap that takes another value`)
  return {
    tokenIn: addressAt(orderIndex),
    amountIn,
    tokenOut: addressAt(orderIndex + 1),
    minOutput: wordAt(orderIndex + 2),
    deadline: wordAt(orderIndex + 3),
    executor: addressAt(orderIndex + 4),
    wrapper: hasPayout ? addressAt(payoutIndex + 3) : ZERO,
    feePpm: hasPayout ? wordAt(payoutIndex + 1) : 0n,
    feeRecipient: hasPayout ? addressAt(payoutIndex + 2) : ZERO,
    ...(recipientIndex !== undefined && { recipient: addressAt(recipientIndex) }),
    direct: isDirect,
    program: `0x${program}`,
  }
}

/** Encodes a swap of the Guard without a permit, in the same layout as Solidity's ABI encoder. */
export function encodeSwap(order: AddressedOrder): Hex {
  const { amountIn, tokenIn, tokenOut, minOutput, deadline, executor, program } = order
  const { recipient, wrapper, feePpm, feeRecipient } = order
  const orderWords = [tokenIn, tokenOut, minOutput, deadline, executor]
  const head = order.direct
    ? [amountIn, recipient, ...orderWords]
    : [amountIn, ...orderWords, recipient, feePpm, feeRecipient, wrapper]
  const selector = order.direct ? selectors.swapDirect : selectors.swapWithPayout
  const size = BigInt(program.length / 2 - 1)
  const encodedWords = encodeCall(selector, ...head, BigInt(32 * (head.length + 1)), size)
  return `${encodedWords}${program.slice(2).padEnd(Math.ceil((program.length - 2) / WORD) * WORD, '0')}`
}
