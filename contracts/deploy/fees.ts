import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'

/** Offer of a transaction for its gas, in wei. */
export type Fees =
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  | { readonly gasPrice: bigint }

/**
 * Fees for all transactions of a deployment, read before the first one. The keyless deployer's creation pays 100 gwei, and
 * on a quiet chain nodes would suggest that price for the next transactions. Twice the base fee outlasts six full blocks.
 */
export async function currentFees(client: PublicClient): Promise<Fees> {
  const gasPrice = await client.getGasPrice()
  const { baseFeePerGas } = await client.getBlock()
  if (baseFeePerGas === null || baseFeePerGas === undefined) return { gasPrice }
  const maxPriorityFeePerGas = gasPrice > baseFeePerGas ? gasPrice - baseFeePerGas : 0n
  return { maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Upper bound of the price of a unit of gas: what the account must hold for each. */
export function maxPrice(fees: Fees): bigint {
  return 'gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas
}
