/** Reads addresses from getters of pools. */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { id } from 'ethers'

const FACTORY = id('factory()').slice(0, 10) as Hex

/** Calls a getter. Returns null if it returns no address or the zero address. @throws RpcError if the node fails */
export async function readAddress(rpc: Rpc, to: Address, data: Hex): Promise<Address | null> {
  try {
    const answer = await rpc.call({ to, data }, 'latest')
    if (!/^0x0{24}[0-9a-fA-F]{40}$/.test(answer)) return null
    const address = toAddress(`0x${answer.slice(-40)}`)
    return address === ZERO_ADDRESS ? null : address
  } catch (error) {
    if (error instanceof RpcError && (error.code === 'REVERTED' || error.isRefusal)) return null
    throw error
  }
}

/** Returns the result of a pool's `factory()`; null if it has none. @throws RpcError if the node fails */
export const readFactory = (rpc: Rpc, pool: Address): Promise<Address | null> => readAddress(rpc, pool, FACTORY)
