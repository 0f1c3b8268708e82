/** Addresses of tokens in vector files. */
import { type Address, isAddress, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { id } from 'ethers'

/**
 * Returns the address of a token. Some sources use symbols, which are hashed to addresses; an absent token is the zero
 * address.
 */
export function namedAddress(name: string | null | undefined): Address {
  if (name == null) return ZERO_ADDRESS
  return isAddress(name) ? toAddress(name) : toAddress(`0x${id(name.toLowerCase()).slice(-40)}`)
}
