/** Gas of a transaction from its calldata and the gas of its call. */
import type { Hex } from '@sluice/chains'
import { intrinsicGas } from '@sluice/simulation'

/** Base gas of every transaction. */
const TRANSACTION_GAS = 21_000n
/** Calldata floor of EIP-7623: 10 gas instead of 4 per token of calldata. */
const FLOOR = { gas: 10n, for: 4n }

/**
 * Returns the gas of a transaction before refunds: intrinsic, calldata, and execution gas, or the calldata floor if
 * that is higher.
 *
 * @param executionGas - gas of the call itself, before refunds
 * @see EIP-2028, EIP-7623
 */
export function transactionGas(data: Hex, executionGas: bigint): bigint {
  return larger(intrinsicGas(data) + executionGas, floorGas(data))
}

/** Returns the minimum gas charged for this calldata. @see EIP-7623 */
export function floorGas(data: Hex): bigint {
  return TRANSACTION_GAS + ((intrinsicGas(data) - TRANSACTION_GAS) * FLOOR.gas) / FLOOR.for
}

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
