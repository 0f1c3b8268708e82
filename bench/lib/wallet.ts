/** A test wallet on the node that can hold any amount. It shares no code with the service. */
import { NATIVE } from '@sluice/chains'
import { accounts } from '@sluice/devnet'
import type { Node, Transaction } from '@sluice/system-test/wallet'

export const wallet = accounts()[0]!.address
/** Ether of the wallet in wei, more than any trade needs. */
const WALLET_WEI = `0x${(10n ** 27n).toString(16)}`

/** Allowance that most tokens do not reduce, and most wallets grant to a router. */
export const UNLIMITED = 2n ** 256n - 1n

/**
 * Sets the wallet's balance to twice `amount`, and the spender's allowance. As half of it remains after a trade, the
 * trade gets no gas refund for an emptied slot.
 *
 * @param allowance - twice `amount` by default, which tokens reduce at each transfer
 * @returns false if the token's balances cannot be set
 */
export async function fund(
  node: Node,
  token: string,
  amount: bigint,
  spender: string,
  allowance = 2n * amount,
): Promise<boolean> {
  await node.request('anvil_setBalance', [wallet, WALLET_WEI])
  if (token === NATIVE) {
    // Mines a block, as the approval of a token does below, so that native trades are as far from the recorded block as
    // token trades.
    await node.request('evm_mine', [])
    return true
  }
  try {
    await node.request('anvil_dealERC20', [wallet, token, `0x${(2n * amount).toString(16)}`])
  } catch {
    return false
  }
  if ((await node.balance(token, wallet)) < 2n * amount) return false
  return (await node.approve(token, wallet, spender, allowance)).status
}

/** Returns the lowest gas limit by the node's own search; 0 if the call always reverts. */
export async function minGas(node: Node, { from, to, data, value = 0n }: Transaction): Promise<bigint> {
  const call = { from, to, data, value: `0x${BigInt(value).toString(16)}` }
  return BigInt(await node.request<string>('eth_estimateGas', [call]).catch(() => '0'))
}
