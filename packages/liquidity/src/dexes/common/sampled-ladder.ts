/** Chooses the amounts at which a pool is sampled. */
import type { SampledAmount, SampledState } from './sampled-state.ts'

/** Largest input that is tried: balance changes of Uniswap V4 are int128. */
const MAX_AMOUNT = (1n << 127n) - 1n

/** Amounts of a pool that was never sampled: each 64 times the one before, from 2^8 to 2^122. */
const FIRST_BITS = 8n
const SEARCH_BITS = 6n
const SEARCH_STEPS = 20

/** Amounts below the knee of a pool, each a quarter of the one before, and those above. All are powers of two. */
const STEPS_BELOW = 9
const ABOVE = [2n, 4n] as const

/**
 * Fraction of the largest sampled output, in percent, from which on more input hardly buys more: 90 % of the output of
 * x·y = k is paid for nine times its reserve.
 */
const KNEE_PERCENT = 90n

/** Maximum amounts of past routes that are kept for each direction. */
export const MAX_FOCUS = 3
/** Relative distance of the samples next to an amount, as its reciprocal. */
const NEAR_DIVISOR = 16n
/** Relative distance, in parts per thousand, below which two amounts count as the same. */
const SAME_PER_MILLE = 2n

/** Maximum number of amounts that `ladderOf` returns. */
export const LADDER_LENGTH = STEPS_BELOW + 1 + ABOVE.length + MAX_FOCUS

type SampledLadders = Pick<SampledState, 'samples' | 'focus'>

/** Returns the amounts for a pool of which nothing is known: they span all sizes of tokens. */
export function searchLadder(): readonly bigint[] {
  return Array.from({ length: SEARCH_STEPS }, (_, k) => 1n << (FIRST_BITS + SEARCH_BITS * BigInt(k)))
}

/**
 * Returns the amounts of the next samples, ascending. If the pool did not trade, they are the amounts of the search.
 */
export function ladderOf({ samples, focus }: SampledLadders, i: 0 | 1): readonly bigint[] {
  if (samples[i].length === 0) return searchLadder()
  const knee = kneeOf(samples[i])
  const below = Array.from({ length: STEPS_BELOW + 1 }, (_, k) => knee >> BigInt(2 * k))
  const amounts = [...below, ...ABOVE.map((factor) => knee * factor), ...focus[i]]
  return [...new Set(amounts.filter((amount) => amount > 0n && amount <= MAX_AMOUNT))].sort((a, b) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
}

/**
 * Returns the smallest sampled power of four, or the power of four below the smallest sampled power of two, that buys
 * nearly as much as any amount. So the amounts depend on the pool alone, and not on when it was sampled first, or on
 * the routes of others.
 */
function kneeOf(samples: readonly SampledAmount[]): bigint {
  const maxOutput = samples.at(-1)![1]
  const rungs = samples.filter(([amountIn]) => (amountIn & (amountIn - 1n)) === 0n)
  const knee =
    rungs.find(([, amountOut]) => amountOut * 100n >= maxOutput * KNEE_PERCENT) ?? rungs.at(-1) ?? samples.at(-1)!
  const bits = BigInt(knee[0].toString(2).length - 1)
  return 1n << (bits - (bits % 2n))
}

/** True if both directions would be sampled at the same amounts again. */
export const isSettled = (before: SampledLadders, after: SampledLadders): boolean =>
  ([0, 1] as const).every((i) => ladderOf(before, i).join() === ladderOf(after, i).join())

/** Returns an amount with two others next to it: the search that follows may move a little. */
export const around = (amount: bigint): readonly bigint[] => [
  amount - amount / NEAR_DIVISOR,
  amount,
  amount + amount / NEAR_DIVISOR,
]

/** Returns the focus with an amount added in front, without others that are nearly the same. */
export function withFocus(focus: readonly bigint[], amount: bigint): readonly bigint[] {
  return [amount, ...focus.filter((other) => !isSameAmount(other, amount))].slice(0, MAX_FOCUS)
}

/** True if two amounts differ so little that a sample of one serves for the other. */
export function isSameAmount(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000n <= SAME_PER_MILLE * b
}
