/** URL parameters of the Referee page. */
import { parseChainId } from '../swap/params.ts'

/**
 * Labels of the states of the chain at which the best route is searched. `position`: after the earlier transactions of
 * the same block. `parent`: at the end of the block before.
 */
export const stateLabels = { position: 'In its position', parent: 'End of the block before' } as const
export type ComparedState = keyof typeof stateLabels

export type RefereeParams = {
  readonly chain?: number
  /** Transaction hash as typed. The page shows an error if the text is not a hash. */
  readonly hash?: string
  /** Number of the trade, from 1, if the transaction contains several trades. */
  readonly trade?: number
  /** State of the shown comparison; by default the first state that the service compared. */
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
