/** Relation of a storage word to a balance: which of its bits, and whether at a rate. */
import { balanceWrites, type Mapping } from './mapping.ts'
import { mergeWrites, owner, type TokenReader } from './reader.ts'

export type Shape = {
  /** The balance is the number in those bits; a share is worth more or less than one base unit. */
  readonly kind: 'plain' | 'shares'
  /** Lowest bit of the number. */
  readonly shift: number
  /** Bits of the number; the others belong to something else. */
  readonly width: number
  /** Rate of `shares`: so many of them were worth so many base units when the shape was read. */
  readonly rate?: Rate
}
export type Rate = { readonly shares: bigint; readonly units: bigint }

const WORD_BITS = 256

export const numberMask = ({ shift, width }: Shape): bigint => ((1n << BigInt(width)) - 1n) << BigInt(shift)

/** Shape of a mapping in which all ones read as `all` and a marker reads as itself; undefined when it is not that simple. */
export function plainShape(all: bigint | null): Shape | undefined {
  if (all === null) return undefined
  const width = all.toString(2).length
  return all === (1n << BigInt(width)) - 1n ? { kind: 'plain', shift: 0, width } : undefined
}

/** One call: every bit alone in the word of an owner of its own. undefined when no bit shows in the balance. */
export async function readShape(reader: TokenReader, mapping: Mapping): Promise<Shape | undefined> {
  const writes = mergeWrites(
    ...Array.from(
      { length: WORD_BITS },
      (_, bit) => [mapping.contract, balanceWrites(mapping, owner(bit), 1n << BigInt(bit))] as const,
    ),
  )
  const readings = await reader.owners(WORD_BITS + 1, writes)
  const nothing = readings[WORD_BITS]!.balance
  return shapeOf(readings.slice(0, WORD_BITS).map(({ balance }) => (balance === nothing ? 0n : balance)))
}

/** `values[j]` is the balance where bit j alone is set; null where the token refused to answer. */
function shapeOf(values: readonly (bigint | null)[]): Shape | undefined {
  const first = values.findIndex((value) => value !== null && value !== 0n)
  if (first === -1) return undefined
  let end = first
  while (end < values.length && values[end] !== 0n) end++
  const bits = values.slice(first, end)
  if (bits.every((value, index) => value === 1n << BigInt(index))) {
    return { kind: 'plain', shift: first, width: end - first }
  }
  // Small words of shares round down to nothing: their low bits belong to the number all the same.
  const rate = rateOf(values, first)
  return rate && { kind: 'shares', shift: 0, width: end, rate }
}

/** Fewer doublings than that are no proportion: the word may be a number that some other word is looked up by. */
const MIN_DOUBLINGS = 16

/** From the largest word that still follows the line: larger ones may overflow inside the token. */
function rateOf(values: readonly (bigint | null)[], first: number): Rate | undefined {
  let bit = first
  for (let next = first + 1; next < values.length; next++) {
    const value = values[next]
    const doubled = 2n * values[bit]!
    if (value == null || value < doubled - 2n || value > doubled + 2n) break
    bit = next
  }
  return bit - first < MIN_DOUBLINGS ? undefined : { shares: 1n << BigInt(bit), units: values[bit]! }
}
