/** Reads the outcome of a batch (EIP-5792) from its wallet. */
import { batchExecution, type Wallet } from '@sluice/client'
import { isHash } from '../format/hex.ts'
import type { LedgerEntry } from './ledger.ts'

/** Changes of a ledger entry, and the state that the SDK or the wallet reported. */
export type EntryOutcome = Partial<LedgerEntry> & { readonly state: string }

/** EIP-5792 error code of a wallet that does not know the id of a batch. */
const UNKNOWN_ID = 5730

/**
 * Reads the outcome of a batch. As soon as the wallet reports a hash, the entry becomes a swap with this hash as its
 * id. A failure that the wallet reports counts only if the transaction with this hash does not contradict it.
 */
export async function batchOutcome(id: string, wallet: Pick<Wallet, 'address' | 'request'>): Promise<EntryOutcome> {
  let answer: { readonly status?: unknown; readonly receipts?: unknown }
  try {
    answer = Object(await wallet.request?.('wallet_getCallsStatus', [id]))
  } catch (error) {
    // The state `unknown` lets the user remove the entry, which would otherwise stay pending forever.
    if ((Object(error) as { readonly code?: unknown }).code === UNKNOWN_ID) return { state: 'unknown' }
    throw error
  }
  const lastReceipt: unknown = Array.isArray(answer.receipts) ? answer.receipts.at(-1) : undefined
  const hash = (Object(lastReceipt) as { readonly transactionHash?: unknown }).transactionHash
  const minedHash = typeof hash === 'string' && isHash(hash) ? hash : undefined
  const isFailed = Number(answer.status) >= 400
  if (isFailed && !(minedHash && (await mayHaveSucceeded(wallet, minedHash))))
    return { state: 'reverted', status: 'failed' }
  if (minedHash) return { state: 'pending', id: minedHash, kind: 'swap' }
  // Some wallets return no receipts for a confirmed batch. Drafts of EIP-5792 used `CONFIRMED` instead of 200.
  const isConfirmed = answer.status === 'CONFIRMED' || Number(answer.status) === 200
  return isConfirmed ? { state: 'landed', status: 'landed' } : { state: 'pending' }
}

/** Returns true unless the transaction shows that it did not execute the batch. */
async function mayHaveSucceeded(wallet: Pick<Wallet, 'address' | 'request'>, hash: string): Promise<boolean> {
  const execution = await batchExecution(wallet, hash)
  return execution === 'executed' || execution === 'unclear'
}

/**
 * Returns the changes of an entry whose swap was mined.
 *
 * @param id - transaction hash, or the id of the batch if the wallet reports no hash
 */
export function minedChange(id: string): Partial<LedgerEntry> {
  return isHash(id) ? { id, kind: 'swap' } : { status: 'landed' }
}
