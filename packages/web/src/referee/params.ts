/** A judged transaction in the address of its page, so that a link carries it. */
import { chainOf } from '../swap/params.ts'

export const states = { position: 'In its position', parent: 'End of the block before' } as const
export type State = keyof typeof states

export type RefereeParams = {
  readonly chain?: number
  /** As it was typed: a text that is no hash is shown as such. */
  readonly hash?: string
  /** Trade of a batch, from 1. */
  readonly trade?: number
  /** State that is compared with; the first that is known when absent. */
  readonly at?: State
}

const MAX_LENGTH = 200
/** Trades of one transaction that the service judges. */
const MAX_TRADES = 4

export const isHash = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text)

export function readRefereeParams(search: Readonly<Record<string, unknown>>): RefereeParams {
  const chain = chainOf(search.chain)
  const { hash, trade, at } = search
  return {
    ...(chain !== undefined && { chain }),
    ...(typeof hash === 'string' && hash !== '' && { hash: hash.slice(0, MAX_LENGTH) }),
    ...(Number.isInteger(trade) && Number(trade) > 1 && Number(trade) <= MAX_TRADES && { trade: Number(trade) }),
    ...((at === 'position' || at === 'parent') && { at }),
  }
}
