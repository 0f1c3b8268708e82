/** Integer arithmetic that rounds as contracts do. Unlike in a contract, no result overflows. */

/** Divides and rounds up; operands must not be negative. */
export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

/** Returns the smaller number. */
export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
/** Returns the larger number. */
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * True if successive values of a Newton iteration differ by at most one unit, where the contracts end the iteration.
 */
export const isConverged = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= 1n

/** Returns floor(√value). */
export function sqrt(value: bigint): bigint {
  if (value < 2n) return value
  // Start at or above the root, because Newton's method then descends to it.
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const nextRoot = (root + value / root) >> 1n
    if (nextRoot >= root) return root
    root = nextRoot
  }
}
