/** Finds the accounts that trade in a transaction sent by another account, from the logs that name them. */
import { type Address, NATIVE } from '@sluice/chains'
import { accountIn, SAFE_MODULE_SUCCESS, SAFE_SUCCESS, TRADE, USER_OPERATION } from '../topics.ts'
import type { FlowLog, TokenTransfer } from './flows.ts'

/** Returns the owners of executed CoW Protocol orders, ERC-4337 accounts, and Safes. They may be contracts. */
export function namedOwners(logs: readonly FlowLog[]): readonly Address[] {
  return logs.flatMap(({ address, topics: [topic, first, second] }) => {
    if (topic === TRADE && first) return [accountIn(first)]
    if (topic === USER_OPERATION && second) return [accountIn(second)]
    return topic === SAFE_SUCCESS || topic === SAFE_MODULE_SUCCESS ? [address] : []
  })
}

/** Removes the native transfers between ERC-4337 accounts and their entry point, which pay for gas. */
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
