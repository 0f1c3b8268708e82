/** The quote of the page, followed block by block. */
import { ClientError, type QuoteParameters, type Route, type SwapParameters, type Transaction } from '@sluice/client'
import { useQuoteStream } from '@sluice/react'
import { useStatus } from '../service/chains.ts'

export type Asked = Omit<SwapParameters, 'from' | 'amount'> & {
  readonly chainId: number
  /** Base units of `src` that are paid, or of `dst` that arrive at least: one of them. */
  readonly amount?: string
  readonly amountOut?: string
  /** Whose wallet; without it the quote is for nobody. */
  readonly from: string | undefined
}

export type Quote = Omit<Route, 'tx'> & { readonly tx?: Transaction }

/** From this age on a quote is asked for again before it is signed. */
export const STALE_BLOCKS = 4
/** Milliseconds between requests of a quote that failed. */
const POLL_MS = 4_000

export type Live = {
  readonly quote: Quote | undefined
  readonly error: ClientError | undefined
  /** The newest block that it was looked at. */
  readonly seen: number | undefined
  /** Blocks since then. */
  readonly age: number
  readonly isStale: boolean
  /** True when requests fail, or the chain's node is known not to answer. */
  readonly isDead: boolean
  readonly isAsking: boolean
  readonly head: number | undefined
  readonly again: () => void
}

/** @param held - while somebody signs: nothing is asked, nothing moves */
export function useQuote(asked: Asked | undefined, held: boolean): Live {
  const { data: status } = useStatus(asked?.chainId ?? 0, asked !== undefined)
  const head = status?.head
  const { chainId = 0, ...parameters } = asked ?? {}
  const stream = useQuoteStream(chainId, asked && (parameters as QuoteParameters), {
    isPaused: held,
    head,
    pollMs: POLL_MS,
  })
  const { quote, error, block: seen } = stream
  const failed = error !== undefined && !isRefusal(error)
  const isAlive = status?.state !== 'failing'
  const age = seen !== undefined && head !== undefined ? Math.max(0, head - seen) : 0
  return {
    ...{ quote, error, seen, age, head },
    isStale: quote !== undefined && (age >= STALE_BLOCKS || failed || !isAlive),
    isDead: failed || !isAlive,
    isAsking: stream.isFetching,
    again: stream.refetch,
  }
}

export function isRefusal(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'NO_ROUTE'
}

export const sameToken = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase()
