/** Seeded random numbers. */

/** A seeded random generator, which returns the same numbers from the same seed on every machine. */
export type Random = {
  /** Returns a number in [0, 1). */
  next(): number
  /** Returns a normal deviate with mean 0 and standard deviation 1. */
  normal(): number
  pick<T>(items: readonly T[]): T
  /** Returns the hex digits of an address. */
  address(): string
}

/** Creates a mulberry32 generator. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedBits = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedBits = (mixedBits + Math.imul(mixedBits ^ (mixedBits >>> 7), 61 | mixedBits)) ^ mixedBits
    return ((mixedBits ^ (mixedBits >>> 14)) >>> 0) / 4294967296
  }
  const digit = () => Math.floor(next() * 16).toString(16)
  return {
    next,
    normal: () => Math.sqrt(-2 * Math.log(next() || 1e-12)) * Math.cos(2 * Math.PI * next()),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    address: () => `0x${Array.from({ length: 40 }, digit).join('')}`,
  }
}

/** Returns a float, which may exceed 2^53, rounded down to an integer; at least 1. */
export function wholeNumber(value: number): bigint {
  if (!(value >= 1)) return 1n
  const shift = Math.max(0, Math.floor(Math.log2(value)) - 52)
  return BigInt(Math.floor(value / 2 ** shift)) << BigInt(shift)
}

/** Creates an xorshift32 generator of numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
