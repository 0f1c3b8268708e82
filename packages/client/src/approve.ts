/** Allowances of the Guard: exactly what a swap takes. */
import { encodeCall, selectors } from './calls.ts'
import { ClientError } from './errors.ts'
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

/** Sends what `approvals` names, one after the other. @throws ClientError `REVERTED` where the token refuses */
export async function approve(wallet: Wallet, token: string, spender: string, amount: bigint): Promise<void> {
  for (const call of await approvals(wallet, token, spender, amount)) {
    const hash = await wallet.send(call)
    if (!(await wallet.succeeded(hash))) throw new ClientError('REVERTED', `the approval ${hash} reverted`)
  }
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
