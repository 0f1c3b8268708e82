/** Finds the relation between a storage word and a balance: the bits of the number, and the rate of shares. */
import { balanceWrites, type Mapping } from './mapping.ts'
import { fictitiousOwner, mergeWrites, type TokenReader } from './reader.ts'

/** Place and meaning of the number in a storage word that determines a balance. */
export type Shape = {
  /** `plain`: the number is the balance. `shares`: the balance is the number times a rate. */
  readonly kind: 'plain' | 'shares'
  /** Lowest bit of the number. */
  readonly shift: number
  /** Width of the number in bits. The other bits of the word hold other data. */
  readonly width: number
  /** Value of shares when the shape was read; only for `shares`. */
  readonly rate?: Rate
}
/** Value of shares: `shares` are worth `units` base units. */
export type Rate = { readonly shares: bigint; readonly units: bigint }

const WORD_BITS = 256

export const numberMask = ({ shift, width }: Shape): bigint => ((1n << BigInt(width)) - 1n) << BigInt(shift)

/**
 * Returns the shape of a word in whose low bits the balance was found; undefined if the word holds shares.
 *
 * @param allOnesBalance - balance if all bits of the word are 1, which shows the width of the number
 */
export function plainShape(allOnesBalance: bigint | null): Shape | undefined {
  if (allOnesBalance === null) return undefined
  const width = allOnesBalance.toString(2).length
  return allOnesBalance === (1n << BigInt(width)) - 1n ? { kind: 'plain', shift: 0, width } : undefined
}

/**
 * Reads the shape in one call, in which each owner has a different single bit set; undefined if no bit affects the
 * balance.
 */
export async function readShape(reader: TokenReader, mapping: Mapping): Promise<Shape | undefined> {
  const writes = mergeWrites(
    ...Array.from(
      { length: WORD_BITS },
      (_, bit) => [mapping.contract, balanceWrites(mapping, fictitiousOwner(bit), 1n << BigInt(bit))] as const,
    ),
  )
  const readings = await reader.readOwners(WORD_BITS + 1, writes)
  const controlBalance = readings[WORD_BITS]!.balance
  return shapeOf(readings.slice(0, WORD_BITS).map(({ balance }) => (balance === controlBalance ? 0n : balance)))
}

/**
 * Computes the shape.
 *
 * @param balanceByBit - at index j, the balance if only bit j is set; null if the token did not respond
 */
function shapeOf(balanceByBit: readonly (bigint | null)[]): Shape | undefined {
  const firstBit = balanceByBit.findIndex((value) => value !== null && value !== 0n)
  if (firstBit === -1) return undefined
  let endBit = firstBit
  while (endBit < balanceByBit.length && balanceByBit[endBit] !== 0n) endBit++
  const bits = balanceByBit.slice(firstBit, endBit)
  if (bits.every((value, index) => value === 1n << BigInt(index))) {
    return { kind: 'plain', shift: firstBit, width: endBit - firstBit }
  }
  // Small numbers of shares round to 0, but their low bits belong to the number too.
  const rate = rateOf(balanceByBit, firstBit)
  return rate && { kind: 'shares', shift: 0, width: endBit, rate }
}

/**
 * Minimum consecutive doublings of the balance that prove it proportional to the word. With fewer doublings, the word
 * may be a key by which the token looks up the balance.
 */
const MIN_DOUBLINGS = 16

/**
 * Returns the rate at the highest bit whose balance is still proportional. Larger numbers may overflow in the token.
 */
function rateOf(values: readonly (bigint | null)[], firstBit: number): Rate | undefined {
  let bit = firstBit
  for (let next = firstBit + 1; next < values.length; next++) {
    const value = values[next]
    const doubledValue = 2n * values[bit]!
    if (value == null || value < doubledValue - 2n || value > doubledValue + 2n) break
    bit = next
  }
  return bit - firstBit < MIN_DOUBLINGS ? undefined : { shares: 1n << BigInt(bit), units: values[bit]! }
}
