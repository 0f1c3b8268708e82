/** Several calls as one transaction, by wallets that can (EIP-5792). */
import { ClientError } from './errors.ts'
import type { Outgoing, Wallet } from './wallet.ts'

const POLL_MS = 500
const TIMEOUT_MS = 300_000
/** Errors of EIP-5792 by which the wallet says that it will not do this batch as one; the calls can still go one by one. */
const NOT_AS_ONE: readonly unknown[] = [5700, 5720, 5740, 5750, 5760]

type Status = {
  /** 100 pending, 200 done, 400 failed off chain, 500 and 600 reverted whole or in part. */
  readonly status?: number
  readonly receipts?: readonly { readonly transactionHash?: string; readonly status?: string }[]
}

/** True where the wallet does several calls as one transaction on the chain, or offers to once its owner agrees. */
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
 * Sends the calls as one: all of them happen, or none.
 *
 * @returns the transaction's hash; undefined where the wallet will not do them as one
 * @throws ClientError `REVERTED` when the transaction moved nothing, `WALLET` when it was not mined
 */
export async function sendBatch(
  wallet: Wallet,
  chainId: number,
  calls: readonly Outgoing[],
): Promise<string | undefined> {
  const request = wallet.request!
  let id: string
  try {
    const sent = await request('wallet_sendCalls', [
      {
        version: '2.0.0',
        chainId: `0x${chainId.toString(16)}`,
        from: wallet.address,
        atomicRequired: true,
        calls: calls.map(({ to, data, value }) => ({ to, data, value: `0x${value.toString(16)}` })),
      },
    ])
    id = typeof sent === 'string' ? sent : (sent as { readonly id: string }).id
  } catch (error) {
    if (NOT_AS_ONE.includes((error as { code?: unknown } | null)?.code)) return undefined
    throw error
  }
  const deadline = Date.now() + TIMEOUT_MS
  while (Date.now() < deadline) {
    const { status = 100, receipts = [] } = (await request('wallet_getCallsStatus', [id])) as Status
    const hash = receipts.at(-1)?.transactionHash
    if (status === 200 && hash) return hash
    if (status >= 400) throw new ClientError('REVERTED', `the batch ${hash ?? id} moved nothing (status ${status})`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new ClientError('WALLET', `the batch ${id} was not mined within ${TIMEOUT_MS / 1000} s`)
}
