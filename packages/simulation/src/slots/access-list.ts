/** Finds the storage slots that a token reads, by eth_createAccessList (EIP-2930). */
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { id } from 'ethers'

const erc20 = IERC20__factory.createInterface()

export type StorageSlot = { readonly contract: Address; readonly key: Hex }

/** Maximum returned slots. The last slots are kept, because a token reads the balance after the slots that lead to it. */
const MAX_SLOTS = 32

export const balanceOfCalldata = (owner: Address): Hex => erc20.encodeFunctionData('balanceOf', [owner]) as Hex
export const allowanceCalldata = (owner: Address, spender: Address): Hex =>
  erc20.encodeFunctionData('allowance', [owner, spender]) as Hex

type AccessList = {
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly Hex[] }[]
}

/** Sender of the contract creation that `creationThatCalls` encodes. Erigon requires a sender. */
const CREATOR = toAddress(`0x${id('sluice.creator').slice(-40)}`)

/**
 * Returns code for a contract creation that calls the token by STATICCALL.
 *
 * Assembly: PUSH1 size PUSH1 offset PUSH1 0 CODECOPY; PUSH1 0 PUSH1 0 PUSH1 size PUSH1 0 PUSH20 token GAS STATICCALL
 * STOP; the calldata.
 */
function creationThatCalls(token: Address, data: Hex): Hex {
  const size = (data.length / 2 - 1).toString(16).padStart(2, '0')
  return `0x60${size}60276000396000600060${size}600073${token.slice(2)}5afa00${data.slice(2)}`
}

/**
 * Returns the slots that a call of the token reads, the last one first; empty if no node has eth_createAccessList or
 * the token reverts. Erigon omits the called contract from the list, because its address would cost more gas than its
 * slots save. If the list contains no slot of the token, a second request lists the slots of a contract creation that
 * calls the token.
 *
 * @param data - calldata of at most 255 bytes
 */
export async function findReadSlots(
  rpc: Rpc,
  token: Address,
  data: Hex,
  options: RequestOptions,
): Promise<readonly StorageSlot[]> {
  const slots = await readSlotsOf(rpc, { to: token, data }, options)
  if (!slots || slots.some(({ contract }) => contract === token)) return slots ?? []
  const slotsOfCreation = await readSlotsOf(rpc, { from: CREATOR, data: creationThatCalls(token, data) }, options)
  return slotsOfCreation?.length ? slotsOfCreation : slots
}

/** Returns the slots that a call reads; undefined if the node has no eth_createAccessList, or the call reverts. */
async function readSlotsOf(
  rpc: Rpc,
  call: object,
  options: RequestOptions,
): Promise<readonly StorageSlot[] | undefined> {
  try {
    const answer = await rpc.request<AccessList | null>('eth_createAccessList', [call, 'latest'], options)
    if (!answer?.accessList) return undefined
    const slots = answer.accessList.flatMap(({ address, storageKeys }) =>
      storageKeys.map((key): StorageSlot => ({ contract: toAddress(address), key })),
    )
    return slots.slice(-MAX_SLOTS).reverse()
  } catch (error) {
    if (error instanceof RpcError && (error.isRefusal || error.code === 'REVERTED')) return undefined
    throw error
  }
}
