/** Topics of events that show token movements, or the account for which a transaction was sent. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'

export const TRANSFER = id('Transfer(address,address,uint256)')
/** Event of wrapped native tokens like WETH9 when the native token is wrapped. */
export const DEPOSIT = id('Deposit(address,uint256)')
/** Event of wrapped native tokens like WETH9 when they are unwrapped. */
export const WITHDRAWAL = id('Withdrawal(address,uint256)')
/** Event of CoW Protocol's settlement contract for each order that it executes. */
export const TRADE = id('Trade(address,address,address,uint256,uint256,uint256,bytes)')
/** Event of ERC-4337's entry point for each operation of an account. */
export const USER_OPERATION = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)')
/** Events of a Safe for a transaction that its owners signed, or that one of its modules sent. */
export const SAFE_SUCCESS = id('ExecutionSuccess(bytes32,uint256)')
export const SAFE_MODULE_SUCCESS = id('ExecutionFromModuleSuccess(address)')

/** Decodes the address in an indexed event parameter. */
export const accountIn = (topic: Hex): Address => toAddress(`0x${topic.slice(-40)}`)
