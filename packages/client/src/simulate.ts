/** Simulates the transaction of a swap with `eth_call` on the wallet's node. */
import { ClientError } from './errors.ts'
import { weiOf } from './explain.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Allowance that a swap needs and the spender does not have. */
export type MissingAllowance = { readonly token: string; readonly spender: string; readonly amount: bigint }

/**
 * The allowance mapping is assumed in one of the first storage slots, up to this number, with Solidity's or Vyper's
 * hashing.
 */
const SLOTS = 64
/** Slot of `_allowances` in OpenZeppelin's upgradeable ERC-20 since 5.0 (ERC-7201). */
const OPENZEPPELIN_SLOT = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace01n
/** `_ALLOWANCE_SLOT_SEED` of Solady's ERC-20. */
const SOLADY_SEED = '7f5e9f20'

/**
 * Simulates the transaction. Returns the output that the Guard measures, in base units, after fees and taxes.
 *
 * @param missingAllowance - allowance that a state override adds, if the node supports that and the token's layout is a
 *   common one
 * @throws ClientError `REVERTED` if the call fails for any reason
 */
export async function simulate(wallet: Wallet, tx: Transaction, missingAllowance?: MissingAllowance): Promise<bigint> {
  try {
    const answer = await (missingAllowance
      ? withAllowance(wallet, tx, missingAllowance)
      : wallet.call(tx.to, tx.data, weiOf(tx)))
    if (!/^0x[0-9a-fA-F]{64}$/.test(answer))
      throw new ClientError('REVERTED', 'the Guard did not answer with an amount')
    return BigInt(answer)
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    throw new ClientError('REVERTED', `the wallet's own node cannot run it: ${(cause as Error).message}`, {}, { cause })
  }
}

async function withAllowance(wallet: Wallet, tx: Transaction, missingAllowance: MissingAllowance): Promise<string> {
  if (!wallet.request) throw new ClientError('REVERTED', 'the wallet gives no access to state overrides')
  const { to, data } = tx
  const value = toWord(missingAllowance.amount)
  const stateDiff = Object.fromEntries(
    allowanceSlots(wallet.address, missingAllowance.spender).map((slot) => [slot, value]),
  )
  const call = { from: wallet.address, to, data, value: `0x${weiOf(tx).toString(16)}` }
  return String(await wallet.request('eth_call', [call, 'latest', { [missingAllowance.token]: { stateDiff } }]))
}

/**
 * Returns all storage slots in which a token may store this allowance. All can be overridden at once: each slot is a
 * hash of owner and spender, so this changes no other value of the token.
 */
function allowanceSlots(owner: string, spender: string): readonly Hex[] {
  const [from, to] = [owner, spender].map((address) => toWord(BigInt(address))) as [Hex, Hex]
  const plainSlots = Array.from({ length: SLOTS }, (_, slot) => BigInt(slot))
  return [
    ...[...plainSlots, OPENZEPPELIN_SLOT].map((slot) => hash(to, hash(from, toWord(slot)))),
    ...plainSlots.map((slot) => hash(hash(toWord(slot), from), to)),
    keccak256(`0x${from.slice(-40)}${SOLADY_SEED.padStart(24, '0')}${to.slice(-40)}`),
  ]
}

const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const hash = (a: Hex, b: Hex): Hex => keccak256(`0x${a.slice(2)}${b.slice(2)}`)
