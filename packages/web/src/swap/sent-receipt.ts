/** Reads the receipt of a mined swap, and the amount that its recipient received. */
import { type Eip1193Provider, NATIVE, type Route } from '@sluice/client'

export type SentSwapReceipt = {
  readonly hash: string
  readonly block: number
  readonly gasUsed: bigint
  /**
   * Increase of the recipient's balance in `block`. Undefined if the balance decreased, or if the node does not keep
   * the state of the previous block.
   */
  readonly received: bigint | undefined
  /** True if an account other than the wallet received the output. */
  readonly isForRecipient: boolean
}

type Receipt = {
  readonly from: string
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice?: string
  /** Fee for the data on the parent chain, on rollups of the OP Stack. */
  readonly l1Fee?: string | null
  /** Fee of the operator, on rollups of the OP Stack since Isthmus. */
  readonly operatorFeeScalar?: string | null
  readonly operatorFeeConstant?: string | null
  /** Present since Jovian, which changed the unit of the scalar. */
  readonly daFootprintGasScalar?: unknown
  /** Present on Mantle, which uses the unit of Jovian. */
  readonly tokenRatio?: unknown
}

/** Maximum number of requests for the receipt. A wallet may use several nodes, and one may not have the block yet. */
const MAX_REQUESTS = 10
/** Time between two requests. */
const PAUSE_MS = 500

/**
 * Reads the receipt of a mined swap.
 *
 * @throws Error if the node does not have the receipt
 */
export async function receiptOf(
  provider: Eip1193Provider,
  route: Pick<Route, 'dst' | 'tx'>,
  recipient: string,
  hash: string,
): Promise<SentSwapReceipt> {
  const receipt = await requestReceipt(provider, hash)
  const block = Number(receipt.blockNumber)
  const gasUsed = BigInt(receipt.gasUsed)
  const isNativeOutput = route.dst.toLowerCase() === NATIVE.toLowerCase()
  const balanceAt = async (blockNumber: number): Promise<bigint> => {
    const tag = `0x${blockNumber.toString(16)}`
    if (isNativeOutput) return BigInt(await provider.request({ method: 'eth_getBalance', params: [recipient, tag] }))
    // Selector of `balanceOf(address)`.
    const data = `0x70a08231${recipient.slice(2).toLowerCase().padStart(64, '0')}`
    return BigInt(await provider.request({ method: 'eth_call', params: [{ to: route.dst, data }, tag] }))
  }
  const isForRecipient = recipient.toLowerCase() !== route.tx.from.toLowerCase()
  // The sender of the transaction pays the fee. With a smart account, the sender is not the recipient.
  const paysFee = isNativeOutput && recipient.toLowerCase() === receipt.from.toLowerCase()
  const fee = paysFee ? feeOf(receipt) : 0n
  // A node that does not keep the state of the previous block rejects the call. Then the received amount is unknown.
  const received = await Promise.all([balanceAt(block), balanceAt(block - 1)]).then(
    ([after, before]) => undefinedIfNegative(after - before + fee),
    () => undefined,
  )
  return { hash, block, gasUsed, received, isForRecipient }
}

/** Returns the wei that the sender paid for gas, and on rollups for data and to the operator. */
function feeOf(receipt: Receipt): bigint {
  const { gasUsed, effectiveGasPrice, l1Fee, operatorFeeScalar, operatorFeeConstant } = receipt
  const wei = (quantity: string | null | undefined) => BigInt(quantity ?? '0x0')
  const scaledGas = wei(gasUsed) * wei(operatorFeeScalar)
  const isJovian = receipt.daFootprintGasScalar != null || receipt.tokenRatio != null
  const operatorFee = (isJovian ? scaledGas * 100n : scaledGas / 1_000_000n) + wei(operatorFeeConstant)
  return wei(gasUsed) * wei(effectiveGasPrice) + wei(l1Fee) + operatorFee
}

/**
 * Returns undefined for a decrease, which means that another transaction in the block spent more than the swap paid.
 */
const undefinedIfNegative = (amount: bigint): bigint | undefined => (amount < 0n ? undefined : amount)

async function requestReceipt(provider: Eip1193Provider, hash: string): Promise<Receipt> {
  for (let count = 1; ; count++) {
    const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as Receipt | null
    if (receipt) return receipt
    if (count === MAX_REQUESTS) throw new Error('the swap was mined, but your node does not have its receipt yet')
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
