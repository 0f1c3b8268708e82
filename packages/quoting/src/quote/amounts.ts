/** The arithmetic of a quote, in whole base units. Parts per million are named Ppm. */
import { PPM, PPM_PER_PERCENT } from '@sluice/chains'

/** Amount that the Guard keeps for the fee recipient, rounded down as the Guard does. */
export function feeOf(output: bigint, feePpm: bigint): bigint {
  return (output * feePpm) / PPM
}

/** Least output that the transaction accepts; at least 1, since the Guard refuses 0. */
export function minOutputOf(amountOut: bigint, slippagePpm: bigint): bigint {
  const least = (amountOut * (PPM - slippagePpm)) / PPM
  return least > 0n ? least : 1n
}

/** The least output whose `minOutputOf` is this much. */
export function outputFor(minOutput: bigint, slippagePpm: bigint): bigint {
  const kept = PPM - slippagePpm
  return (minOutput * PPM + kept - 1n) / kept
}

/** Rest of an output after the fee, and of that after a tax, each rounded down as it is taken. */
export function leftOf(output: bigint, feePpm: bigint, taxPpm: bigint): bigint {
  const paidOut = output - feeOf(output, feePpm)
  return paidOut - feeOf(paidOut, taxPpm)
}

/** The least output of which at least so much is left. */
export function grossFor(left: bigint, feePpm: bigint, taxPpm: bigint): bigint {
  const before = (amount: bigint, ppm: bigint) => ((amount - 1n) * PPM) / (PPM - ppm) + 1n
  return before(before(left, taxPpm), feePpm)
}

/** Parts per million that are missing from `expected`; negative when there is more. */
export function shortfallPpm(expected: bigint, actual: bigint): bigint {
  return expected === 0n ? 0n : ((expected - actual) * PPM) / expected
}

/** Base units as a float of whole tokens, for USD figures only. */
export function toWhole(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Parts per million as percent with at most 4 decimals: 12,500n is 1.25. */
export function toPercent(ppm: bigint): number {
  return Number(ppm) / Number(PPM_PER_PERCENT)
}
