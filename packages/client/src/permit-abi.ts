/** Encodes and decodes calls of the Guard's swap functions that take a permit. */
import { selectors, WORD } from './calls.ts'
import { ClientError } from './errors.ts'
import { type AddressedOrder, type GuardOrder, type GuardPermit, permitKinds } from './order.ts'
import type { Hex } from './types.ts'

const ZERO: Hex = `0x${'0'.repeat(40)}`
/**
 * Byte offset of the signature in an encoded permit. Before it are five words: kind, amount, nonce, deadline, and this
 * offset.
 */
const SIGNATURE_OFFSET = 160n

const toWord = (value: bigint | string): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(WORD, '0')
/** Encodes dynamic bytes: length, bytes, and zero padding to a whole word. */
const encodeBytes = (data: string): string => {
  const digits = data.slice(2).toLowerCase()
  return toWord(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / WORD) * WORD, '0')
}

export function isPermitSwap(selector: string): boolean {
  return selector === selectors.swapWithPermit || selector === selectors.swapDirectWithPermit
}

/** Encodes a swap with a permit, in the same layout as Solidity's ABI encoder. */
export function encodePermitSwap(order: AddressedOrder, permit: GuardPermit): Hex {
  const { amountIn, recipient, tokenIn, tokenOut, minOutput, deadline, executor, direct, program } = order
  const payout = direct ? [] : [recipient, order.feePpm, order.feeRecipient, order.wrapper]
  const kind = BigInt(permitKinds.indexOf(permit.kind))
  const body =
    [kind, permit.amount, permit.nonce, permit.deadline, SIGNATURE_OFFSET].map(toWord).join('') +
    encodeBytes(permit.signature)
  const permitOffset = BigInt(32 * (direct ? 9 : 12))
  const programOffset = permitOffset + BigInt(body.length / 2)
  const headWords = [
    amountIn,
    ...(direct ? [recipient] : []),
    tokenIn,
    tokenOut,
    minOutput,
    deadline,
    executor,
    permitOffset,
    ...payout,
    programOffset,
  ]
  const selector = direct ? selectors.swapDirectWithPermit : selectors.swapWithPermit
  return `${selector}${headWords.map(toWord).join('')}${body}${encodeBytes(program)}`
}

/**
 * Returns true if the order names a recipient, names a fee recipient if and only if it has a fee, and names a wrapper
 * only for native output.
 */
function hasValidPayout({ recipient, feePpm, feeRecipient, wrapper, tokenOut }: AddressedOrder): boolean {
  return recipient !== ZERO && (feePpm === 0n) === (feeRecipient === ZERO) && (wrapper === ZERO || tokenOut === ZERO)
}

/**
 * Decodes a swap with a permit.
 *
 * @throws ClientError `UNSAFE` unless it is the canonical encoding of a swap with a valid payout
 */
export function decodePermitSwap(data: string): GuardOrder {
  const text = data.slice(10).toLowerCase()
  const wordAt = (index: number): bigint => BigInt(`0x${text.slice(index * WORD, (index + 1) * WORD) || '0'}`)
  const addressAt = (index: number): Hex => `0x${wordAt(index).toString(16).padStart(40, '0')}`
  const bytesAt = (index: number): Hex =>
    `0x${text.slice((index + 1) * WORD, (index + 1) * WORD + 2 * Number(wordAt(index)))}`
  const direct = data.slice(0, 10).toLowerCase() === selectors.swapDirectWithPermit
  const permitIndex = direct ? 9 : 12
  const orderIndex = direct ? 2 : 1
  const kind = permitKinds[Number(wordAt(permitIndex))]
  // Reads the fields at their places in the canonical layout. The comparison below detects any other layout: encoding
  // the order again then yields other bytes.
  const order: AddressedOrder = {
    ...{
      amountIn: wordAt(0),
      tokenIn: addressAt(orderIndex),
      tokenOut: addressAt(orderIndex + 1),
      minOutput: wordAt(orderIndex + 2),
    },
    ...{ deadline: wordAt(orderIndex + 3), executor: addressAt(orderIndex + 4), direct },
    program: bytesAt(Number(wordAt(permitIndex - 1) / 32n)),
    ...(direct
      ? { recipient: addressAt(1), feePpm: 0n, feeRecipient: ZERO, wrapper: ZERO }
      : { recipient: addressAt(7), feePpm: wordAt(8), feeRecipient: addressAt(9), wrapper: addressAt(10) }),
  }
  if (kind && /^0x([0-9a-fA-F]{2})+$/.test(data)) {
    const permit = {
      kind,
      amount: wordAt(permitIndex + 1),
      nonce: wordAt(permitIndex + 2),
      deadline: wordAt(permitIndex + 3),
      signature: bytesAt(permitIndex + 5),
    }
    const hasNoUnusedFields = (kind !== 'dai' || permit.amount === 0n) && (kind !== 'eip2612' || permit.nonce === 0n)
    if (hasNoUnusedFields && hasValidPayout(order) && encodePermitSwap(order, permit) === data.toLowerCase())
      return { ...order, permit }
  }
  throw new ClientError('UNSAFE', 'the calldata is not encoded as the compiler does')
}
