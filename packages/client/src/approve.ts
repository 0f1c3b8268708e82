/** Allowances of the Guard: exactly what a swap takes. */
import { encodeCall, selectors } from './calls.ts'
import { checkedWallet } from './checked-wallet.ts'
import { ClientError, orClientError } from './errors.ts'
import { settled } from './receipt.ts'
import type { Hex } from './types.ts'
import type { Outgoing, Wallet } from './wallet.ts'

export async function allowanceOf(wallet: Wallet, token: string, spender: string): Promise<bigint> {
  const answer = await wallet.call(token, encodeCall(selectors.allowance, wallet.address, spender))
  if (!/^0x[0-9a-fA-F]{64}/.test(answer)) throw new ClientError('WALLET', `${token} does not answer as a token`)
  return BigInt(answer.slice(0, 66))
}

/**
 * The calls that let the spender draw exactly `amount`; none where the allowance suffices. A smaller one that is not zero is
 * first set to zero where the token insists on it.
 */
export async function approvals(
  wallet: Wallet,
  token: string,
  spender: string,
  amount: bigint,
): Promise<readonly Outgoing[]> {
  const allowance = await allowanceOf(wallet, token, spender)
  if (allowance >= amount) return []
  const set = (to: bigint): Outgoing => ({ to: token, data: encodeCall(selectors.approve, spender, to), value: 0n })
  const all = set(amount)
  return allowance > 0n && !(await accepts(wallet, token, all.data)) ? [set(0n), all] : [all]
}

/**
 * Lets `spender` draw exactly `amount` of a token: nothing is sent where the allowance suffices.
 *
 * @throws ClientError `REVERTED` where the token refuses
 * @example
 * ```ts
 * await approve(wallet, src, guardOf(1)!, 10n ** 18n)
 * ```
 */
export async function approve(wallet: Wallet, token: string, spender: string, amount: bigint): Promise<void> {
  const checked = checkedWallet(wallet, await orClientError('WALLET', () => wallet.chainId()))
  for (const call of await approvals(checked, token, spender, amount)) await sendApproval(checked, call)
}

/** Sends one call of `approvals` and waits for it. @param sent - notified of the hash */
export async function sendApproval(
  wallet: Wallet,
  call: Outgoing,
  sent: (hash: string, fromBlock: number) => void = () => undefined,
): Promise<void> {
  const fromBlock = await wallet.blockNumber()
  const hash = await wallet.send(call)
  sent(hash, fromBlock)
  const { succeeded } = await settled(wallet, hash, fromBlock)
  if (!succeeded) throw new ClientError('REVERTED', `the approval ${hash} reverted`, { hash })
}

/** True for a call that would go through as things stand. */
async function accepts(wallet: Wallet, token: string, data: Hex): Promise<boolean> {
  try {
    await wallet.call(token, data)
    return true
  } catch {
    // Wallets report a revert in ways of their own; a node that failed for another reason only costs a reset.
    return false
  }
}
