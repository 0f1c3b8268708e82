import { type Address, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import type { FlowLog } from './flows.ts'

/** Log of CoW Protocol's settlement contract, one for each order. */
const TRADE = id('Trade(address,address,address,uint256,uint256,uint256,bytes)')

/** Owners of the orders that a batch settles, who may be contracts. */
export function settledOwners(logs: readonly FlowLog[]): readonly Address[] {
  return logs.flatMap(({ topics: [topic, owner] }) =>
    topic === TRADE && owner ? [toAddress(`0x${owner.slice(-40)}`)] : [],
  )
}
