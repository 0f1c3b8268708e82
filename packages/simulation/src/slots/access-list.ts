/** Finds the storage slots that a token reads, by eth_createAccessList (EIP-2930). */
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'

const erc20 = IERC20__factory.createInterface()

export type StorageSlot = { readonly contract: Address; readonly key: Hex }

/** Maximum returned slots: the last ones, because a token reads the balance after the slots that lead to it. */
const MAX_SLOTS = 32

export const balanceOfCalldata = (owner: Address): Hex => erc20.encodeFunctionData('balanceOf', [owner]) as Hex
export const allowanceCalldata = (owner: Address, spender: Address): Hex =>
  erc20.encodeFunctionData('allowance', [owner, spender]) as Hex

type AccessList = {
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly Hex[] }[]
}

/**
 * Returns the slots that a call reads, the last one first; empty if no node has eth_createAccessList or the token
 * reverts.
 */
export async function findReadSlots(
  rpc: Rpc,
  token: Address,
  data: Hex,
  options: RequestOptions,
): Promise<readonly StorageSlot[]> {
  try {
    const answer = await rpc.request<AccessList | null>(
      'eth_createAccessList',
      [{ to: token, data }, 'latest'],
      options,
    )
    const slots = (answer?.accessList ?? []).flatMap(({ address, storageKeys }) =>
      storageKeys.map((key): StorageSlot => ({ contract: toAddress(address), key })),
    )
    return slots.slice(-MAX_SLOTS).reverse()
  } catch (error) {
    if (error instanceof RpcError && (error.isRefusal || error.code === 'REVERTED')) return []
    throw error
  }
}
