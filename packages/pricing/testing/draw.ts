/** Seeded random numbers. */
export type Draw = {
  /** Returns a number in [0, 1). */
  readonly next: () => number
  /** Returns an integer in [from, to). */
  readonly pick: (from: number, to: number) => number
  readonly chance: (share: number) => boolean
  /** Returns a log-uniform number in [from, to). */
  readonly size: (from: number, to: number) => number
}

/** Creates a generator of random numbers (Mulberry32). */
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
