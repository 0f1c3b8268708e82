import type { Address, Hex } from '@sluice/chains'
import { type Route, transactionRefund } from '@sluice/routing'
import type { SimulationResult, SwapOutcome } from '@sluice/simulation'
import { floorGas, larger, transactionGas } from './transaction-gas.ts'

type Simulated = Pick<SwapOutcome, 'gasUsed'> & Partial<Pick<SimulationResult, 'chargedGas' | 'ways'>>

type Charged = {
  readonly route: Route
  readonly data: Hex
  readonly simulation: Simulated
  /** The last pools pay the sender, and no balance of the Guard is filled on the way. */
  readonly direct?: boolean
}

/**
 * Gas that a transaction's sender is charged, after refunds: what its receipt tells. What comes back at the end is not seen from
 * inside an eth_call, and follows from who holds what on the way; a sender is taken to keep some of the token and of its allowance.
 */
export function chargedGas(
  { route, data, simulation, direct = false }: Charged,
  wrappedNative: Address | null,
): bigint {
  // Of a transaction that ends otherwise for its sender than with a probe in its place, the node's own figure is the only one.
  if (simulation.ways?.sender === 'bare' && simulation.chargedGas !== undefined) return BigInt(simulation.chargedGas)
  const gross = transactionGas(data, BigInt(simulation.gasUsed))
  const refund = transactionRefund({ ...route, wrappedNative }, Number(gross), direct)
  return larger(gross - BigInt(Math.round(refund)), floorGas(data))
}
