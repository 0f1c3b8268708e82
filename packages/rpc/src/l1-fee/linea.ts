/** Computes the data fee of Linea, which the sequencer demands as a higher priority fee. */
import { deflateRawSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'
import { blockParam, type RawBlock } from '../encode.ts'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'
import { type FeeTransaction, serialize } from './transaction.ts'

/** Prices of Linea's sequencer, from the extra data of a block, in wei. */
export type LineaPricing = {
  /** Part of the minimum priority fee that does not depend on the transaction's size, in wei per gas. */
  readonly fixedCostWei: bigint
  /** Wei per byte of the compressed transaction. The priority fee spreads this cost over the transaction's gas. */
  readonly variableCostWei: bigint
}

/** Unit of the pricing fields in a block. */
const KILOWEI = 1_000n

/**
 * Decodes the pricing fields in a block's extra data. The data is a version byte, then fixed cost, variable cost, and
 * gas price in kilowei, 4 bytes each. The whole is padded to 32 bytes or more.
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
 * Returns the minimum priority fee, in wei per gas, at which the sequencer accepts a transaction.
 *
 * @param serializedTransaction - signed transaction; its compressed size is approximated with deflate, because the
 *   compressor of the chain is not specified
 * @see TransactionProfitabilityCalculator, Consensys/linea-monorepo
 */
export function profitablePriorityFee(pricing: LineaPricing, serializedTransaction: Hex, gas: bigint): bigint {
  const size = BigInt(deflateRawSync(Buffer.from(serializedTransaction.slice(2), 'hex'), { level: 9 }).length)
  return (pricing.variableCostWei * size) / gas + pricing.fixedCostWei
}

type LineaBlock = RawBlock & { readonly extraData?: Hex }

/**
 * Returns the cost, in wei, of raising the gas price to the minimum that the sequencer accepts; null for a block
 * without pricing.
 */
export async function estimateLineaFee(
  rpc: Rpc,
  transaction: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<bigint | null> {
  const raw =
    typeof block === 'object'
      ? await rpc.request<LineaBlock | null>('eth_getBlockByHash', [block.blockHash, false], options)
      : await rpc.request<LineaBlock | null>('eth_getBlockByNumber', [blockParam(block), false], options)
  const pricing = raw?.extraData === undefined ? null : decodePricing(raw.extraData)
  if (raw === null || pricing === null) return null
  const { gas, gasPriceWei } = transaction
  const serializedTransaction = serialize(transaction, rpc.chainId, 'signed')
  const requiredGasPriceWei =
    BigInt(raw.baseFeePerGas ?? 0) + profitablePriorityFee(pricing, serializedTransaction, gas)
  return requiredGasPriceWei > gasPriceWei ? (requiredGasPriceWei - gasPriceWei) * gas : 0n
}
