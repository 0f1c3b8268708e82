/** Computes the gas of a transaction from its calldata and the gas of its call. */
import type { Hex } from '@sluice/chains'
import { floorGas, intrinsicGas } from '@sluice/simulation'

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

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
