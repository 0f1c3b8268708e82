/** Estimates the data fees that rollups charge for publishing a transaction on the parent chain (layer 1). */
import { IL1FeeOracle__factory } from '@sluice/bindings'
import { keccak256 } from '@sluice/bindings/keccak'
import type { Hex, L1FeeModel } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '../types.ts'
import { estimateArbitrumFee } from './arbitrum.ts'
import { estimateLineaFee } from './linea.ts'
import { callOracle, isUpgradeActive, oracles } from './oracle.ts'
import { compressForScroll } from './scroll.ts'
import { type FeeTransaction, serialize } from './transaction.ts'

export type { FeeTransaction } from './transaction.ts'

/** Cost of publishing a transaction on the parent chain. */
export type L1Fee = {
  /** Wei of the native asset. */
  readonly feeWei: bigint
  /**
   * Gas to add to the gas limit. Above 0 only on chains of the `arbitrum` model, where the fee is charged as this gas,
   * so `feeWei` is part of gas × gas price. On other chains, `feeWei` is charged in addition to gas × gas price.
   */
  readonly gas: bigint
}

const NO_FEE: L1Fee = { feeWei: 0n, gas: 0n }
const oracleInterface = IL1FeeOracle__factory.createInterface()

/**
 * Estimates the data fee of a transaction, from the oracle of the chain at `block`. Linea has no oracle: there,
 * computes the fee with the formula of the sequencer and the prices in the block.
 *
 * @returns null if the fee is unknown: the model is `unknown`, or the oracle is missing or fails. Also null for the ZK
 *   Stack, whose fee depends on the storage that a transaction changes; its chains are not supported
 * @throws RpcError if the node failed
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
    case 'mantle':
    case 'metis':
    case 'scroll':
    case 'morph': {
      const feeWei = await readOracleFee(rpc, model, transaction, block, options)
      return feeWei === null ? null : { feeWei, gas: 0n }
    }
    case 'arbitrum':
      return estimateArbitrumFee(rpc, transaction, block, options)
    case 'linea': {
      const feeWei = await estimateLineaFee(rpc, transaction, block, options)
      return feeWei === null ? null : { feeWei, gas: 0n }
    }
    case 'zksync':
    case 'unknown':
      return null
  }
}

/** Calldata bytes of a short swap. */
const SHORT_BYTES = 400
/** Calldata bytes of a swap with twenty more hops. */
const LONG_BYTES = 1_200

/**
 * Estimates the data fee per byte of incompressible calldata, for ranking routes of different length. For the fee of a
 * final transaction use `estimateL1Fee`.
 *
 * @param gasPriceWei - wei per gas that a transaction sent now would pay
 * @returns wei per byte; 0 if the fee is unknown
 * @throws RpcError if the node failed
 */
export async function estimateL1FeePerByte(
  rpc: Rpc,
  model: L1FeeModel,
  gasPriceWei: bigint,
  block: BlockRef,
): Promise<number> {
  if (model === 'none') return 0
  const feeOf = async (length: number) => {
    const { address: to } = oracles.scroll
    const transaction = { to, data: incompressibleBytes(length), value: 0n, gas: 300_000n, gasPriceWei }
    return (await estimateL1Fee(rpc, model, transaction, block))?.feeWei ?? 0n
  }
  const [shortFee, longFee] = await Promise.all([feeOf(SHORT_BYTES), feeOf(LONG_BYTES)])
  return longFee > shortFee ? Number(longFee - shortFee) / (LONG_BYTES - SHORT_BYTES) : 0
}

/** Returns deterministic bytes that look random and do not compress. */
function incompressibleBytes(length: number): Hex {
  let text = ''
  for (let block = keccak256('0x'); text.length < 2 * length; block = keccak256(block)) text += block.slice(2)
  return `0x${text.slice(0, 2 * length)}`
}

async function readOracleFee(
  rpc: Rpc,
  model: keyof typeof oracles,
  transaction: FeeTransaction,
  block: BlockRef,
  options?: RequestOptions,
): Promise<bigint | null> {
  const { address, form } = oracles[model]
  const readAmount = async (call: string) => {
    const answer = await callOracle(rpc, address, call as Hex, block, options)
    return answer === null ? null : BigInt(answer)
  }
  const readFee = (bytes: Hex) => readAmount(oracleInterface.encodeFunctionData('getL1Fee', [bytes]))
  const readOperatorFee = () => readAmount(oracleInterface.encodeFunctionData('getOperatorFee', [transaction.gas]))
  const isActive = (flag: string) => isUpgradeActive(rpc, address, flag as Hex, block, options)
  const serializedTransaction = serialize(transaction, rpc.chainId, form)
  switch (model) {
    case 'op-stack': {
      const [fee, operatorFeeWei] = await Promise.all([readFee(serializedTransaction), readOperatorFee()])
      return fee === null ? null : fee + (operatorFeeWei ?? 0n)
    }
    case 'mantle': {
      const [isArsia, fee, ratio, operatorFeeWei] = await Promise.all([
        isActive(oracleInterface.encodeFunctionData('isArsia')),
        readFee(serializedTransaction),
        readAmount(oracleInterface.encodeFunctionData('tokenRatio')),
        readOperatorFee(),
      ])
      // Before the Arsia upgrade the chain counted gas in other units.
      if (!isArsia || fee === null || ratio === null) return null
      return fee * ratio + (operatorFeeWei ?? 0n)
    }
    case 'scroll': {
      const isGalileo = await isActive(oracleInterface.encodeFunctionData('isGalileo'))
      return readFee(isGalileo ? compressForScroll(serializedTransaction) : serializedTransaction)
    }
    case 'metis':
    case 'morph':
      return readFee(serializedTransaction)
  }
}
