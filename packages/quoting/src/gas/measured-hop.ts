/** Gas of a hop after refunds, from what probes measured before them. */
import { hopRefund, type MeasuredHop } from '@sluice/routing'

/** Refund of a balance of the Executor's that a hop empties, EIP-3529. */
const EMPTIED_REFUND = 19_900
/** Gas that the hop before is measured with for a balance of the Executor's, beyond that of a balance which the pool has already. */
const PAID_AT_POOL = 17_100

/** Gas before refunds by the hop's place in a route; null where the hop failed, or its family does nothing of the kind. */
type GrossGas = Readonly<Record<'first' | 'middle' | 'last', number | null | undefined>>

/**
 * Null where the hop failed behind another one.
 *
 * @param isPrepaid - the hop before pays the pool
 */
export function measuredHop(
  family: string,
  { first, middle, last }: GrossGas,
  isPrepaid: boolean,
): Omit<MeasuredHop, 'tokenIn' | 'tokenOut'> | null {
  if (!middle) return null
  const input = isPrepaid ? PAID_AT_POOL : EMPTIED_REFUND
  const between = middle - input - hopRefund(family, false, false)
  return {
    first: first ? first - hopRefund(family, true, false) : between,
    middle: between,
    last: last ? last - input - hopRefund(family, false, true) : between,
  }
}
