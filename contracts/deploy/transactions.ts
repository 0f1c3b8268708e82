/** Waits for transactions and balances. */
import { setTimeout } from 'node:timers/promises'
import type { PublicClient, WalletClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, BaseError, type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { DeployError, nodeMessage } from './errors.ts'
import type { Fees } from './fees.ts'

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

/** Returns an account's number of transactions, with the pending ones if the node reports them. */
export async function pendingNonce(client: PublicClient, address: Address): Promise<number> {
  return client
    .getTransactionCount({ address, blockTag: 'pending' })
    .catch(() => client.getTransactionCount({ address }))
}

/**
 * Sends a transaction, and returns its hash when the node has accepted it.
 *
 * @throws DeployError `TRANSACTION_FAILED` if the node refuses the transaction
 */
export type SendTransaction = (
  transaction: { readonly to: Address; readonly data?: Hex; readonly value?: bigint } & Fees,
) => Promise<Hex>

/**
 * Returns a function that sends transactions of one account. Counts their nonces, because a node that lags behind the
 * others of an endpoint reports a nonce that is used already.
 */
export function transactionSender(client: PublicClient, wallet: WalletClient): SendTransaction {
  const { address } = wallet.account
  let minNonce = 0
  return async (transaction) => {
    const nonce = Math.max(minNonce, await pendingNonce(client, address))
    try {
      const hash = await wallet.sendTransaction({ ...transaction, nonce })
      minNonce = nonce + 1
      return hash
    } catch (cause) {
      if (!(cause instanceof BaseError)) throw cause
      throw new DeployError('TRANSACTION_FAILED', `a transaction was not accepted: ${nodeMessage(cause)}`, { cause })
    }
  }
}

/**
 * Polls for the receipt of a transaction. Nodes also fail while they index a new block, or for their rate limit. Does not use viem's `waitForTransactionReceipt`, which polls again only after
 * a new block. A node that mines on demand may report a block before it has the receipt, and then no new block follows.
 *
 * @throws DeployError `TRANSACTION_FAILED` if the transaction is not mined in time, or if the node fails for long
 */
export async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  let receipt: TransactionReceipt | null = null
  let failingSinceMs: number | undefined
  const isMined = async () => {
    try {
      receipt = await client.getTransactionReceipt({ hash })
    } catch (cause) {
      if (!(cause instanceof BaseError)) throw cause
      if (cause instanceof TransactionReceiptNotFoundError) failingSinceMs = undefined
      else failingSinceMs ??= performance.now()
      if (failingSinceMs !== undefined && performance.now() - failingSinceMs > FEW_BLOCKS_MS)
        throw new DeployError('TRANSACTION_FAILED', `no receipt of ${hash} was read: ${nodeMessage(cause)}`, { cause })
    }
    return receipt !== null
  }
  await waitFor(isMined, MINED_TIMEOUT_MS, RECEIPT_POLL_MS)
  if (receipt) return receipt
  throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined within ${MINED_TIMEOUT_MS / 1_000} s`)
}
