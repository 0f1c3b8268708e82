/**
 * Lets the target of a simulation take the input through Permit2, as routers such as Uniswap's Universal Router do.
 * Permit2 takes the input by the sender's allowance in the token, and records in its own storage how much each router
 * may take. The sender needs neither.
 */
import { IPermit2__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { balanceKey, type Mapping, toWord, type Write } from './slots/mapping.ts'
import type { SimulationRequest } from './types.ts'

/** Address of Permit2, the same on every chain. */
export const PERMIT2 = toAddress('0x000000000022D473030F116dDEE9F6B43aC78BA3')

/** Slot of the mapping of allowances in Permit2: owner, then token, then spender. */
const ALLOWANCE_SLOT = 1n
/** An entry of the mapping holds the amount in its lower 160 bits, then the expiration and the nonce of 48 bits each. */
const MAX_AMOUNT = 2n ** 160n - 1n
const MAX_EXPIRATION = 2n ** 48n - 1n
const EXPIRATION_OFFSET = 160n
const NONCE_OFFSET = 208n

/** Length of three words in hex. */
const RESULT_LENGTH = 2 + 3 * 64

const permit2 = IPermit2__factory.createInterface()

export type Permit2Allowance = {
  readonly owner: Address
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint
}

/**
 * Lets the target take the input through Permit2 if Permit2 is the spender. Leaves out calldata with a permit of its
 * own, which names the target: it would write the entry again, for less gas than on the chain.
 */
export async function permit2WritesOf(
  rpc: Rpc,
  request: SimulationRequest,
  options: RequestOptions,
): ReturnType<typeof permit2Writes> {
  const { from, to, data, tokenIn, amountIn, spender, allowance, block } = request
  if (spender !== PERMIT2 || to === PERMIT2 || allowance || data.toLowerCase().includes(to.slice(2))) return undefined
  return permit2Writes(rpc, { owner: from, token: tokenIn, spender: to, amount: amountIn }, block, options)
}

/**
 * Returns the writes that give the spender this allowance in Permit2, without an end. The nonce stays, so that a permit
 * in the calldata remains valid. Undefined if the chain does not have Permit2.
 */
export async function permit2Writes(
  rpc: Rpc,
  { owner, token, spender, amount }: Permit2Allowance,
  block: BlockRef,
  options: RequestOptions,
): Promise<readonly [Address, Write[]] | undefined> {
  const data = permit2.encodeFunctionData('allowance', [owner, token, spender]) as Hex
  const result = await rpc.call({ to: PERMIT2, data }, block, options)
  if (result.length !== RESULT_LENGTH) return undefined
  const { nonce } = permit2.decodeFunctionResult('allowance', result)
  const units = amount < MAX_AMOUNT ? amount : MAX_AMOUNT
  const value = toWord(units | (MAX_EXPIRATION << EXPIRATION_OFFSET) | (BigInt(nonce) << NONCE_OFFSET))
  return [PERMIT2, [{ key: entryKey([owner, token, spender]), value }]]
}

/** Returns the storage key of an entry of nested mappings. */
function entryKey(keys: readonly Address[]): Hex {
  return keys.reduce<Hex>((slot, key) => {
    const mapping: Mapping = { order: 'solidity', base: BigInt(slot), contract: PERMIT2 }
    return balanceKey(mapping, key)
  }, toWord(ALLOWANCE_SLOT))
}
