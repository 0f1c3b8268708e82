/** Computes the gas of a swap after refunds. */
import type { Address, Hex } from '@sluice/chains'
import { type ContractBalances, type RoutePlan, transactionRefund } from '@sluice/routing'
import { type CallOutcome, floorGas, type SwapSimulation } from '@sluice/simulation'
import { larger, transactionGas } from './transaction-gas.ts'

type SimulatedGas = Pick<CallOutcome, 'gasUsed'> & Partial<Pick<SwapSimulation, 'chargedGas' | 'ways'>>

type ChargedSwap = {
  readonly route: RoutePlan
  readonly data: Hex
  readonly simulation: SimulatedGas
  /** True if the last pools pay the sender directly, so that the Guard (our entry contract) never holds the output. */
  readonly direct?: boolean
  /** Balances of the Guard and the Executor (our contract that swaps) before the swap; none by default. */
  readonly balances?: ContractBalances | undefined
}

/**
 * Returns the gas that the receipt of a swap will show, after refunds. An eth_call does not report refunds, so they are
 * derived from the storage slots that the route's token transfers clear. Assumes that the sender keeps some balance and
 * allowance of the input token.
 */
export function chargedGas(
  { route, data, simulation, direct = false, balances }: ChargedSwap,
  wrappedNative: Address | null,
): bigint {
  // A simulation puts code (a probe) at the sender's address. If the code changes the outcome, only the gas of the run
  // without the code is valid.
  if (simulation.ways?.sender === 'bare' && simulation.chargedGas !== undefined) return BigInt(simulation.chargedGas)
  const grossGas = transactionGas(data, BigInt(simulation.gasUsed))
  const refund = transactionRefund({ ...route, wrappedNative }, Number(grossGas), direct, balances)
  return larger(grossGas - BigInt(Math.round(refund)), floorGas(data))
}
