import { deflateRawSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'

/** Prices of Linea's sequencer, from the extra data of its blocks. Wei. */
export type LineaPricing = {
  /** Per gas. */
  readonly fixedCostWei: bigint
  /** Per byte of the compressed transaction. */
  readonly variableCostWei: bigint
}

const KILOWEI = 1_000n

/**
 * The pricing fields of a block: a version byte, then fixed cost, variable cost and gas price in kilowei, 4 bytes each,
 * filled up to 32 bytes or more.
 *
 * @returns null for another version
 * @see LineaPricingUtils, Consensys/linea-monorepo
 */
export function decodePricing(extraData: Hex): LineaPricing | null {
  if (!/^0x01[0-9a-f]{62}/i.test(extraData)) return null
  const field = (byte: number) => BigInt(`0x${extraData.slice(2 + 2 * byte, 10 + 2 * byte)}`) * KILOWEI
  return { fixedCostWei: field(1), variableCostWei: field(5) }
}

/**
 * The priority fee at which the sequencer takes a transaction, in wei per gas.
 *
 * @param serialized - the signed transaction. Its compressed size is taken with deflate; the chain's own compressor is not
 *   published as a format, and comes out near it
 * @see TransactionProfitabilityCalculator, Consensys/linea-monorepo
 */
export function profitablePriorityFee(pricing: LineaPricing, serialized: Hex, gas: bigint): bigint {
  const size = BigInt(deflateRawSync(Buffer.from(serialized.slice(2), 'hex'), { level: 9 }).length)
  return (pricing.variableCostWei * size) / gas + pricing.fixedCostWei
}
