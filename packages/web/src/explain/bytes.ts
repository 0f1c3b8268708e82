/** Byte ranges of calldata that prove each fact, derived from the encodings of Guard calls and programs. */

import type { Explanation } from '@sluice/client'
import { encodeProgram } from '@sluice/program'

export type FactName =
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
/** First byte, and the byte after the last. */
export type ByteRange = readonly [from: number, to: number]

type Shape = {
  readonly name: string
  /** Words before the order: the amount, and in direct mode the recipient. */
  readonly before: number
  /** Words of the payout. */
  readonly payout: 0 | 4
  readonly permit: boolean
}

/** Swap functions of the Guard, by selector. */
export const calls: Readonly<Record<string, Shape>> = {
  '0x2dfcad76': { name: 'swap', before: 1, payout: 0, permit: false },
  '0x3293da90': { name: 'swapNative', before: 0, payout: 0, permit: false },
  '0xeeea3835': { name: 'swapWithPayout', before: 1, payout: 4, permit: false },
  '0xe956b9b0': { name: 'swapDirect', before: 2, payout: 0, permit: false },
  '0x5d24e7d9': { name: 'swapWithPermit', before: 1, payout: 4, permit: true },
  '0xc74a41f4': { name: 'swapDirectWithPermit', before: 2, payout: 0, permit: true },
}

const SELECTOR = 4
const WORD = 32
const ADDRESS = 20
const ORDER_WORDS = 5

export type Ranges = { readonly facts: Partial<Record<FactName, ByteRange>>; readonly steps: readonly ByteRange[] }

/**
 * Returns the byte ranges of the facts and steps.
 *
 * @param data - calldata that `explain` has decoded
 */
export function rangesOf(data: string, { steps }: Pick<Explanation, 'steps'>): Ranges {
  const shape = calls[data.slice(0, 10).toLowerCase()]
  if (!shape) return { facts: {}, steps: [] }
  const { before, payout, permit } = shape
  const uint = (word: number): ByteRange => [SELECTOR + word * WORD, SELECTOR + (word + 1) * WORD]
  const address = (word: number): ByteRange => [SELECTOR + (word + 1) * WORD - ADDRESS, SELECTOR + (word + 1) * WORD]
  // Words after the order: with a permit its offset, then the payout, then the offset of the program.
  const pay = before + ORDER_WORDS + (permit ? 1 : 0)
  const offsetWord = pay + payout
  const program =
    SELECTOR + Number(BigInt(`0x${data.slice(2 + 2 * uint(offsetWord)[0], 2 + 2 * uint(offsetWord)[1])}`)) + WORD
  let offset = program
  return {
    facts: {
      call: [0, SELECTOR],
      ...(before > 0 && { amountIn: uint(0) }),
      ...(before === 2 && { recipient: address(1) }),
      ...{ tokenIn: address(before), tokenOut: address(before + 1), minOutput: uint(before + 2) },
      ...{ deadline: uint(before + 3), executor: address(before + 4) },
      ...(payout > 0 && { recipient: address(pay), fee: uint(pay + 1), feeRecipient: address(pay + 2) }),
      ...(payout > 0 && { wrapper: address(pay + 3) }),
    },
    // `explain` accepts only canonical encodings, so re-encoding a step gives its length.
    steps: steps.map((step): ByteRange => {
      const from = offset
      offset += (encodeProgram([step]).length - 2) / 2
      return [from, offset]
    }),
  }
}

/** A piece of the calldata: bytes of one fact or step, or bytes between them. */
export type Piece = { readonly hex: string; readonly fact?: FactName; readonly step?: number }

export function piecesOf(data: string, { facts, steps }: Ranges): readonly Piece[] {
  const hex = data.slice(2)
  const ownedParts = [
    ...Object.entries(facts).map(([fact, range]) => ({ fact: fact as FactName, range })),
    ...steps.map((range, step) => ({ step, range })),
  ].sort((a, b) => a.range[0] - b.range[0])
  const pieces: Piece[] = []
  let offset = 0
  for (const { range, ...owner } of ownedParts) {
    if (range[0] > offset) pieces.push({ hex: hex.slice(2 * offset, 2 * range[0]) })
    pieces.push({ hex: hex.slice(2 * range[0], 2 * range[1]), ...owner })
    offset = range[1]
  }
  if (2 * offset < hex.length) pieces.push({ hex: hex.slice(2 * offset) })
  return pieces
}
