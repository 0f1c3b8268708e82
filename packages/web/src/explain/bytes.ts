/**
 * Finds the bytes of each field and of each step in the calldata of a swap. Sluice's Guard contract receives the call.
 * The call contains a program for the Executor contract, and a step is one instruction of the program.
 */

import type { Explanation } from '@sluice/client'
import { encodeProgram } from '@sluice/program'

/** Parts of a Guard call: the function selector (`call`) and the arguments. */
export type CalldataField =
  | 'call'
  | 'amountIn'
  | 'tokenIn'
  | 'tokenOut'
  | 'minOutput'
  | 'deadline'
  | 'executor'
  | 'recipient'
  | 'wrapper'
  | 'fee'
  | 'feeRecipient'
/** Offsets in the calldata, in bytes. `to` is the offset after the last byte. */
export type ByteRange = readonly [from: number, to: number]

type CallShape = {
  readonly name: string
  /** Number of 32-byte words before the order (`ORDER_WORDS`): the input amount, and in direct mode the recipient. */
  readonly wordsBeforeOrder: number
  /** Number of words of the payout: recipient, fee, fee recipient, and wrapper. */
  readonly payoutWords: 0 | 4
  readonly hasPermit: boolean
}

/** Swap functions of the Guard, by selector. */
export const callShapeBySelector: Readonly<Record<string, CallShape>> = {
  '0x2dfcad76': { name: 'swap', wordsBeforeOrder: 1, payoutWords: 0, hasPermit: false },
  '0x3293da90': { name: 'swapNative', wordsBeforeOrder: 0, payoutWords: 0, hasPermit: false },
  '0xeeea3835': { name: 'swapWithPayout', wordsBeforeOrder: 1, payoutWords: 4, hasPermit: false },
  '0xe956b9b0': { name: 'swapDirect', wordsBeforeOrder: 2, payoutWords: 0, hasPermit: false },
  '0x5d24e7d9': { name: 'swapWithPermit', wordsBeforeOrder: 1, payoutWords: 4, hasPermit: true },
  '0xc74a41f4': { name: 'swapDirectWithPermit', wordsBeforeOrder: 2, payoutWords: 0, hasPermit: true },
}

const SELECTOR_BYTES = 4
const WORD_BYTES = 32
const ADDRESS_BYTES = 20
/** Number of words of the order: input token, output token, minimum output, deadline, and Executor. */
const ORDER_WORDS = 5

/** Byte ranges of the fields, and of the program's steps in execution order. */
export type CalldataRanges = {
  readonly fields: Partial<Record<CalldataField, ByteRange>>
  readonly steps: readonly ByteRange[]
}

/**
 * Returns the byte ranges of the fields and steps.
 *
 * @param data - calldata that `explain` has decoded
 */
export function rangesOf(data: string, { steps }: Pick<Explanation, 'steps'>): CalldataRanges {
  const shape = callShapeBySelector[data.slice(0, 10).toLowerCase()]
  if (!shape) return { fields: {}, steps: [] }
  const { wordsBeforeOrder, payoutWords, hasPermit } = shape
  const uintRange = (wordIndex: number): ByteRange => [
    SELECTOR_BYTES + wordIndex * WORD_BYTES,
    SELECTOR_BYTES + (wordIndex + 1) * WORD_BYTES,
  ]
  const addressRange = (wordIndex: number): ByteRange => [
    SELECTOR_BYTES + (wordIndex + 1) * WORD_BYTES - ADDRESS_BYTES,
    SELECTOR_BYTES + (wordIndex + 1) * WORD_BYTES,
  ]
  // Words after the order: the offset of the permit (if any), the payout, and the offset of the program.
  const payoutIndex = wordsBeforeOrder + ORDER_WORDS + (hasPermit ? 1 : 0)
  const programOffsetIndex = payoutIndex + payoutWords
  const programStart =
    SELECTOR_BYTES +
    Number(
      BigInt(`0x${data.slice(2 + 2 * uintRange(programOffsetIndex)[0], 2 + 2 * uintRange(programOffsetIndex)[1])}`),
    ) +
    WORD_BYTES
  let offset = programStart
  return {
    fields: {
      call: [0, SELECTOR_BYTES],
      ...(wordsBeforeOrder > 0 && { amountIn: uintRange(0) }),
      ...(wordsBeforeOrder === 2 && { recipient: addressRange(1) }),
      ...{
        tokenIn: addressRange(wordsBeforeOrder),
        tokenOut: addressRange(wordsBeforeOrder + 1),
        minOutput: uintRange(wordsBeforeOrder + 2),
      },
      ...{ deadline: uintRange(wordsBeforeOrder + 3), executor: addressRange(wordsBeforeOrder + 4) },
      ...(payoutWords > 0 && {
        recipient: addressRange(payoutIndex),
        fee: uintRange(payoutIndex + 1),
        feeRecipient: addressRange(payoutIndex + 2),
      }),
      ...(payoutWords > 0 && { wrapper: addressRange(payoutIndex + 3) }),
    },
    // `explain` accepts only canonical encodings, so a step has the length of its new encoding.
    steps: steps.map((step): ByteRange => {
      const from = offset
      offset += (encodeProgram([step]).length - 2) / 2
      return [from, offset]
    }),
  }
}

/** A piece of the calldata: the bytes of one field or step, or bytes that belong to none. */
export type CalldataPiece = { readonly hex: string; readonly field?: CalldataField; readonly stepIndex?: number }

/** Divides the calldata into consecutive pieces. */
export function piecesOf(data: string, { fields, steps }: CalldataRanges): readonly CalldataPiece[] {
  const hex = data.slice(2)
  const ownedRanges = [
    ...Object.entries(fields).map(([field, range]) => ({ field: field as CalldataField, range })),
    ...steps.map((range, stepIndex) => ({ stepIndex, range })),
  ].sort((a, b) => a.range[0] - b.range[0])
  const pieces: CalldataPiece[] = []
  let offset = 0
  for (const { range, ...owner } of ownedRanges) {
    if (range[0] > offset) pieces.push({ hex: hex.slice(2 * offset, 2 * range[0]) })
    pieces.push({ hex: hex.slice(2 * range[0], 2 * range[1]), ...owner })
    offset = range[1]
  }
  if (2 * offset < hex.length) pieces.push({ hex: hex.slice(2 * offset) })
  return pieces
}
