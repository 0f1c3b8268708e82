/** Default sender of quotes. */
import { type Address, toAddress } from '@sluice/chains'
import { id } from 'ethers'

/**
 * The sender of a quote that names none: an unused address without a known key. It has no code and no balance, and no
 * token has blocked it.
 */
export const NEUTRAL_SENDER: Address = toAddress(`0x${id('the neutral sender of quotes without one').slice(-40)}`)
