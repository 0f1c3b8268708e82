/** Topics of the logs from which moves of tokens are read. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'

export const TRANSFER = id('Transfer(address,address,uint256)')
/** Wrapping of the native token, by wrappers in the manner of WETH9. */
export const DEPOSIT = id('Deposit(address,uint256)')
export const WITHDRAWAL = id('Withdrawal(address,uint256)')
/** An order that CoW Protocol's contract settled. */
export const TRADE = id('Trade(address,address,address,uint256,uint256,uint256,bytes)')

/** Account in an indexed parameter. */
export const accountIn = (topic: Hex): Address => toAddress(`0x${topic.slice(-40)}`)
