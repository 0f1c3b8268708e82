/** URL parameters of the Referee page. */
import { parseChainId } from '../swap/params.ts'

export const stateLabels = { position: 'In its position', parent: 'End of the block before' } as const
export type State = keyof typeof stateLabels

export type RefereeParams = {
  readonly chain?: number
  /** As typed. The page shows an error for a text that is not a hash. */
  readonly hash?: string
  /** Index of the trade in a batch, from 1. */
  readonly trade?: number
  /** State to compare with; the first known state by default. */
  readonly at?: State
}

const MAX_LENGTH = 200
/** Maximum trades of one transaction that the service judges. */
const MAX_TRADES = 4

export function readRefereeParams(search: Readonly<Record<string, unknown>>): RefereeParams {
  const chain = parseChainId(search.chain)
  const { hash, trade, at } = search
  return {
    ...(chain !== undefined && { chain }),
    ...(typeof hash === 'string' && hash !== '' && { hash: hash.slice(0, MAX_LENGTH) }),
    ...(Number.isInteger(trade) && Number(trade) > 1 && Number(trade) <= MAX_TRADES && { trade: Number(trade) }),
    ...((at === 'position' || at === 'parent') && { at }),
  }
}
