/** Integer arithmetic with the contracts' rounding. Bigints never overflow. */

/** Divides and rounds up; operands must not be negative. */
export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** True if two steps of a contract's Newton iteration differ by at most one unit, at which the contract ends it. */
export const isConverged = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= 1n

/** Returns floor(√value). */
export function sqrt(value: bigint): bigint {
  if (value < 2n) return value
  // Start at or above the root, from where Newton's steps descend.
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const nextRoot = (root + value / root) >> 1n
    if (nextRoot >= root) return root
    root = nextRoot
  }
}
