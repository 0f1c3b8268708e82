/** Outcome of a swap by the wallet's own node: the very transaction, run by `eth_call` on the state that it has. */
import { ClientError } from './errors.ts'
import { weiOf } from './explain.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

/** An allowance that is not there yet. */
export type MissingAllowance = { readonly token: string; readonly spender: string; readonly amount: bigint }

/** Slots of Solidity's and Vyper's numbering that are tried. */
const SLOTS = 64
/** `_allowances` of OpenZeppelin's upgradeable ERC-20 since 5.0, by ERC-7201. */
const OPENZEPPELIN_SLOT = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace01n
/** `_ALLOWANCE_SLOT_SEED` of Solady's ERC-20. */
const SOLADY_SEED = '7f5e9f20'

/**
 * The Guard's own measure of what the sender receives, after fees and taxes.
 *
 * @param missing - simulated as if it were there, where the node can override storage and the token keeps it where tokens do
 * @throws ClientError `REVERTED` where the call fails, for whatever reason
 */
export async function simulate(wallet: Wallet, tx: Transaction, missing?: MissingAllowance): Promise<bigint> {
  try {
    const answer = await (missing ? withAllowance(wallet, tx, missing) : wallet.call(tx.to, tx.data, weiOf(tx)))
    if (!/^0x[0-9a-fA-F]{64}$/.test(answer))
      throw new ClientError('REVERTED', 'the Guard did not answer with an amount')
    return BigInt(answer)
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    throw new ClientError('REVERTED', `the wallet's own node cannot run it: ${(cause as Error).message}`, {}, { cause })
  }
}

async function withAllowance(wallet: Wallet, tx: Transaction, missing: MissingAllowance): Promise<string> {
  if (!wallet.request) throw new ClientError('REVERTED', 'the wallet gives no access to state overrides')
  const { to, data } = tx
  const value = word(missing.amount)
  const stateDiff = Object.fromEntries(allowanceSlots(wallet.address, missing.spender).map((slot) => [slot, value]))
  const call = { from: wallet.address, to, data, value: `0x${weiOf(tx).toString(16)}` }
  return String(await wallet.request('eth_call', [call, 'latest', { [missing.token]: { stateDiff } }]))
}

/**
 * Everywhere that a token may keep this allowance. All are overridden at once: each is a hash of owner and spender, so no
 * other value of the token is touched.
 */
function allowanceSlots(owner: string, spender: string): readonly Hex[] {
  const [from, to] = [owner, spender].map((address) => word(BigInt(address))) as [Hex, Hex]
  const plain = Array.from({ length: SLOTS }, (_, slot) => BigInt(slot))
  return [
    ...[...plain, OPENZEPPELIN_SLOT].map((slot) => hash(to, hash(from, word(slot)))),
    ...plain.map((slot) => hash(hash(word(slot), from), to)),
    keccak256(`0x${from.slice(-40)}${SOLADY_SEED.padStart(24, '0')}${to.slice(-40)}`),
  ]
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const hash = (a: Hex, b: Hex): Hex => keccak256(`0x${a.slice(2)}${b.slice(2)}`)
