/** Determines the gas price of a deployment's transactions. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'

/** Fee fields of a transaction in wei per gas. Chains without a base fee use `gasPrice`. */
export type Fees =
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly gasPrice: bigint }

/**
 * Returns the fees for all transactions of a deployment. Call it before the first transaction: the creation of the
 * keyless deployer pays 100 gwei, and on a quiet chain nodes would then suggest that price. The maximum is twice the
 * base fee, which the base fee reaches after six full blocks at the earliest.
 */
export async function currentFees(client: PublicClient): Promise<Fees> {
  const gasPrice = await client.getGasPrice()
  const { baseFeePerGas } = await client.getBlock()
  if (baseFeePerGas === null || baseFeePerGas === undefined) return { gasPrice }
  const maxPriorityFeePerGas = gasPrice > baseFeePerGas ? gasPrice - baseFeePerGas : 0n
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Returns the maximum wei per gas that a transaction with these fees pays. */
export function maxGasPrice(fees: Fees): bigint {
  return 'gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas
}
