import { IArbitrumNodeInterface__factory, IL1FeeOracle__factory } from '@sluice/bindings'
import type { Hex, L1FeeModel } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { blockParam, type RawBlock } from '../encode.ts'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'
import { decodePricing, profitablePriorityFee } from './linea.ts'
import { ARBITRUM_NODE_INTERFACE, ask, oracles } from './oracle.ts'
import { type FeeTransaction, serialize } from './transaction.ts'

export type { FeeTransaction } from './transaction.ts'

/** Cost of publishing a transaction on the chain below. */
export type L1Fee = {
  /** Wei of the native asset. */
  readonly feeWei: bigint
  /**
   * Gas that the gas limit must hold for it on top of execution. Above 0 only on chains of the arbitrum model, where
   * `feeWei` is paid as this gas; elsewhere `feeWei` comes on top of gas × gas price.
   */
  readonly gas: bigint
}

const NO_FEE: L1Fee = { feeWei: 0n, gas: 0n }
const oracle = IL1FeeOracle__factory.createInterface()
const nodeInterface = IArbitrumNodeInterface__factory.createInterface()

/**
 * The data fee of a transaction, from the chain's own oracle at `block`; on Linea, which has none, from the formula of its
 * sequencer and the prices in its blocks.
 *
 * @returns null where it cannot be known: the model is unknown, or the oracle is not there or does not answer. Null also
 *   for the ZK Stack, whose fee follows from the storage that a transaction changes and whose chains are not served
 * @throws RpcError when the node failed
 */
export async function estimateL1Fee(
  rpc: Rpc,
  model: L1FeeModel,
  transaction: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<L1Fee | null> {
  switch (model) {
    case 'none':
      return NO_FEE
    case 'op-stack':
    case 'metis':
    case 'scroll':
    case 'morph':
      return fromOracle(rpc, model, transaction, block, options)
    case 'arbitrum':
      return fromArbitrum(rpc, transaction, block, options)
    case 'linea':
      return fromLinea(rpc, transaction, block, options)
    case 'zksync':
    case 'unknown':
      return null
  }
}

/** Bytes of calldata of the two transactions that are compared: a short swap, and one with twenty hops more. */
const SHORT = 400
const LONG = 1_200

/**
 * Wei per byte of calldata that does not compress, for ranking routes of different length. What the fee of the route itself
 * comes to is for `estimateL1Fee`.
 *
 * @param gasPriceWei - wei per gas that a transaction sent now would pay
 * @returns 0 where the fee is not known
 * @throws RpcError when the node failed
 */
export async function estimateL1FeePerByte(
  rpc: Rpc,
  model: L1FeeModel,
  gasPriceWei: bigint,
  block: BlockRef,
  options?: RequestOptions,
): Promise<number> {
  if (model === 'none') return 0
  const feeOf = async (length: number) => {
    const { address: to } = oracles.scroll
    const transaction = { to, data: noise(length), value: 0n, gas: 300_000n, gasPriceWei }
    return (await estimateL1Fee(rpc, model, transaction, block, options))?.feeWei ?? 0n
  }
  const [short, long] = await Promise.all([feeOf(SHORT), feeOf(LONG)])
  return long > short ? Number(long - short) / (LONG - SHORT) : 0
}

/** Bytes that look random and are always the same. */
function noise(length: number): Hex {
  let text = ''
  for (let block = keccak256('0x'); text.length < 2 * length; block = keccak256(block)) text += block.slice(2)
  return `0x${text.slice(0, 2 * length)}`
}

async function fromOracle(
  rpc: Rpc,
  model: keyof typeof oracles,
  transaction: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<L1Fee | null> {
  const { address, signed } = oracles[model]
  const feeCall = oracle.encodeFunctionData('getL1Fee', [serialize(transaction, rpc.chainId, signed)]) as Hex
  const operatorCall = oracle.encodeFunctionData('getOperatorFee', [transaction.gas]) as Hex
  const [fee, operatorFee] = await Promise.all([
    ask(rpc, address, feeCall, block, options),
    model === 'op-stack' ? ask(rpc, address, operatorCall, block, options) : null,
  ])
  if (fee === null) return null
  return { feeWei: BigInt(fee) + (operatorFee === null ? 0n : BigInt(operatorFee)), gas: 0n }
}

async function fromArbitrum(
  rpc: Rpc,
  { to, data }: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<L1Fee | null> {
  const call = nodeInterface.encodeFunctionData('gasEstimateL1Component', [to, false, data]) as Hex
  const answer = await ask(rpc, ARBITRUM_NODE_INTERFACE, call, block, options)
  if (answer === null) return null
  const result = nodeInterface.decodeFunctionResult('gasEstimateL1Component', answer)
  const [gas, baseFeeWei] = result as unknown as [gas: bigint, baseFeeWei: bigint]
  return { feeWei: gas * baseFeeWei, gas }
}

async function fromLinea(
  rpc: Rpc,
  transaction: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<L1Fee | null> {
  const raw =
    typeof block === 'object'
      ? await rpc.request<LineaBlock | null>('eth_getBlockByHash', [block.blockHash, false], options)
      : await rpc.request<LineaBlock | null>('eth_getBlockByNumber', [blockParam(block), false], options)
  const pricing = raw?.extraData === undefined ? null : decodePricing(raw.extraData)
  if (raw === null || pricing === null) return null
  const { gas, gasPriceWei } = transaction
  const serialized = serialize(transaction, rpc.chainId, true)
  const needed = BigInt(raw.baseFeePerGas ?? 0) + profitablePriorityFee(pricing, serialized, gas)
  return { feeWei: needed > gasPriceWei ? (needed - gasPriceWei) * gas : 0n, gas: 0n }
}

type LineaBlock = RawBlock & { readonly extraData?: Hex }
