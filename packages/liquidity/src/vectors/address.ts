import { type Address, isAddress, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { id } from 'ethers'

/** Sources name some tokens in words; each name gets an address of its own. An unknown token is zero. */
export function namedAddress(name: string | null | undefined): Address {
  if (name == null) return ZERO_ADDRESS
  return isAddress(name) ? toAddress(name) : toAddress(`0x${id(name.toLowerCase()).slice(-40)}`)
}
