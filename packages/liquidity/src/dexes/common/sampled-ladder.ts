/**
 * Chooses the amounts at which a pool is sampled. They surround its knee: the input above which more input buys hardly
 * more.
 */
import type { SampledAmount, SampledState } from './sampled-state.ts'

/** Largest input that is tried: balance changes of Uniswap V4 are int128. */
const MAX_AMOUNT = (1n << 127n) - 1n

/** Amounts for a pool that was never sampled: from 2^8 to 2^122, each 2^6 times the previous amount. */
const FIRST_BITS = 8n
const SEARCH_BITS = 6n
const SEARCH_STEPS = 20

/**
 * Number of amounts below the knee of a pool, each a quarter of the next larger amount, and factors of the amounts
 * above the knee. All amounts are powers of two.
 */
const STEPS_BELOW = 9
const FACTORS_ABOVE = [2n, 4n] as const

/**
 * Output at the knee, as a percentage of the largest sampled output. On x·y = k, an input of nine times the reserve
 * buys 90 % of the other reserve.
 */
const KNEE_PERCENT = 90n

/** Maximum amounts of past routes that are sampled again, for each direction. */
export const MAX_FOCUS = 3
/** An amount of a past route is sampled together with the amounts that are 1/16 smaller and 1/16 larger. */
const NEAR_DIVISOR = 16n
/** Relative difference, in parts per thousand, up to which two amounts count as the same. */
const SAME_PER_MILLE = 2n

/** Maximum number of amounts that `ladderOf` returns. */
export const LADDER_LENGTH = STEPS_BELOW + 1 + FACTORS_ABOVE.length + MAX_FOCUS

type LadderBasis = Pick<SampledState, 'samples' | 'focus'>

/** Returns the amounts for a pool without samples. They span the base units of all tokens. */
export function searchLadder(): readonly bigint[] {
  return Array.from({ length: SEARCH_STEPS }, (_, k) => 1n << (FIRST_BITS + SEARCH_BITS * BigInt(k)))
}

/**
 * Returns the amounts of the next samples, ascending. Returns `searchLadder()` if the pool did not trade.
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
 * Returns the knee: the smallest sampled power of two that buys nearly as much as the largest amount, rounded down to a
 * power of four. So the amounts depend only on the pool, not on the time of its first sample or on past routes.
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

/** True if all directions would be sampled at the same amounts again. */
export const hasSameLadders = (oldState: LadderBasis, newState: LadderBasis): boolean =>
  oldState.samples.every(
    (_, direction) => ladderOf(oldState, direction).join() === ladderOf(newState, direction).join(),
  )

/**
 * Returns an amount, a smaller one, and a larger one, because the next search may choose a slightly different input.
 */
export const amountsAround = (amount: bigint): readonly bigint[] => [
  amount - amount / NEAR_DIVISOR,
  amount,
  amount + amount / NEAR_DIVISOR,
]

/** Returns the focus with an amount added in front, without past amounts that are nearly the same. */
export function withFocus(focus: readonly bigint[], amount: bigint): readonly bigint[] {
  return [amount, ...focus.filter((pastAmount) => !isSameAmount(pastAmount, amount))].slice(0, MAX_FOCUS)
}

/** True if two amounts differ so little that a sample of one can be used for the other. */
export function isSameAmount(a: bigint, b: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 1_000n <= SAME_PER_MILLE * b
}
