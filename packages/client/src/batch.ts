/** Several calls as one transaction, by wallets that can (EIP-5792). */
import { ClientError } from './errors.ts'
import type { Outgoing, Wallet } from './wallet.ts'

const POLL_MS = 500
const TIMEOUT_MS = 300_000
/** Errors of EIP-5792 by which the wallet says that it will not do this batch as one; the calls can still go one by one. */
const NOT_AS_ONE: readonly unknown[] = [5700, 5720, 5740, 5750, 5760]

/** Longest id of a batch: EIP-5792 allows 4,096 bytes. */
const MAX_ID = 8_194
/** Failures of the wallet in a row, after which its last error is reported. */
const MAX_FAILURES = 20

type Status = {
  /** 100 pending, 200 done, 400 failed off chain, 500 and 600 reverted whole or in part. */
  readonly status?: unknown
  readonly receipts?: unknown
}

/**
 * True when the wallet makes several calls as one transaction on the chain, or offers to once its owner agrees.
 *
 * @example
 * ```ts
 * const way = (await canBatch(wallet, 1)) ? 'one transaction' : 'approval first'
 * ```
 */
export async function canBatch(wallet: Wallet, chainId: number): Promise<boolean> {
  if (!wallet.request) return false
  const chain = `0x${chainId.toString(16)}`
  try {
    const found = (await wallet.request('wallet_getCapabilities', [wallet.address, [chain]])) as Record<
      string,
      { readonly atomic?: { readonly status?: string } } | undefined
    > | null
    // 0x0 stands for every chain.
    const status = (found?.[chain] ?? found?.['0x0'])?.atomic?.status
    return status === 'supported' || status === 'ready'
  } catch {
    // Wallets without the method say so in ways of their own.
    return false
  }
}

/**
 * Hands the calls to the wallet as one: all of them happen, or none.
 *
 * @returns the wallet's id of the batch; undefined when it will not do them as one
 */
export async function sendBatch(
  wallet: Wallet,
  chainId: number,
  calls: readonly Outgoing[],
): Promise<string | undefined> {
  try {
    const sent = await wallet.request!('wallet_sendCalls', [
      {
        version: '2.0.0',
        chainId: `0x${chainId.toString(16)}`,
        from: wallet.address,
        atomicRequired: true,
        calls: calls.map(({ to, data, value }) => ({ to, data, value: `0x${value.toString(16)}` })),
      },
    ])
    const id = typeof sent === 'string' ? sent : (Object(sent) as { readonly id?: unknown }).id
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
      throw new ClientError('PENDING', 'the wallet took the batch and named no id')
    return id
  } catch (error) {
    if (NOT_AS_ONE.includes(codeOf(error))) return undefined
    throw error
  }
}

/**
 * Waits for a batch.
 *
 * @returns the hash of its transaction; the id when the wallet names none
 * @throws ClientError `REVERTED` when it moved nothing, `PENDING` when it was not mined in time
 */
export async function settledBatch(wallet: Wallet, id: string, signal?: AbortSignal): Promise<string> {
  const details = { hash: id }
  const deadline = Date.now() + TIMEOUT_MS
  let failures = 0
  while (Date.now() < deadline && !signal?.aborted) {
    try {
      const answer = Object(await wallet.request?.('wallet_getCallsStatus', [id])) as Status
      const status = statusOf(answer.status)
      const receipts: readonly unknown[] = Array.isArray(answer.receipts) ? answer.receipts : []
      const hash = (Object(receipts.at(-1)) as { transactionHash?: unknown }).transactionHash
      const isReverted = receipts.some((receipt) => (Object(receipt) as { status?: unknown }).status === '0x0')
      // Some wallets name no receipts of a batch that is done.
      if (status === 200 && !isReverted) return typeof hash === 'string' ? hash : id
      if (status >= 400 || (status === 200 && isReverted))
        throw new ClientError('REVERTED', `the batch ${id} moved nothing (status ${status})`, details)
      failures = 0
    } catch (cause) {
      if (cause instanceof ClientError && cause.code === 'REVERTED') throw cause
      if (++failures === MAX_FAILURES)
        throw new ClientError('PENDING', `the wallet does not answer about the batch ${id}`, details, { cause })
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new ClientError('PENDING', `the batch ${id} was not mined within ${TIMEOUT_MS / 1000} s`, details)
}

/** The status as a number; drafts of EIP-5792 had words. */
function statusOf(status: unknown): number {
  return status === 'CONFIRMED' ? 200 : Number(status ?? 100)
}

/** EIP-1193's code of an error, which a checked wallet keeps as its cause. */
function codeOf(error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return error instanceof ClientError ? (Object(cause) as { code?: unknown }).code : code
}
