/** Whole-number arithmetic as the contracts do it, on values that bigint never lets overflow. */

/** Rounded towards +∞, for operands that are not negative. */
export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** floor(√value). */
export function sqrt(value: bigint): bigint {
  if (value < 2n) return value
  // At or above the root, from where Newton's steps fall until they would rise.
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
