/** The quote of the page, followed block by block. */
import { ClientError, type QuoteParameters, type Route, type SwapParameters, type Transaction } from '@sluice/client'
import { useQuoteStream } from '@sluice/react'
import { useEffect, useState } from 'react'
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
/** Milliseconds without an answer of the service after which figures count as out of date: four of its polls. */
const SILENT_MS = 8_000

export type Live = {
  /** Latest quote. While another amount is quoted, the one before. */
  readonly quote: Quote | undefined
  /** True when the quote answers what is asked now. */
  readonly isCurrent: boolean
  readonly error: ClientError | undefined
  /** The newest block that it was looked at. */
  readonly seen: number | undefined
  /** Blocks since then. */
  readonly age: number
  readonly isStale: boolean
  /** The one that does not answer, if one does not. */
  readonly silent: 'service' | 'chain' | undefined
  readonly isAsking: boolean
  readonly head: number | undefined
  readonly again: () => void
}

/** @param held - while somebody signs: nothing is asked, nothing moves */
export function useQuote(asked: Asked | undefined, held: boolean): Live {
  const { data: status, dataUpdatedAt, refetch } = useStatus(asked?.chainId ?? 0, asked !== undefined)
  const isSilent = useIsOlder(dataUpdatedAt, SILENT_MS)
  const head = status?.head
  const { chainId = 0, ...parameters } = asked ?? {}
  const stream = useQuoteStream(chainId, asked && (parameters as QuoteParameters), {
    isPaused: held,
    head,
    pollMs: POLL_MS,
  })
  const { error, block: seen } = stream
  // Until it was looked at once, the quote is that of the request before.
  const isAnswered = seen !== undefined
  const quote = error !== undefined && !isAnswered ? undefined : stream.quote
  const failed = error !== undefined && !isRefusal(error)
  const isChainDown = status?.state === 'failing'
  const age = seen !== undefined && head !== undefined ? Math.max(0, head - seen) : 0
  return {
    ...{ quote, error, seen, age, head },
    isCurrent: quote !== undefined && isAnswered && (asked?.amount === undefined || quote.fromAmount === asked.amount),
    isStale: quote !== undefined && (age >= STALE_BLOCKS || failed || isChainDown || isSilent),
    silent: isSilent ? 'service' : isChainDown || failed ? 'chain' : undefined,
    isAsking: stream.isFetching,
    again() {
      stream.refetch()
      void refetch()
    },
  }
}

/** True once so many milliseconds have passed since a time. Zero is no time yet. */
function useIsOlder(since: number, ms: number): boolean {
  const [isOlder, setIsOlder] = useState(false)
  useEffect(() => {
    const left = since + ms - Date.now()
    setIsOlder(since > 0 && left <= 0)
    if (since === 0 || left <= 0) return
    const later = setTimeout(() => setIsOlder(true), left)
    return () => clearTimeout(later)
  }, [since, ms])
  return isOlder
}

export function isRefusal(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'NO_ROUTE'
}

export const sameToken = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase()
