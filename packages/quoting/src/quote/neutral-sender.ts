import { type Address, toAddress } from '@sluice/chains'
import { id } from 'ethers'

/**
 * The sender of a quote that names none. An address that nobody has the key of and nobody has used: no token holds anything
 * against it, it has no code for tokens to refuse, and it holds nothing.
 */
export const NEUTRAL_SENDER: Address = toAddress(`0x${id('the neutral sender of quotes without one').slice(-40)}`)
