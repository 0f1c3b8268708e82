/** Gas that a whole route is expected to cost, by its parts. */
import { partGas } from '@sluice/liquidity'
import { type GasParts, type GasSwap, gasParts } from './parts.ts'

export type RouteGas = {
  /** After refunds: what the sender pays. */
  readonly charged: number
  /** Part of the gas before refunds that comes back. */
  readonly refund: number
  /** The same if no more gas was used than all of it may come back of. */
  readonly refundable: number
}

/** EIP-3529: at most a fifth of the gas comes back. */
export const refundOf = (gross: number, refundable: number): number => Math.max(0, Math.min(refundable, gross / 5))

export const routeGas = (swap: GasSwap): RouteGas => gasOfParts(gasParts(swap))

export function gasOfParts(parts: GasParts): RouteGas {
  let charged = 0
  let refund = 0
  for (const [part, count] of parts) {
    const of = partGas(part)
    charged += of.gas * count
    refund += of.refund * count
  }
  const gross = charged + refund
  const kept = refundOf(gross, refund)
  return { charged: Math.round(gross - kept), refund: Math.round(kept), refundable: refund }
}
