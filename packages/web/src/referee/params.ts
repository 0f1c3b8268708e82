/** URL parameters of the Referee page. */
import { parseChainId } from '../swap/params.ts'

/** States of the chain at which the best route is searched. */
export const stateLabels = { position: 'In its position', parent: 'End of the block before' } as const
export type ComparedState = keyof typeof stateLabels

export type RefereeParams = {
  readonly chain?: number
  /** Text as typed. The page shows an error if the text is not a hash. */
  readonly hash?: string
  /** Index of the trade in a batch, from 1. */
  readonly trade?: number
  /** State to compare with; the first known state by default. */
  readonly at?: ComparedState
}

/** Maximum length of the hash parameter, which may be invalid text. */
const MAX_HASH_LENGTH = 200
/** Maximum trades of one transaction that the service judges. */
const MAX_TRADES = 4

export function readRefereeParams(search: Readonly<Record<string, unknown>>): RefereeParams {
  const chain = parseChainId(search.chain)
  const { hash, trade, at } = search
  return {
    ...(chain !== undefined && { chain }),
    ...(typeof hash === 'string' && hash !== '' && { hash: hash.slice(0, MAX_HASH_LENGTH) }),
    ...(Number.isInteger(trade) && Number(trade) > 1 && Number(trade) <= MAX_TRADES && { trade: Number(trade) }),
    ...((at === 'position' || at === 'parent') && { at }),
  }
}
