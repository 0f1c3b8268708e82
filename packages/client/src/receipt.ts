/**
 * Waits for the outcome of a sent transaction: its receipt, the receipt of its replacement, or the event of a Safe or
 * of an ERC-4337 entry point.
 */
import { ENTRY_POINTS, SAFE_FAILURE, SAFE_SUCCESS, USER_OPERATION } from './account-events.ts'
import { ClientError } from './errors.ts'
import { growingPause, withinTime } from './poll.ts'
import { ReplacementWatch } from './replacement.ts'
import type { Receipt, Wallet } from './wallet.ts'

/** Maximum milliseconds until a transaction is mined. */
const TIMEOUT_MS = 300_000
/** Maximum consecutive failures of the node before `waitForReceipt` gives up. */
const MAX_FAILURES = 20
/** Maximum milliseconds for an answer of the node. Wallets on phones lose requests while they sleep. */
const ANSWER_MS = 15_000
const WORD_DIGITS = 64

type Log = { readonly topics?: readonly string[]; readonly data?: string; readonly transactionHash?: string }

/**
 * Waits for the outcome of what `wallet.send` sent: a transaction, a Safe transaction, or a user operation.
 *
 * @param hash - hash that `wallet.send` returned
 * @param fromBlock - first block searched for events; the transaction was sent at this block or later
 * @throws ClientError `PENDING` if nothing was mined in time; the transaction may still be mined later. `REJECTED` if
 *   the owner replaced it with another one, so that it can no longer be mined
 */
export async function waitForReceipt(
  wallet: Wallet,
  hash: string,
  fromBlock: number,
  signal?: AbortSignal,
): Promise<Receipt> {
  const deadline = Date.now() + TIMEOUT_MS
  const pause = growingPause()
  const replacementWatch = new ReplacementWatch(wallet, hash, fromBlock)
  let failures = 0
  while (Date.now() < deadline && !signal?.aborted) {
    try {
      // Some nodes refuse requests for logs or past nonces. Such a refusal does not count as a failure of the node,
      // because the receipt alone also shows the outcome.
      const receipt =
        (await receiptOf(wallet, hash)) ?? (await inTime(executionOf(wallet, hash, fromBlock)).catch(() => undefined))
      if (receipt) return receipt
      const replacement = await inTime(replacementWatch.find()).catch(() => undefined)
      if (replacement && !replacement.isSameCall)
        throw new ClientError('REJECTED', `the owner replaced the transaction ${hash} with ${replacement.hash}`, {
          hash,
        })
      const replacementReceipt = replacement && (await receiptOf(wallet, replacement.hash))
      if (replacementReceipt) return replacementReceipt
      failures = 0
    } catch (cause) {
      if (cause instanceof ClientError && cause.code === 'REJECTED') throw cause
      if (++failures === MAX_FAILURES)
        throw new ClientError('PENDING', `the node does not answer about ${hash}`, { hash }, { cause })
    }
    await pause()
  }
  const reason = signal?.aborted
    ? 'the caller stopped waiting for'
    : `nothing was mined within ${TIMEOUT_MS / 1000} s for`
  throw new ClientError('PENDING', `${reason} ${hash}`, { hash })
}

const inTime = <T>(answer: Promise<T>) => withinTime(answer, ANSWER_MS, 'the node does not answer')

async function receiptOf(wallet: Wallet, hash: string): Promise<Receipt | undefined> {
  return wallet.receipt ? inTime(wallet.receipt(hash)) : { hash, succeeded: await wallet.succeeded(hash) }
}

/** Returns the execution that a Safe or an entry point logged for the hash; undefined if there is none yet. */
async function executionOf(wallet: Wallet, hash: string, fromBlock: number): Promise<Receipt | undefined> {
  if (!wallet.request || !/^0x[0-9a-fA-F]{64}$/.test(hash)) return undefined
  const requestedHash = hash.toLowerCase()
  const blockRange = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' }
  const readLogs = async (filter: object): Promise<readonly Log[]> => {
    const answer = await wallet.request!('eth_getLogs', [{ ...blockRange, ...filter }])
    return Array.isArray(answer) ? answer.map(Object) : []
  }
  const [safeLogs, entryPointLogs] = await Promise.all([
    readLogs({ address: wallet.address, topics: [[SAFE_SUCCESS, SAFE_FAILURE]] }),
    readLogs({ address: ENTRY_POINTS, topics: [USER_OPERATION, requestedHash] }),
  ])
  const dataWord = ({ data = '0x' }: Log, index: number) =>
    `0x${data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS)}`.toLowerCase()
  const executionLog = safeLogs.find((log) => (log.topics?.[1] ?? dataWord(log, 0)).toLowerCase() === requestedHash)
  if (executionLog)
    return { hash: String(executionLog.transactionHash), succeeded: executionLog.topics?.[0] === SAFE_SUCCESS }
  const [operation] = entryPointLogs
  // Words of the event's data: nonce, success, cost, gas.
  return operation && { hash: String(operation.transactionHash), succeeded: /1$/.test(dataWord(operation, 1)) }
}
