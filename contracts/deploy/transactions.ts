import { setTimeout } from 'node:timers/promises'
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, BaseError, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { DeployError } from './errors.ts'

/** Timeout for a transaction to be mined, and for funds that are pending. */
export const MINED_TIMEOUT_MS = 180_000

/**
 * A few blocks of most chains: nodes behind one endpoint can be that far apart, so one of them may lack what another has
 * reported.
 */
export const FEW_BLOCKS_MS = 30_000

const POLL_MS = 1_000
const RECEIPT_POLL_MS = 200

/** Polls until `condition` holds or the time is up. @returns whether it held */
export async function waitFor(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    if (await condition()) return true
    const leftMs = deadline - Date.now()
    if (leftMs <= 0) return false
    await setTimeout(Math.min(pollMs, leftMs))
  }
}

/** Balance once the transactions that the node knows of are mined; the mined one if the node has no pending state. */
export async function pendingBalance(client: PublicClient, address: Address): Promise<bigint> {
  const minedBalance = await client.getBalance({ address })
  return client.getBalance({ address, blockTag: 'pending' }).catch(() => minedBalance)
}

/** @throws DeployError `TRANSACTION_FAILED` when the node refuses it */
export async function sentTransactionHash(hash: Promise<Hex>): Promise<Hex> {
  try {
    return await hash
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `a transaction was not accepted: ${cause.shortMessage}`, { cause })
  }
}

/**
 * Polls for the receipt. viem's own wait looks again only at a new block, which a node that mines on demand may announce
 * before it has the receipt.
 *
 * @throws DeployError `TRANSACTION_FAILED` when it is not mined in time
 */
export async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  let receipt: TransactionReceipt | null = null
  const isMined = async () => {
    receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    })
    return receipt !== null
  }
  try {
    await waitFor(isMined, MINED_TIMEOUT_MS, RECEIPT_POLL_MS)
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined: ${cause.shortMessage}`, { cause })
  }
  if (receipt) return receipt
  throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined within ${MINED_TIMEOUT_MS / 1_000} s`)
}
