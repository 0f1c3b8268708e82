/** Finds the largest input that a pool accepts by trial quotes, for families that have no formula for it. */
import { type PoolRefusal, refusalOf } from '../family.ts'
import { max, min } from './integers.ts'

/** Input in base units at which a pool counts as unlimited. No token has so many base units. */
export const UNLIMITED_INPUT = 1n << 128n

/** Largest input that the search tries. Also the approximate input limit of a pool that has no limit. */
export const NO_LIMIT = UNLIMITED_INPUT - 1n

/** Converts an input limit to the result of `DexFamily.maxInput`: null from `NO_LIMIT` on, 0n if negative. */
export const asMaxInput = (maxInput: bigint): bigint | null =>
  maxInput >= NO_LIMIT ? null : maxInput > 0n ? maxInput : 0n

/** Quotes an input in base units; throws a `PoolRefusal` if it is not accepted. */
type Quote = (amountIn: bigint) => unknown
/**
 * Result of a trial quote. `unsupported`: the model cannot compute this amount. `refuses all`: the pool accepts no
 * amount at all.
 */
type Verdict = 'accepted' | 'too small' | 'too large' | 'unsupported' | 'refuses all'

/** Number of amounts to try one by one, downward from the largest amount that is not too large. */
const NEARBY_AMOUNTS = 16n

/**
 * Returns the largest input that `quote` accepts. Brackets the result with trials at distances of 1, 2, 8, 128, … times
 * the tolerance from a guess, then bisects. If `quote` refuses an amount as `TOO_LARGE`, it must refuse all larger
 * amounts as `TOO_LARGE`.
 *
 * @param guess - approximate result; the closer it is, the fewer quotes the search needs
 * @param precisionBits - the result may be too low by a fraction of 2^−precisionBits; absent: exact
 * @returns base units; null for no limit, as in `DexFamily.maxInput`
 */
export function largestInput(quote: Quote, guess: bigint, precisionBits?: number): bigint | null {
  const start = guess < 1n ? 1n : guess > NO_LIMIT ? NO_LIMIT : guess
  const firstVerdict = judgeAmount(quote, start)
  if (firstVerdict === 'refuses all') return 0n
  const isFirstTooLarge = firstVerdict === 'too large'
  const toleranceOf = (amount: bigint) => (precisionBits === undefined ? 1n : max(1n, amount >> BigInt(precisionBits)))
  // Invariant: amounts up to `low` are not too large, and amounts from `high` on are too large.
  let [low, high] = isFirstTooLarge ? [0n, start] : [start, UNLIMITED_INPUT]
  for (let doublings = 0n; high - low > 1n; doublings = 2n * doublings + 1n) {
    const offset = toleranceOf(start) << doublings
    const trialAmount = isFirstTooLarge ? max(start - offset, 1n) : min(start + offset, NO_LIMIT)
    const isTooLarge = judgeAmount(quote, trialAmount) === 'too large'
    if (isTooLarge) high = trialAmount
    else low = trialAmount
    if (isTooLarge !== isFirstTooLarge || trialAmount === 1n || trialAmount === NO_LIMIT) break
  }
  while (high - low > toleranceOf(low)) {
    const middle = (low + high) >> 1n
    if (judgeAmount(quote, middle) === 'too large') high = middle
    else low = middle
  }
  return asMaxInput(low === start && firstVerdict === 'accepted' ? low : largestAcceptedUpTo(quote, low))
}

/**
 * Returns the largest accepted amount up to `from`, which is not too large. The amounts just below `from` can still be
 * refused: rounding makes a pool refuse a few of them. A model that lacks data refuses a long range of them, so the
 * amount is halved until it is accepted, then bisected.
 */
function largestAcceptedUpTo(quote: Quote, from: bigint): bigint {
  const isAccepted = (amount: bigint) => judgeAmount(quote, amount) === 'accepted'
  for (let amount = from; amount > 0n && amount > from - NEARBY_AMOUNTS; amount--) if (isAccepted(amount)) return amount
  let [low, high] = [from >> 1n, from]
  while (low > 0n && !isAccepted(low)) [low, high] = [low >> 1n, low]
  while (high - low > 1n && low > 0n) {
    const middle = (low + high) >> 1n
    if (isAccepted(middle)) low = middle
    else high = middle
  }
  return low
}

/** Returns the verdict of a trial quote. */
function judgeAmount(quote: Quote, amountIn: bigint): Verdict {
  if (amountIn <= 0n) return 'too small'
  try {
    quote(amountIn)
    return 'accepted'
  } catch (error) {
    return verdictOf(refusalOf(error))
  }
}

function verdictOf({ code }: PoolRefusal): Verdict {
  if (code === 'TOO_LARGE') return 'too large'
  if (code === 'TOO_SMALL') return 'too small'
  return code === 'UNSUPPORTED' ? 'unsupported' : 'refuses all'
}
