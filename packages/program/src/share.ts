/** Shares of the Executor's balance, as numerators over SHARE_DENOMINATOR. */
import { SHARE_DENOMINATOR } from './format.ts'

/**
 * Returns the share nearest to num / den that the Executor can represent, between 1 and SHARE_DENOMINATOR − 1. A step
 * that takes the whole balance (num = den) has the input `rest` instead.
 *
 * @param num - 0 < num < den
 */
export function toShare(num: bigint, den: bigint): number {
  const max = BigInt(SHARE_DENOMINATOR) - 1n
  const nearestShare = (2n * num * BigInt(SHARE_DENOMINATOR) + den) / (2n * den)
  return Number(nearestShare < 1n ? 1n : nearestShare > max ? max : nearestShare)
}

/** Returns the amount of a share of a balance, rounded down as in the Executor. */
export function shareOf(balance: bigint, share: number): bigint {
  return (balance * BigInt(share)) / BigInt(SHARE_DENOMINATOR)
}
