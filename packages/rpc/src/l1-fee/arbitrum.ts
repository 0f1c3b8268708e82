/** Estimates the data fee of Arbitrum chains. */
import { IArbitrumNodeInterface__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'
import { callOracle } from './oracle.ts'
import type { FeeTransaction } from './transaction.ts'

/** NodeInterface, a virtual contract that nodes implement. */
const NODE_INTERFACE = toAddress('0x00000000000000000000000000000000000000C8')
const nodeInterface = IArbitrumNodeInterface__factory.createInterface()

/**
 * Margins that nodes add to their estimate for an unsigned transaction, so that the gas limit suffices. A unit is the
 * chain's measure of compressed calldata: 16 per byte. The node adds `units`, multiplies the sum by `unitsBps`, and
 * multiplies the resulting fee by `feeBps`, both in basis points.
 */
const PADDING = { units: 16n * 16n, unitsBps: 10_100n, feeBps: 11_000n }
const BPS_DENOMINATOR = 10_000n

/**
 * Estimates the data fee, and the gas that the gas limit must include for it. Removes the margins from the fee, because
 * they are not charged.
 *
 * @returns null if the node has no NodeInterface
 * @see GasEstimateL1Component and PosterDataCost, OffchainLabs/nitro
 */
export async function estimateArbitrumFee(
  rpc: Rpc,
  { to, data }: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<{ readonly feeWei: bigint; readonly gas: bigint } | null> {
  const call = nodeInterface.encodeFunctionData('gasEstimateL1Component', [to, false, data]) as Hex
  const answer = await callOracle(rpc, NODE_INTERFACE, call, block, options)
  if (answer === null) return null
  const result = nodeInterface.decodeFunctionResult('gasEstimateL1Component', answer)
  const [gas, baseFeeWei, unitPriceWei] = result as unknown as [gas: bigint, baseFeeWei: bigint, unitPriceWei: bigint]
  const paddedFee = (gas * baseFeeWei * BPS_DENOMINATOR) / PADDING.feeBps
  const feeWei = (paddedFee * BPS_DENOMINATOR) / PADDING.unitsBps - PADDING.units * unitPriceWei
  return { feeWei: feeWei > 0n ? feeWei : 0n, gas }
}
