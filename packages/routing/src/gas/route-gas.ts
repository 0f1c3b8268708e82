/** Expected gas of a whole route, computed from its parts. */
import { partGas } from '@sluice/liquidity'
import { type GasParts, type GasSwap, gasParts } from './parts.ts'

export type RouteGas = {
  /** Gas after refunds, which the sender pays. */
  readonly charged: number
  /** Refund within the limit of EIP-3529. */
  readonly refund: number
  /** Refund without that limit. */
  readonly unlimitedRefund: number
}

/** Limits a refund to a fifth of the gas (EIP-3529). */
export const limitedRefund = (grossGas: number, unlimitedRefund: number): number =>
  Math.max(0, Math.min(unlimitedRefund, grossGas / 5))

/** Estimates the gas of a whole swap. */
export const routeGas = (swap: GasSwap): RouteGas => gasOfParts(gasParts(swap))

/** Sums the gas of counted parts. */
export function gasOfParts(parts: GasParts): RouteGas {
  let charged = 0
  let refund = 0
  for (const [part, count] of parts) {
    const gas = partGas(part)
    charged += gas.gas * count
    refund += gas.refund * count
  }
  const grossGas = charged + refund
  const refundWithinLimit = limitedRefund(grossGas, refund)
  return {
    charged: Math.round(grossGas - refundWithinLimit),
    refund: Math.round(refundWithinLimit),
    unlimitedRefund: refund,
  }
}
