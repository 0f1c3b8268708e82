/** Accounts for which somebody else sent the transaction, by the logs that name them. */
import { type Address, NATIVE } from '@sluice/chains'
import { accountIn, SAFE_MODULE_SUCCESS, SAFE_SUCCESS, TRADE, USER_OPERATION } from '../topics.ts'
import type { FlowLog, TokenTransfer } from './flows.ts'

/** Owners of the orders that a batch settles, accounts of ERC-4337, and Safes: they may be contracts. */
export function namedOwners(logs: readonly FlowLog[]): readonly Address[] {
  return logs.flatMap(({ address, topics: [topic, first, second] }) => {
    if (topic === TRADE && first) return [accountIn(first)]
    if (topic === USER_OPERATION && second) return [accountIn(second)]
    return topic === SAFE_SUCCESS || topic === SAFE_MODULE_SUCCESS ? [address] : []
  })
}

/** Leaves out the native token that accounts of ERC-4337 deposit at the entry point for gas, and get back. */
export function withoutGasDeposits(
  flows: readonly TokenTransfer[],
  logs: readonly FlowLog[],
): readonly TokenTransfer[] {
  const operations = logs.filter(({ topics: [topic, , account] }) => topic === USER_OPERATION && account)
  const accounts = new Set(operations.map(({ topics }) => accountIn(topics[2]!)))
  const entryPoints = new Set(operations.map(({ address }) => address))
  const isDeposit = ({ token, from, to }: TokenTransfer) =>
    token === NATIVE && ((accounts.has(from) && entryPoints.has(to)) || (accounts.has(to) && entryPoints.has(from)))
  return flows.filter((flow) => !isDeposit(flow))
}
