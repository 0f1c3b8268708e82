import { setTimeout } from 'node:timers/promises'
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { type Address, BaseError, type Hex, type TransactionReceipt } from 'viem'
import { DeployError } from './errors.ts'

/** Timeout for a transaction to be mined, and for funds that are pending. */
export const MINED_TIMEOUT_MS = 180_000

/**
 * A few blocks of most chains: nodes behind one endpoint can be that far apart, so one of them may lack what another has
 * reported.
 */
export const FEW_BLOCKS_MS = 30_000

const POLL_MS = 1_000

/** Polls until `condition` holds or the time is up. @returns whether it held */
export async function waitFor(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    if (await condition()) return true
    const leftMs = deadline - Date.now()
    if (leftMs <= 0) return false
    await setTimeout(Math.min(POLL_MS, leftMs))
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

/** @throws DeployError `TRANSACTION_FAILED` when it is not mined in time */
export async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  try {
    return await client.waitForTransactionReceipt({ hash, timeout: MINED_TIMEOUT_MS })
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new DeployError('TRANSACTION_FAILED', `${hash} was not mined: ${cause.shortMessage}`, { cause })
  }
}
