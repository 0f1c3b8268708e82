/** Seeded pseudorandom numbers (mulberry32), so that a run can be repeated. */
export type Random = {
  /** Returns an integer from 0 to `end` - 1. */
  readonly below: (end: number) => number
  readonly of: <T>(list: readonly T[]) => T
  /** Returns `count` random bytes as 0x-prefixed text. */
  readonly bytes: (count: number) => `0x${string}`
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    of: (list) => list[below(list.length)]!,
    bytes: (count) => `0x${Array.from({ length: count }, () => below(256).toString(16).padStart(2, '0')).join('')}`,
  }
}
