/** Numbers drawn from a seed. */
export type Draw = {
  /** From 0 up, below 1. */
  readonly next: () => number
  /** A whole number from `from` up, below `to`. */
  readonly pick: (from: number, to: number) => number
  readonly chance: (share: number) => boolean
  /** Between the two, all orders of magnitude alike. */
  readonly size: (from: number, to: number) => number
}

/** Mulberry32: the same numbers every time. */
export function draws(seed: number): Draw {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    pick: (from, to) => from + Math.floor(next() * (to - from)),
    chance: (share) => next() < share,
    size: (from, to) => from * (to / from) ** next(),
  }
}
