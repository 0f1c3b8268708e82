/** Gas of whole transactions, from their calldata and the gas of the call. */
import type { Hex } from '@sluice/chains'
import { intrinsicGas } from '@sluice/simulation'

const TRANSACTION_GAS = 21_000n
/** EIP-7623: what a byte of calldata costs at least, as a multiple of what it costs by itself: 10 gas for 4. */
const FLOOR = { gas: 10n, for: 4n }

/**
 * Gas of a whole transaction before refunds: intrinsic, calldata and execution, or the calldata floor where that is more.
 *
 * @param executionGas - gross gas of the call itself
 * @see EIP-2028, EIP-7623
 */
export function transactionGas(data: Hex, executionGas: bigint): bigint {
  return larger(intrinsicGas(data) + executionGas, floorGas(data))
}

/** The least that a transaction with this calldata is charged. @see EIP-7623 */
export function floorGas(data: Hex): bigint {
  return TRANSACTION_GAS + ((intrinsicGas(data) - TRANSACTION_GAS) * FLOOR.gas) / FLOOR.for
}

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
