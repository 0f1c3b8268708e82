/** Computes amounts of a quote in integer base units. Names in `Ppm` are in parts per million. */
import { PPM, PPM_PER_PERCENT } from '@sluice/chains'

/** Returns the fee that the Guard (our entry contract) keeps for the fee recipient, rounded down as the Guard does. */
export function feeOf(output: bigint, feePpm: bigint): bigint {
  return (output * feePpm) / PPM
}

/** Returns the minimum output that the transaction accepts; at least 1, because the Guard rejects 0. */
export function minOutputOf(amountOut: bigint, slippagePpm: bigint): bigint {
  const minOutput = (amountOut * (PPM - slippagePpm)) / PPM
  return minOutput > 0n ? minOutput : 1n
}

/** Returns the smallest output that is at least `minOutput` after slippage. Inverse of `minOutputOf`. */
export function outputFor(minOutput: bigint, slippagePpm: bigint): bigint {
  const keptPpm = PPM - slippagePpm
  return (minOutput * PPM + keptPpm - 1n) / keptPpm
}

/** Returns the output after the fee for the fee recipient, and then a transfer tax. Rounds fee and tax down. */
export function netOf(output: bigint, feePpm: bigint, taxPpm: bigint): bigint {
  const paidOut = output - feeOf(output, feePpm)
  return paidOut - feeOf(paidOut, taxPpm)
}

/** Returns the smallest output that leaves at least `net` after fee and tax. Inverse of `netOf`. */
export function grossFor(net: bigint, feePpm: bigint, taxPpm: bigint): bigint {
  const amountBefore = (amount: bigint, ppm: bigint) => ((amount - 1n) * PPM) / (PPM - ppm) + 1n
  return amountBefore(amountBefore(net, taxPpm), feePpm)
}

/** Returns the shortfall of `actual` against `expected` in ppm; negative if `actual` is larger. */
export function shortfallPpm(expected: bigint, actual: bigint): bigint {
  return expected === 0n ? 0n : ((expected - actual) * PPM) / expected
}

/** Converts base units to whole tokens as a float, for USD figures only. */
export function toWhole(amount: bigint, decimals: number): number {
  return Number(amount) / 10 ** decimals
}

/** Converts ppm to percent with at most 4 decimals: 12,500n is 1.25. */
export function toPercent(ppm: bigint): number {
  return Number(ppm) / Number(PPM_PER_PERCENT)
}
