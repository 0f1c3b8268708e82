import { SHARE_DENOMINATOR } from './format.ts'

/**
 * The nearest share the Executor can take, between 1 and SHARE_DENOMINATOR − 1. A leg that takes all (num = den) has no
 * share: it takes the rest.
 *
 * @param num - 0 < num < den
 */
export function toShare(num: bigint, den: bigint): number {
  const most = BigInt(SHARE_DENOMINATOR) - 1n
  const nearest = (2n * num * BigInt(SHARE_DENOMINATOR) + den) / (2n * den)
  return Number(nearest < 1n ? 1n : nearest > most ? most : nearest)
}

/** Part of an amount held that a share takes, exactly as the Executor computes it. */
export function shareOf(held: bigint, share: number): bigint {
  return (held * BigInt(share)) / BigInt(SHARE_DENOMINATOR)
}
