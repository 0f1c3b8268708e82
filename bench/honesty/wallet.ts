/** A wallet on the node that holds whatever a trade needs: nothing of the service checks the service. */
import { NATIVE } from '@sluice/chains'
import { accounts } from '@sluice/devnet'
import type { Node, Transaction } from '@sluice/system-test/wallet'

export const wallet = accounts()[0]!.address
/** More than any amount of a trade in base units of ether. */
const MUCH_ETHER = `0x${(10n ** 27n).toString(16)}`

/**
 * Makes the wallet hold twice `amount` and lets `spender` take as much: what a swap empties would be paid back in gas.
 *
 * @returns false for a token whose balances cannot be set
 */
export async function fund(node: Node, token: string, amount: bigint, spender: string): Promise<boolean> {
  await node.request('anvil_setBalance', [wallet, MUCH_ETHER])
  if (token === NATIVE) {
    // As far from the state's own block as trades of tokens come: which pools that one touched is not recorded.
    await node.request('evm_mine', [])
    return true
  }
  try {
    await node.request('anvil_dealERC20', [wallet, token, `0x${(2n * amount).toString(16)}`])
  } catch {
    return false
  }
  if ((await node.balance(token, wallet)) < 2n * amount) return false
  return (await node.approve(token, wallet, spender, 2n * amount)).status
}

/** By the node's own search for the least limit; 0 for what reverts under any. */
export async function leastGas(node: Node, { from, to, data, value = 0n }: Transaction): Promise<bigint> {
  const call = { from, to, data, value: `0x${BigInt(value).toString(16)}` }
  return BigInt(await node.request<string>('eth_estimateGas', [call]).catch(() => '0'))
}
