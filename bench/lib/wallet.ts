/**
 * Test wallet on the node that can hold any amount. Shares only constants with the service's code, so that errors of
 * the service do not affect it.
 */
import { NATIVE } from '@sluice/chains'
import { accounts } from '@sluice/devnet'
import type { Node, Transaction } from '@sluice/system-test/wallet'

export const wallet = accounts()[0]!.address
/** Native balance of the wallet in wei. More than any trade needs. */
const WALLET_WEI = `0x${(10n ** 27n).toString(16)}`

/** Unlimited allowance, as wallets commonly grant to routers. Most tokens do not reduce it. */
export const UNLIMITED = 2n ** 256n - 1n

/**
 * Sets the wallet's balance to twice `amount`, and the spender's allowance. Half of the balance is left after
 * a trade, so that the trade clears no balance slot, for which gas would be refunded.
 *
 * @param allowance - default: twice `amount`. Each transfer reduces this allowance, unlike `UNLIMITED`
 * @returns false if the token's balance cannot be set, or if the approval reverts
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
    // Mines a block, as the approval of a token does below. Trades of the native token and of other tokens are then
    // executed at the same number of blocks after the recorded block.
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

/** Returns the lowest gas limit at which the call succeeds, as the node estimates it; 0 if the node finds none. */
export async function minGas(node: Node, { from, to, data, value = 0n }: Transaction): Promise<bigint> {
  const call = { from, to, data, value: `0x${BigInt(value).toString(16)}` }
  return BigInt(await node.request<string>('eth_estimateGas', [call]).catch(() => '0'))
}
