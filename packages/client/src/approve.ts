/** Reads and sets allowances. An approval is always for the exact amount. */
import { encodeCall, selectors } from './calls.ts'
import { checkedWallet } from './checked-wallet.ts'
import { ClientError, orWalletError } from './errors.ts'
import { waitForReceipt } from './receipt.ts'
import type { Hex } from './types.ts'
import type { Outgoing, Wallet } from './wallet.ts'

/** Reads the allowance of a spender in base units. @throws ClientError `WALLET` if the address is not a token */
export async function allowanceOf(wallet: Wallet, token: string, spender: string): Promise<bigint> {
  const answer = await wallet.call(token, encodeCall(selectors.allowance, wallet.address, spender))
  if (!/^0x[0-9a-fA-F]{64}/.test(answer)) throw new ClientError('WALLET', `${token} does not answer as a token`)
  return BigInt(answer.slice(0, 66))
}

/**
 * Returns the calls that let the spender draw exactly `amount`. There are none if the allowance suffices, and two if
 * the token requires a reset to zero first.
 */
export async function missingApprovals(
  wallet: Wallet,
  token: string,
  spender: string,
  amount: bigint,
): Promise<readonly Outgoing[]> {
  const allowance = await allowanceOf(wallet, token, spender)
  if (allowance >= amount) return []
  const approvalCallFor = (limit: bigint): Outgoing => ({
    to: token,
    data: encodeCall(selectors.approve, spender, limit),
    value: 0n,
  })
  const approvalCall = approvalCallFor(amount)
  return allowance > 0n && !(await callSucceeds(wallet, token, approvalCall.data))
    ? [approvalCallFor(0n), approvalCall]
    : [approvalCall]
}

/**
 * Approves `spender` for exactly `amount` of a token. Sends nothing if the allowance suffices.
 *
 * @throws ClientError `REVERTED` if an approval reverts
 * @example
 * ```ts
 * await approve(wallet, src, guardOf(1)!, 10n ** 18n)
 * ```
 */
export async function approve(wallet: Wallet, token: string, spender: string, amount: bigint): Promise<void> {
  const chainWallet = checkedWallet(wallet, await orWalletError(() => wallet.chainId()))
  for (const call of await missingApprovals(chainWallet, token, spender, amount)) await sendApproval(chainWallet, call)
}

/**
 * Sends one call of `missingApprovals` and waits until it is mined.
 *
 * @param onSent - called as soon as the call is sent
 * @param signal - ends the wait
 */
export async function sendApproval(
  wallet: Wallet,
  call: Outgoing,
  onSent: (hash: string, fromBlock: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  const fromBlock = await wallet.blockNumber()
  const hash = await wallet.send(call)
  onSent(hash, fromBlock)
  const { succeeded } = await waitForReceipt(wallet, hash, fromBlock, signal)
  if (!succeeded) throw new ClientError('REVERTED', `the approval ${hash} reverted`, { hash })
}

/** Returns true if the call succeeds in the current state. */
async function callSucceeds(wallet: Wallet, token: string, data: Hex): Promise<boolean> {
  try {
    await wallet.call(token, data)
    return true
  } catch {
    // Every error counts as a revert, because each wallet reports reverts in its own way. If the error was not a
    // revert, the only harm is an unnecessary reset of the allowance.
    return false
  }
}
