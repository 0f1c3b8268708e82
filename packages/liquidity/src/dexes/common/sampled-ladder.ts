/**
 * Chooses the ladder of a pool in one direction: the amounts at which the pool is sampled. The amounts surround the
 * knee, which is the input above which more input buys hardly more output.
 */
import type { SampledAmount, SampledState } from './sampled-state.ts'

/** Largest sampled input, because balance changes of Uniswap V4 are int128. */
const MAX_AMOUNT = (1n << 127n) - 1n

/** Exponent of two of the smallest amount for a pool without samples. */
const FIRST_BITS = 8n
/** Each amount for a pool without samples is 2^6 times the previous amount. */
const SEARCH_BITS = 6n
/** Number of amounts for a pool without samples. The largest amount is 2^122. */
const SEARCH_STEPS = 20

/** Number of amounts below the knee. Each is a quarter of the next larger amount. */
const STEPS_BELOW = 9
/** Amounts above the knee, as multiples of the knee. `kneeOf` recognizes them because they are powers of two. */
const FACTORS_ABOVE = [2n, 4n] as const

/**
 * Output at the knee, as a percentage of the largest sampled output. On x·y = k, an input of nine times the reserve
 * buys 90 % of the other reserve.
 */
const KNEE_PERCENT = 90n

/** Maximum number of inputs of past routes that are sampled again in each direction (`SampledState.focus`). */
export const MAX_FOCUS = 3
/** Inverse of the relative distance between the input of a swap and the two amounts that are sampled around it. */
const NEAR_DIVISOR = 16n
/** Relative difference, in parts per thousand, up to which two amounts count as the same. */
const SAME_PER_MILLE = 2n

/** Maximum number of amounts that `ladderOf` returns. */
export const LADDER_LENGTH = STEPS_BELOW + 1 + FACTORS_ABOVE.length + MAX_FOCUS

/** Fields of a state from which its next ladders are derived. */
type LadderBasis = Pick<SampledState, 'samples' | 'focus'>

/** Returns the amounts for a pool without samples. They span the usual amounts of tokens with any decimals. */
export function searchLadder(): readonly bigint[] {
  return Array.from({ length: SEARCH_STEPS }, (_, k) => 1n << (FIRST_BITS + SEARCH_BITS * BigInt(k)))
}

/**
 * Returns the amounts of the next samples, ascending. Returns `searchLadder()` if the direction has no samples, because
 * all swaps failed.
 */
export function ladderOf(basis: LadderBasis, direction: number): readonly bigint[] {
  const samples = basis.samples[direction]!
  if (samples.length === 0) return searchLadder()
  const knee = kneeOf(samples)
  const amountsBelow = Array.from({ length: STEPS_BELOW + 1 }, (_, k) => knee >> BigInt(2 * k))
  const amounts = [...amountsBelow, ...FACTORS_ABOVE.map((factor) => knee * factor), ...basis.focus[direction]!]
  return [...new Set(amounts.filter((amount) => amount > 0n && amount <= MAX_AMOUNT))].sort((a, b) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
}

/**
 * Returns the knee: the smallest sampled power of two that buys nearly as much as the largest amount. Rounds it down to
 * a power of four. Because of the rounding, the knee depends only on the pool, and not on the amounts that were sampled
 * before.
 */
function kneeOf(samples: readonly SampledAmount[]): bigint {
  const maxOutput = samples.at(-1)![1]
  const ladderSamples = samples.filter(([amountIn]) => (amountIn & (amountIn - 1n)) === 0n)
  const knee =
    ladderSamples.find(([, amountOut]) => amountOut * 100n >= maxOutput * KNEE_PERCENT) ??
    ladderSamples.at(-1) ??
    samples.at(-1)!
  const bits = BigInt(knee[0].toString(2).length - 1)
  return 1n << (bits - (bits % 2n))
}

/** True if both states lead to the same amounts in all directions. */
export const hasSameLadders = (oldState: LadderBasis, newState: LadderBasis): boolean =>
  oldState.samples.every(
    (_, direction) => ladderOf(oldState, direction).join() === ladderOf(newState, direction).join(),
  )

/**
 * Returns an amount, a slightly smaller amount, and a slightly larger amount. All are sampled, because the next route
 * search may choose a slightly different input.
 */
export const amountsAround = (amount: bigint): readonly bigint[] => [
  amount - amount / NEAR_DIVISOR,
  amount,
  amount + amount / NEAR_DIVISOR,
]

/**
 * Returns a focus list (`SampledState.focus`) with an amount added in front. Drops past amounts that are nearly the
 * same, and the oldest amounts.
 */
export function withFocus(focus: readonly bigint[], amount: bigint): readonly bigint[] {
  return [amount, ...focus.filter((pastAmount) => !isSameAmount(pastAmount, amount))].slice(0, MAX_FOCUS)
}

/** True if two amounts differ so little that a sample of one can be used for the other. */
export function isSameAmount(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000n <= SAME_PER_MILLE * b
}
