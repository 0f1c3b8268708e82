/** Schemas of a node's transactions and receipts. Derives the outcome of a swap from them. */
import { type Address, type Hex, NATIVE, PPM, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { decodeSentOrder, receivedOf, spentOf, toPercent } from '@sluice/quoting'
import { z } from 'zod'
import type { StatusResponse } from './status-response.ts'

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(toAddress)
const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase() as Hex)

/** The fields of an `eth_getTransactionByHash` result that are used here. */
export const sentTransaction = z.object({
  hash: bytes,
  from: address,
  to: address.nullish(),
  input: bytes,
  value: quantity,
  gas: quantity,
  blockHash: bytes.nullish(),
  // Token in which the fee is paid on Celo (CIP-64). The gas price is then in units of this token.
  feeCurrency: address.nullish(),
})
export type SentTransaction = z.output<typeof sentTransaction>

/** The fields of an `eth_getTransactionReceipt` result that are used here. */
export const receipt = z.object({
  transactionHash: bytes,
  blockHash: bytes,
  blockNumber: quantity.transform(Number),
  status: quantity.transform((status) => status === 1n),
  gasUsed: quantity,
  // Absent on chains without EIP-1559 and on some rollups.
  effectiveGasPrice: quantity.nullish(),
  l1Fee: quantity.nullish(),
  operatorFeeScalar: quantity.nullish(),
  operatorFeeConstant: quantity.nullish(),
  // Only the presence of the next two fields counts: each marks a rollup whose operator fee has another unit.
  daFootprintGasScalar: z.unknown().optional(),
  tokenRatio: z.unknown().optional(),
  logs: z.array(z.object({ address, topics: z.array(bytes), data: bytes })),
})
export type SwapReceipt = z.output<typeof receipt>

type SwapStatus = NonNullable<StatusResponse['swap']>

/**
 * Returns the outcome of a swap; null if the transaction is not a call of the Guard that contains a swap order.
 *
 * @param quoted - quoted output in base units, if the caller has passed it
 */
export function swapStatus(
  { from, ...transaction }: SentTransaction,
  landedReceipt: SwapReceipt | undefined,
  { guard, quoted }: { readonly guard: Address; readonly quoted: bigint | undefined },
): SwapStatus | null {
  const order = transaction.to === guard ? decodeSentOrder(transaction) : undefined
  if (!order) return null
  const parties = { sender: from, guard }
  const receivedAmount = landedReceipt ? receivedOf(order, landedReceipt.logs, parties) : null
  const spentAmount = landedReceipt ? spentOf(order, landedReceipt.logs, parties) : null
  return {
    src: order.isNativeIn ? NATIVE : order.tokenIn,
    dst: order.tokenOut === ZERO_ADDRESS ? NATIVE : order.tokenOut,
    fromAmount: order.amountIn.toString(),
    minToAmount: order.minOutput.toString(),
    deadline: order.deadline,
    spent: spentAmount === null || spentAmount < 0n ? null : spentAmount.toString(),
    received: receivedAmount === null || receivedAmount < 0n ? null : receivedAmount.toString(),
    ...(quoted !== undefined && { quoted: quoted.toString(), difference: differenceOf(receivedAmount, quoted) }),
  }
}

function differenceOf(receivedAmount: bigint | null, quotedAmount: bigint): number | null {
  return receivedAmount === null || quotedAmount === 0n
    ? null
    : toPercent(((receivedAmount - quotedAmount) * PPM) / quotedAmount)
}
