/** Hook that follows the quote of an order: the service updates the quote in each block. */
import { ClientError, type QuoteParameters, type Route, type SwapParameters, type Transaction } from '@sluice/client'
import { useQuoteStream } from '@sluice/react'
import { useEffect, useState } from 'react'
import { useStatus } from '../service/chains.ts'

export type OrderRequest = Omit<SwapParameters, 'from' | 'amount'> & {
  readonly chainId: number
  /** Base units of `src` to pay. Set if `amountOut` is not. */
  readonly amount?: string
  /** Minimum base units of `dst` to receive. */
  readonly amountOut?: string
  /** Wallet address. Without it the quote has no transaction. */
  readonly from: string | undefined
}

export type ShownQuote = Omit<Route, 'tx'> & { readonly tx?: Transaction }

/** Age in blocks from which on a quote is stale: it must be refreshed before signing. */
export const STALE_BLOCKS = 4
/** Milliseconds between retries of a failed quote. */
const RETRY_MS = 4_000
/** Milliseconds without a status response of the service after which a quote counts as stale: four polls. */
const SILENT_MS = 8_000

/**
 * After a change of the request, the page shows the previous quote for at most this time. Then it shows placeholders
 * until the service responds.
 */
const LATE_MS = 1_500

export type LiveQuote = {
  /** Latest quote. For a short time after a change of the request, this is still the quote of the previous request. */
  readonly quote: ShownQuote | undefined
  /** True if the quote is for the current request. */
  readonly isCurrent: boolean
  readonly error: ClientError | undefined
  /** Newest block at which the service computed the quote or confirmed it. */
  readonly lastCheckedBlock: number | undefined
  /** Blocks since `lastCheckedBlock`. */
  readonly ageBlocks: number
  readonly isStale: boolean
  /** Party that does not respond; undefined if both respond. */
  readonly silentParty: 'service' | 'chain' | undefined
  readonly isFetching: boolean
  /** Number of the newest block. */
  readonly head: number | undefined
  readonly retry: () => void
}

/** @param isSigning - true while the user signs: the hook then keeps the quote and does not request another */
export function useQuote(order: OrderRequest | undefined, isSigning: boolean): LiveQuote {
  const { data: status, dataUpdatedAt, refetch } = useStatus(order?.chainId ?? 0, order !== undefined)
  const isSilent = useIsOlder(dataUpdatedAt, SILENT_MS)
  const head = status?.head
  const { chainId = 0, ...parameters } = order ?? {}
  const stream = useQuoteStream(chainId, order && (parameters as QuoteParameters), {
    isPaused: isSigning,
    head,
    pollMs: RETRY_MS,
  })
  const { error, block: lastCheckedBlock } = stream
  // Until the service has answered this request, `stream.quote` belongs to the previous request.
  const isAnswered = lastCheckedBlock !== undefined
  const key = JSON.stringify(order)
  const [request, setRequest] = useState({ key, since: Date.now() })
  if (request.key !== key) setRequest({ key, since: Date.now() })
  const isLate = useIsOlder(isAnswered || isSigning ? 0 : request.since, LATE_MS)
  const quote = !isAnswered && (error !== undefined || isLate) ? undefined : stream.quote
  const hasFailed = error !== undefined && !isRefusal(error)
  const isChainDown = status?.state === 'failing'
  const ageBlocks = lastCheckedBlock !== undefined && head !== undefined ? Math.max(0, head - lastCheckedBlock) : 0
  return {
    ...{ quote, error, lastCheckedBlock, ageBlocks, head },
    isCurrent: quote !== undefined && isAnswered && (order?.amount === undefined || quote.fromAmount === order.amount),
    isStale: quote !== undefined && (ageBlocks >= STALE_BLOCKS || hasFailed || isChainDown || isSilent),
    silentParty: isSilent ? 'service' : isChainDown || hasFailed ? 'chain' : undefined,
    isFetching: stream.isFetching,
    retry() {
      stream.refetch()
      void refetch()
    },
  }
}

/** Returns true once `ms` milliseconds have passed since `startedAt` (Unix milliseconds); false if that is 0. */
function useIsOlder(startedAt: number, ms: number): boolean {
  const [isOlder, setIsOlder] = useState(false)
  useEffect(() => {
    const remainingMs = startedAt + ms - Date.now()
    setIsOlder(startedAt > 0 && remainingMs <= 0)
    if (startedAt === 0 || remainingMs <= 0) return
    const timeout = setTimeout(() => setIsOlder(true), remainingMs)
    return () => clearTimeout(timeout)
  }, [startedAt, ms])
  return isOlder
}

/** Returns true if the error means that there is no route. */
export function isRefusal(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'NO_ROUTE'
}

export const isSameToken = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase()
