/** Simulates the transaction of a swap with `eth_call` on the wallet's node. */
import { ClientError, messageOf } from './errors.ts'
import { weiOf } from './explain.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Allowance that a swap needs and the spender does not have. */
export type MissingAllowance = { readonly token: string; readonly spender: string; readonly amount: bigint }

/** Number of storage slots, from slot 0, that are tried as the slot of a token's allowance mapping. */
const SLOT_COUNT = 64
/** Slot of `_allowances` in OpenZeppelin's upgradeable ERC-20 since 5.0 (ERC-7201). */
const OPENZEPPELIN_SLOT = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace01n
/** `_ALLOWANCE_SLOT_SEED` of Solady's ERC-20. */
const SOLADY_SEED = '7f5e9f20'

/**
 * Simulates the transaction. Returns the output that the Guard measures, in base units, after fees and taxes.
 *
 * @param gas - gas limit. If given, the call has the network's gas price, because tokens may read the price. A state
 *   override then adds the cost of this gas to a balance that is too low. If `gas` is absent, or if the node refuses
 *   such a call, the gas price is 0
 * @param missingAllowance - allowance that a state override adds, if the node supports state overrides and the token
 *   has a common storage layout
 * @throws ClientError `REVERTED` if the call fails for any reason
 */
export async function simulate(
  wallet: Wallet,
  tx: Transaction,
  missingAllowance?: MissingAllowance,
  gas?: bigint,
): Promise<bigint> {
  try {
    const answer =
      (await callWithGasPrice(wallet, tx, missingAllowance, gas)) ??
      (await callWithoutGasPrice(wallet, tx, missingAllowance))
    if (!/^0x[0-9a-fA-F]{64}$/.test(answer))
      throw new ClientError('REVERTED', 'the Guard did not answer with an amount')
    return BigInt(answer)
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    throw new ClientError('REVERTED', `the wallet's own node cannot run it: ${(cause as Error).message}`, {}, { cause })
  }
}

/** Simulates with gas price 0. */
async function callWithoutGasPrice(
  wallet: Wallet,
  tx: Transaction,
  missingAllowance?: MissingAllowance,
): Promise<string> {
  if (!missingAllowance) return wallet.call(tx.to, tx.data, weiOf(tx))
  if (!wallet.request) throw new ClientError('REVERTED', 'the wallet gives no access to state overrides')
  return String(await wallet.request('eth_call', callParameters(wallet, tx, missingAllowance)))
}

/**
 * Simulates with the network's gas price. If the account's balance is too low, adds only the cost of the gas to it, so
 * that missing native input still makes the call fail.
 *
 * @returns undefined if the call fails for any reason but a revert
 */
async function callWithGasPrice(
  wallet: Wallet,
  tx: Transaction,
  missingAllowance: MissingAllowance | undefined,
  gas: bigint | undefined,
): Promise<string | undefined> {
  const { request } = wallet
  if (!request || gas === undefined) return undefined
  try {
    const reads = [
      request.call(wallet, 'eth_gasPrice', []),
      request.call(wallet, 'eth_getBalance', [wallet.address, 'latest']),
    ]
    const [gasPrice, balance] = (await Promise.all(reads)).map((answer) => BigInt(String(answer))) as [bigint, bigint]
    const cost = gas * gasPrice
    const overrides = balance < weiOf(tx) + cost ? { [wallet.address]: { balance: quantity(balance + cost) } } : {}
    const fields = { gas: quantity(gas), gasPrice: quantity(gasPrice) }
    const parameters = callParameters(wallet, tx, missingAllowance, fields, overrides)
    return String(await request.call(wallet, 'eth_call', parameters))
  } catch (error) {
    if (/revert/i.test(messageOf(error))) throw error
    return undefined
  }
}

/** Returns the parameters of `eth_call`, with an override of the allowance if it is missing. */
function callParameters(
  wallet: Wallet,
  tx: Transaction,
  missingAllowance: MissingAllowance | undefined,
  fields: object = {},
  balanceOverride: object = {},
): readonly unknown[] {
  const { to, data } = tx
  const call = { from: wallet.address, to, data, value: quantity(weiOf(tx)), ...fields }
  const overrides = { ...balanceOverride, ...(missingAllowance && allowanceOverride(wallet, missingAllowance)) }
  return Object.keys(overrides).length > 0 ? [call, 'latest', overrides] : [call, 'latest']
}

function allowanceOverride(wallet: Wallet, { token, spender, amount }: MissingAllowance) {
  const value = toWord(amount)
  return {
    [token]: { stateDiff: Object.fromEntries(allowanceSlots(wallet.address, spender).map((slot) => [slot, value])) },
  }
}

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`

/**
 * Returns all storage slots in which a token may store this allowance. All of them can be overridden at once. Each is a
 * hash that includes owner and spender, so the token stores no other value there.
 */
function allowanceSlots(owner: string, spender: string): readonly Hex[] {
  const [from, to] = [owner, spender].map((address) => toWord(BigInt(address))) as [Hex, Hex]
  const plainSlots = Array.from({ length: SLOT_COUNT }, (_, slot) => BigInt(slot))
  // Solidity hashes the key before the slot of a mapping, and Vyper the slot before the key.
  return [
    ...[...plainSlots, OPENZEPPELIN_SLOT].map((slot) => hash(to, hash(from, toWord(slot)))),
    ...plainSlots.map((slot) => hash(hash(toWord(slot), from), to)),
    keccak256(`0x${from.slice(-40)}${SOLADY_SEED.padStart(24, '0')}${to.slice(-40)}`),
  ]
}

const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const hash = (a: Hex, b: Hex): Hex => keccak256(`0x${a.slice(2)}${b.slice(2)}`)
