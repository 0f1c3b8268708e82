import type { PriceCurve } from '../src/index.ts'

/** Relative part below its pool at which a curve ends at most. */
const END = 1e-9
/** Base units that roundings of a pool may take in addition: two for each step, which is a bitmap word or a tick. */
const ROUNDED = 8_000

/** Input of a whole curve, summed up as searches do. */
export function endOf({ sqrtPrice, liquidity, keepIn }: PriceCurve): number {
  let input = 0
  for (let k = 0; k < liquidity.length; k++) {
    const [from, to, depth] = [sqrtPrice[k]!, sqrtPrice[k + 1]!, liquidity[k]!]
    if (depth > 0) input += (depth * (from - to)) / (from * to)
  }
  return input / keepIn
}

/** True of a curve that ends where its pool does: not beyond, and not before but for the rounding of floats. */
export function endsAt(curve: PriceCurve, maxInput: bigint): boolean {
  const [end, max] = [endOf(curve), Number(maxInput)]
  return end <= max && end >= max * (1 - END) - ROUNDED
}
