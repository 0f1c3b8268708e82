/** Waits for transactions and balances. */
import { setTimeout } from 'node:timers/promises'
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, BaseError, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { DeployError } from './errors.ts'

/** Default timeout of a wait until a transaction is mined or pending funds arrive. */
export const MINED_TIMEOUT_MS = 180_000

/**
 * Duration of a few blocks on most chains. The nodes behind one endpoint can lag behind each other by this time, so a
 * request may reach a node without a block that an earlier response reported.
 */
export const FEW_BLOCKS_MS = 30_000

const POLL_MS = 1_000
const RECEIPT_POLL_MS = 200

/** Polls until `condition` holds. Returns false if it does not hold before the timeout. */
export async function waitFor(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    if (await condition()) return true
    const remainingMs = deadline - Date.now()
    if (remainingMs <= 0) return false
    await setTimeout(Math.min(pollMs, remainingMs))
  }
}

/**
 * Returns the balance after all pending transactions. If the node has no pending state, returns the current balance.
 */
export async function pendingBalance(client: PublicClient, address: Address): Promise<bigint> {
  const minedBalance = await client.getBalance({ address })
  return client.getBalance({ address, blockTag: 'pending' }).catch(() => minedBalance)
}

/**
 * Returns the hash of a transaction when the node has accepted it.
 *
 * @param hash - result of `sendTransaction`
 *
 * @throws DeployError `TRANSACTION_FAILED` if the node refuses the transaction
 */
export async function sentTransactionHash(hash: Promise<Hex>): Promise<Hex> {
  try {
    return await hash
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `a transaction was not accepted: ${cause.shortMessage}`, { cause })
  }
}

/**
 * Polls for the receipt of a transaction. Does not use viem's `waitForTransactionReceipt`, which polls again only after
 * a new block. A node that mines on demand may report a block before it has the receipt, and then no new block follows.
 *
 * @throws DeployError `TRANSACTION_FAILED` if the transaction is not mined in time
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
