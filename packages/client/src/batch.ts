/** Sends several calls as one atomic batch through wallets that support EIP-5792. */
import { batchExecution } from './batch-execution.ts'
import { ClientError } from './errors.ts'
import { growingPause, withinTime } from './poll.ts'
import type { Outgoing, Wallet } from './wallet.ts'

/** Maximum milliseconds until a batch is mined. */
const TIMEOUT_MS = 300_000
/**
 * Error codes with which a wallet refuses a batch without sending anything. The calls can then be sent one by one. The
 * codes mean an unknown method or parameter (JSON-RPC, EIP-1193), or are defined by EIP-5792. Wallets return 5710
 * (unsupported chain) also for chains on which they support only single transactions.
 */
const NO_BATCH_CODES: readonly unknown[] = [-32_601, -32_602, 4200, 5700, 5710, 5720, 5740, 5750, 5760]

/**
 * Maximum milliseconds for an answer that needs no confirmation by the owner. Some wallets never answer, for example on
 * chains without batches.
 */
const ANSWER_MS = 5_000

/** Maximum length of a batch id: EIP-5792 allows 4,096 bytes, in hexadecimal text. */
const MAX_ID_CHARS = 8_194
/** Maximum consecutive failures of the wallet before `waitForBatch` gives up. */
const MAX_FAILURES = 20
/** Maximum times that the receipt of a reportedly failed batch is read while the node does not have it yet. */
const MAX_RECEIPT_READS = 5

type BatchStatus = {
  /** 100 pending, 200 confirmed, 400 failed off chain, 500 reverted, 600 partially reverted. */
  readonly status?: unknown
  readonly receipts?: unknown
}

/**
 * Returns true if the wallet supports atomic batches on the chain, or will support them once its owner agrees to an
 * upgrade of the account.
 *
 * @example
 * ```ts
 * const way = (await canBatch(wallet, 1)) ? 'one transaction' : 'approval first'
 * ```
 */
export async function canBatch(wallet: Wallet, chainId: number): Promise<boolean> {
  if (!wallet.request) return false
  const hexChainId = `0x${chainId.toString(16)}`
  try {
    const answer = wallet.request('wallet_getCapabilities', [wallet.address, [hexChainId]])
    const capabilities = Object(await withinTime(answer, ANSWER_MS, 'no answer about capabilities')) as Record<
      string,
      { readonly atomic?: { readonly status?: string } } | undefined
    >
    // Some wallets pad the chain id or write its digits in upper case.
    const atomicOf = (id: number) =>
      Object.entries(capabilities).find(([key, value]) => Number(key) === id && value?.atomic)?.[1]?.atomic
    // EIP-5792 lists the capabilities that apply to all chains under chain id 0x0.
    const status = (atomicOf(chainId) ?? atomicOf(0))?.status
    return status === 'supported' || status === 'ready'
  } catch {
    // Wallets without the method return different errors.
    return false
  }
}

/**
 * Sends the calls to the wallet as one atomic batch.
 *
 * @returns the wallet's id of the batch; undefined if the wallet cannot execute it atomically
 */
export async function sendBatch(
  wallet: Wallet,
  chainId: number,
  calls: readonly Outgoing[],
): Promise<string | undefined> {
  try {
    const sentBatch = await wallet.request!('wallet_sendCalls', [
      {
        version: '2.0.0',
        chainId: `0x${chainId.toString(16)}`,
        from: wallet.address,
        atomicRequired: true,
        calls: calls.map(({ to, data, value }) => ({ to, data, value: `0x${value.toString(16)}` })),
      },
    ])
    const id = typeof sentBatch === 'string' ? sentBatch : (Object(sentBatch) as { readonly id?: unknown }).id
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS)
      throw new ClientError('PENDING', 'the wallet took the batch and named no id')
    return id
  } catch (error) {
    if (NO_BATCH_CODES.includes(codeOf(error))) return undefined
    throw error
  }
}

/**
 * Waits until a batch is mined. If the wallet reports a failure and names a transaction, this transaction decides.
 *
 * @returns the hash of the batch's transaction; the id if the wallet returns no hash
 * @throws ClientError `REVERTED` if the batch failed. `PENDING` if it was not mined in time, or if the wallet reports a
 *   failure that the receipt does not show
 */
export async function waitForBatch(wallet: Wallet, id: string, signal?: AbortSignal): Promise<string> {
  const details = { hash: id }
  const deadline = Date.now() + TIMEOUT_MS
  const pause = growingPause()
  let failures = 0
  let receiptReads = 0
  while (Date.now() < deadline && !signal?.aborted) {
    try {
      const request = Promise.resolve(wallet.request?.('wallet_getCallsStatus', [id]))
      const answer = Object(await inTime(request)) as BatchStatus
      const status = statusOf(answer.status)
      const receipts: readonly unknown[] = Array.isArray(answer.receipts) ? answer.receipts : []
      const hash = (Object(receipts.at(-1)) as { transactionHash?: unknown }).transactionHash
      const isReverted = receipts.some((receipt) => (Object(receipt) as { status?: unknown }).status === '0x0')
      // Some wallets return no receipts for a confirmed batch.
      if (status === 200 && !isReverted) return typeof hash === 'string' ? hash : id
      if (status >= 400 || (status === 200 && isReverted)) {
        const execution = isHash(hash) ? await inTime(batchExecution(wallet, hash)) : 'reverted'
        if (execution === 'executed') return String(hash)
        if (execution === 'unclear') {
          const text = `the wallet reports the batch ${id} as failed (status ${status}), but ${hash} succeeded`
          throw new ClientError('PENDING', text, details)
        }
        if (execution === 'reverted' || ++receiptReads === MAX_RECEIPT_READS)
          throw new ClientError('REVERTED', `the batch ${id} moved nothing (status ${status})`, details)
      }
      failures = 0
    } catch (cause) {
      if (cause instanceof ClientError && (cause.code === 'REVERTED' || cause.code === 'PENDING')) throw cause
      if (++failures === MAX_FAILURES)
        throw new ClientError('PENDING', `the wallet does not answer about the batch ${id}`, details, { cause })
    }
    await pause()
  }
  throw new ClientError('PENDING', `the batch ${id} was not mined within ${TIMEOUT_MS / 1000} s`, details)
}

const inTime = <T>(answer: Promise<T>) => withinTime(answer, ANSWER_MS, 'no answer about the batch')

const isHash = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)

/** Returns the status as a number. Drafts of EIP-5792 used the text `CONFIRMED` for 200. */
function statusOf(status: unknown): number {
  return status === 'CONFIRMED' ? 200 : Number(status ?? 100)
}

/**
 * Returns the EIP-1193 code of an error. The errors of a wallet from `checkedWallet` have the original error as
 * `cause`.
 */
function codeOf(error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return error instanceof ClientError ? (Object(cause) as { code?: unknown }).code : code
}
