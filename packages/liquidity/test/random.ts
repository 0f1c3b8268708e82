/** Random but the same at every run: a failing case can be found again by its seed. */
export type Random = {
  /** From 0, below `limit`. */
  integer(limit: number): number
  /** From `low` to `high` bits of magnitude, evenly over the orders of magnitude. */
  amount(lowBits: number, highBits: number): bigint
  pick<T>(list: readonly T[]): T
}

/** mulberry32 */
export function random(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (limit: number) => Math.floor(next() * limit)
  return {
    integer,
    amount: (lowBits, highBits) => {
      const bits = lowBits + integer(highBits - lowBits + 1)
      let value = 1n
      for (let i = 1; i < bits; i++) value = (value << 1n) | BigInt(integer(2))
      return value
    },
    pick: (list) => list[integer(list.length)]!,
  }
}
