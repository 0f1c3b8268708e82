import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, formatEther, formatGwei } from 'viem'
import { DeployError } from './errors.ts'
import { type Outlay, totalOf } from './outlay.ts'
import { pendingBalance, waitFor } from './transactions.ts'

/**
 * Waits until the account has no transaction of its own pending. An interrupted run may have left some; behind them the same
 * creations would be sent and paid for twice.
 *
 * @throws DeployError `TRANSACTION_PENDING`
 */
export async function settleOwnTransactions(
  client: PublicClient,
  address: Address,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<boolean> {
  const pendingCount = async () => {
    const minedNonce = await client.getTransactionCount({ address })
    const pending = await client.getTransactionCount({ address, blockTag: 'pending' }).catch(() => minedNonce)
    return pending - minedNonce
  }
  const count = await pendingCount()
  if (count <= 0) return false
  onProgress(`waiting up to ${timeoutMs / 1_000} s for ${count} pending transactions of ${address}`)
  if (!(await waitFor(async () => (await pendingCount()) <= 0, timeoutMs)))
    throw new DeployError(
      'TRANSACTION_PENDING',
      `${address} has ${await pendingCount()} transactions pending: wait for them, or replace them at a higher price, and run this again`,
    )
  return true
}

/**
 * Waits for funds that are on their way, until the account can pay for the outlays.
 *
 * @throws DeployError `FUNDS_SHORT` with the exact amount that is missing
 */
export async function requireFunds(
  client: PublicClient,
  address: Address,
  outlays: readonly Outlay[],
  gasPrice: bigint,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<void> {
  const neededWei = totalOf(outlays, gasPrice)
  const balance = await client.getBalance({ address })
  if (balance >= neededWei) return
  const pending = await pendingBalance(client, address)
  const short = (account: string, balance: bigint) =>
    new DeployError(
      'FUNDS_SHORT',
      `${address} holds ${formatEther(balance)} of the native token${account} and needs ${formatEther(neededWei)} at ${formatGwei(gasPrice)} gwei: ` +
        `it lacks ${formatEther(neededWei - balance)} (${neededWei - balance} wei)`,
    )
  if (pending < neededWei) throw short(pending > balance ? ', pending transfers included,' : '', pending)
  onProgress(`waiting up to ${timeoutMs / 1_000} s for pending funds of ${address}`)
  if (!(await waitFor(async () => (await client.getBalance({ address })) >= neededWei, timeoutMs)))
    throw short(`, its funding is still pending after ${timeoutMs / 1_000} s,`, await client.getBalance({ address }))
}
