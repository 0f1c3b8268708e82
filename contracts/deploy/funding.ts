/** Waits until the paying account has no pending transactions and sufficient funds for a deployment. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, formatEther, formatGwei } from 'viem'
import { DeployError } from './errors.ts'
import { type Outlay, totalOf } from './outlay.ts'
import { pendingBalance, pendingNonce, waitFor } from './transactions.ts'

/**
 * Waits until the account has no pending transactions. They may be creations from an interrupted run. Sending these
 * again would cost twice.
 *
 * @returns true if there were pending transactions
 * @throws DeployError `TRANSACTION_PENDING`
 */
export async function waitForOwnTransactions(
  client: PublicClient,
  address: Address,
  timeoutMs: number,
  onProgress: (text: string) => void,
): Promise<boolean> {
  const pendingCount = async () => {
    const minedNonce = await client.getTransactionCount({ address })
    return (await pendingNonce(client, address)) - minedNonce
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
 * Checks that the account can pay for the outlays. Waits for pending transfers to the account if they would suffice.
 *
 * @throws DeployError `FUNDS_SHORT` with the missing amount
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
  const balanceWithPending = await pendingBalance(client, address)
  const shortfallError = (account: string, balance: bigint) =>
    new DeployError(
      'FUNDS_SHORT',
      `${address} holds ${formatEther(balance)} of the native token${account} and needs ${formatEther(neededWei)} at ${formatGwei(gasPrice)} gwei: ` +
        `it lacks ${formatEther(neededWei - balance)} (${neededWei - balance} wei)`,
    )
  if (balanceWithPending < neededWei)
    throw shortfallError(balanceWithPending > balance ? ', pending transfers included,' : '', balanceWithPending)
  onProgress(`waiting up to ${timeoutMs / 1_000} s for pending funds of ${address}`)
  if (!(await waitFor(async () => (await client.getBalance({ address })) >= neededWei, timeoutMs)))
    throw shortfallError(
      `, its funding is still pending after ${timeoutMs / 1_000} s,`,
      await client.getBalance({ address }),
    )
}
