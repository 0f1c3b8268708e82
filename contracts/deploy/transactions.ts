/** Waits for transactions and balances. */
import { setTimeout } from 'node:timers/promises'
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, BaseError, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { DeployError } from './errors.ts'

/** Default timeout of a wait for a transaction to be mined, or for pending funds. */
export const MINED_TIMEOUT_MS = 180_000

/**
 * Duration of a few blocks on most chains. Nodes behind one endpoint can differ by as much, so one may lack a block
 * that another has reported.
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

/** Returns the balance after all pending transactions; the current balance if the node has no pending state. */
export async function pendingBalance(client: PublicClient, address: Address): Promise<bigint> {
  const minedBalance = await client.getBalance({ address })
  return client.getBalance({ address, blockTag: 'pending' }).catch(() => minedBalance)
}

/**
 * Awaits the hash of a transaction that is being sent.
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
 * Polls for the receipt of a transaction. Does not use viem's function, which retries only at a new block: a node that
 * mines on demand may announce the block before it has the receipt, and then no new block follows.
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
