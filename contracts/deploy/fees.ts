/** Determines the fees per gas of a deployment's transactions. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'

/** Fee fields of a transaction, in wei per gas. Chains without a base fee use `gasPrice`. */
export type Fees =
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly gasPrice: bigint }

/**
 * Returns the fees for all transactions of a deployment. `maxFeePerGas` allows twice the current base fee, which the
 * base fee reaches after six full blocks at the earliest. Must be called before the first transaction: the creation of
 * the keyless deployer pays 100 gwei per gas, and on a quiet chain nodes would then suggest this price.
 */
export async function currentFees(client: PublicClient): Promise<Fees> {
  const gasPrice = await client.getGasPrice()
  const { baseFeePerGas } = await client.getBlock()
  if (baseFeePerGas === null || baseFeePerGas === undefined) return { gasPrice }
  const maxPriorityFeePerGas = gasPrice > baseFeePerGas ? gasPrice - baseFeePerGas : 0n
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Returns the maximum price in wei per gas that a transaction with these fees pays. */
export function maxGasPrice(fees: Fees): bigint {
  return 'gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas
}
