/**
 * Interpolates quotes linearly between samples of a proprietary AMM. Larger inputs get a worse price, so the AMM pays
 * at least as much as an interpolated quote.
 */
import { PoolRefusal, type PriceCurve } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { applyEndMargin } from '../../math/curve-end.ts'
import { concaveHull } from '../../math/spline.ts'
import type { PropAmmState, QuoteSample } from './types.ts'

/**
 * Quotes an exact input by linear interpolation, rounded down.
 *
 * @param i - index of the input token
 * @throws PoolRefusal `PAUSED` if the direction is not traded, `TOO_LARGE` above the last sample, `TOO_SMALL` for no
 * output, `UNSUPPORTED` after a swap in the opposite direction, which changes the price by an unknown amount
 */
export function quote(
  { samples, sold }: PropAmmState,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: PropAmmState } {
  if (samples[i].length === 0) throw new PoolRefusal('PAUSED', 'the AMM does not trade in this direction now')
  if (sold[i === 0 ? 1 : 0] > 0n)
    throw new PoolRefusal('UNSUPPORTED', 'the price after a swap in the opposite direction is unknown')
  const totalSold = sold[i] + amountIn
  const amountOut = outputAt(samples[i], totalSold) - outputAt(samples[i], sold[i])
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { samples, sold: i === 0 ? [totalSold, sold[1]] : [sold[0], totalSold] } }
}

/**
 * Returns the output of an input by linear interpolation, rounded down. @throws PoolRefusal `TOO_LARGE` above the
 * samples
 */
function outputAt(samples: readonly QuoteSample[], amount: bigint): bigint {
  const k = samples.findIndex(([amountIn]) => amountIn >= amount)
  if (k < 0)
    throw new PoolRefusal('TOO_LARGE', `the largest sampled input is ${samples.at(-1)![0]}`, { isModelLimit: true })
  const [fromIn, fromOut] = samples[k - 1] ?? [0n, 0n]
  const [toIn, toOut] = samples[k]!
  return fromOut + ((toOut - fromOut) * (amount - fromIn)) / (toIn - fromIn)
}

/** Returns the largest input that `quote` accepts: the input of the last sample less the amount already sold. */
export function maxInput(state: PropAmmState, i: 0 | 1): bigint | null {
  const largestSample = state.samples[i].at(-1)?.[0] ?? 0n
  return largestInput((amountIn) => quote(state, i, amountIn), largestSample - state.sold[i])
}

/** Returns the price curve: straight lines between the samples that lie on the concave hull of all samples. */
export function curveOf(state: PropAmmState, i: 0 | 1): PriceCurve {
  const builder = new CurveBuilder()
  if (maxInput(state, i) === 0n) return builder.build(1)
  const { samples, sold } = state
  const soldOutput = outputAt(samples[i], sold[i])
  const samplesAhead = samples[i].filter(([amountIn]) => amountIn > sold[i])
  const points = { x: [0], y: [0] }
  for (const [amountIn, amountOut] of samplesAhead) {
    points.x.push(Number(amountIn - sold[i]))
    points.y.push(Number(amountOut - soldOutput))
  }
  const { x, y } = concaveHull(points)
  for (let k = 1; k < x.length; k++) builder.addLine((y[k]! - y[k - 1]!) / (x[k]! - x[k - 1]!), x[k]! - x[k - 1]!)
  return applyEndMargin(builder.build(1))
}
