/** The largest input that a pool accepts, for families without a closed form of it. */
import { type PoolRefusal, refusalOf } from '../family.ts'
import { max, min } from './integers.ts'

/** Inputs from here on count as any amount: no token has so many base units. */
export const UNLIMITED_INPUT = 1n << 128n

/** The limit of pools that take any amount. */
export const NO_LIMIT = UNLIMITED_INPUT - 1n

/** A capacity as `DexFamily.maxInput` states it: null from `UNLIMITED_INPUT` on, 0n when negative. */
export const asMaxInput = (largest: bigint): bigint | null => (largest >= NO_LIMIT ? null : largest > 0n ? largest : 0n)

type Quote = (amountIn: bigint) => unknown
type Verdict = 'accepted' | 'too small' | 'too large' | 'unsupported' | 'none'

/** Units below an amount that is refused for another reason than its size, which are tried one by one. */
const NEAR_UNITS = 16n

/**
 * Finds the largest input that `quote` accepts: brackets it from a guess with doubling steps, then bisects. Refusals as
 * `TOO_LARGE` must be monotone in the amount.
 *
 * @param guess - the closer, the fewer quotes: about twice the bits of the error
 * @param precisionBits - the result may be too low by its 2^−precisionBits; exact when absent
 * @returns as `DexFamily.maxInput`
 */
export function largestInput(quote: Quote, guess: bigint, precisionBits?: number): bigint | null {
  const start = guess < 1n ? 1n : guess > NO_LIMIT ? NO_LIMIT : guess
  const first = judge(quote, start)
  if (first === 'none') return 0n
  const isFirstTooLarge = first === 'too large'
  const slackOf = (amount: bigint) => (precisionBits === undefined ? 1n : max(1n, amount >> BigInt(precisionBits)))
  // Amounts up to `low` are not too large, those from `high` on are.
  let [low, high] = isFirstTooLarge ? [0n, start] : [start, UNLIMITED_INPUT]
  for (let bits = 0n; high - low > 1n; bits = 2n * bits + 1n) {
    const offset = slackOf(start) << bits
    const next = isFirstTooLarge ? max(start - offset, 1n) : min(start + offset, NO_LIMIT)
    const isTooLarge = judge(quote, next) === 'too large'
    if (isTooLarge) high = next
    else low = next
    if (isTooLarge !== isFirstTooLarge || next === 1n || next === NO_LIMIT) break
  }
  while (high - low > slackOf(low)) {
    const middle = (low + high) >> 1n
    if (judge(quote, middle) === 'too large') high = middle
    else low = middle
  }
  return asMaxInput(low === start && first === 'accepted' ? low : acceptedUpTo(quote, low))
}

/**
 * The largest accepted amount up to one that is not too large. Pools refuse a few amounts for their own roundings, and the model more
 * where it does not know them.
 */
function acceptedUpTo(quote: Quote, from: bigint): bigint {
  const isAccepted = (amount: bigint) => judge(quote, amount) === 'accepted'
  for (let amount = from; amount > 0n && amount > from - NEAR_UNITS; amount--) if (isAccepted(amount)) return amount
  let [low, high] = [from >> 1n, from]
  while (low > 0n && !isAccepted(low)) [low, high] = [low >> 1n, low]
  while (high - low > 1n && low > 0n) {
    const middle = (low + high) >> 1n
    if (isAccepted(middle)) low = middle
    else high = middle
  }
  return low
}

function judge(quote: Quote, amountIn: bigint): Verdict {
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
  return code === 'UNSUPPORTED' ? 'unsupported' : 'none'
}
