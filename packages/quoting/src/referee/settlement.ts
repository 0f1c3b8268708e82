import type { Address } from '@sluice/chains'
import { accountIn, TRADE } from '../topics.ts'
import type { FlowLog } from './flows.ts'

/** Owners of the orders that a batch settles, who may be contracts. */
export function settledOwners(logs: readonly FlowLog[]): readonly Address[] {
  return logs.flatMap(({ topics: [topic, owner] }) => (topic === TRADE && owner ? [accountIn(owner)] : []))
}
