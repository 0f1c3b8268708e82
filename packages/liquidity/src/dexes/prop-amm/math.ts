/** Quotes between the samples of a venue. What it pays more for the first unit than for the next lies above these lines, not below. */
import { PoolRefusal } from '../../family.ts'
import type { PropAmmState, Sample } from './types.ts'

/**
 * The least that a venue whose price only falls pays for an amount between two samples, rounded down.
 *
 * @throws PoolRefusal `PAUSED` where it does not trade; `TOO_LARGE` beyond the last sample; `UNSUPPORTED` on the way back of a swap, after
 *   which nobody knows its price; `TOO_SMALL`
 */
export function quote(
  { samples, sold }: PropAmmState,
  i: 0 | 1,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: PropAmmState } {
  if (samples[i].length === 0) throw new PoolRefusal('PAUSED', 'the venue does not trade this way now')
  if (sold[i === 0 ? 1 : 0] > 0n) throw new PoolRefusal('UNSUPPORTED', 'its price after a swap is its own affair')
  const all = sold[i] + amountIn
  const amountOut = at(samples[i], all) - at(samples[i], sold[i])
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { samples, sold: i === 0 ? [all, sold[1]] : [sold[0], all] } }
}

function at(samples: readonly Sample[], amount: bigint): bigint {
  const k = samples.findIndex(([amountIn]) => amountIn >= amount)
  if (k < 0) throw new PoolRefusal('TOO_LARGE', `it was asked for no more than ${samples.at(-1)![0]}`)
  const [fromIn, fromOut] = samples[k - 1] ?? [0n, 0n]
  const [toIn, toOut] = samples[k]!
  return fromOut + ((toOut - fromOut) * (amount - fromIn)) / (toIn - fromIn)
}
