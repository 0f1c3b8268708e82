/** Keeps a quote up to date through a stream of the service, or by polling while no stream is open. */
import type { ClientError, QuoteParameters, SluiceClient } from '@sluice/client'
import { hashKey } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSluice } from './context.ts'
import { withoutUndefined } from './parameters.ts'
import { type QuoteOf, requestQuote } from './use-quote.ts'

/** Milliseconds after the end of a stream until it is opened again. */
const REOPEN_MS = 15_000
/** Maximum milliseconds until the first event of a stream. A stream without an event by then counts as ended. */
const FIRST_EVENT_MS = 12_000
const DEFAULT_POLL_MS = 12_000

/** Options of `useQuoteStream`. */
export type QuoteStreamOptions = {
  /** True stops all requests and keeps the quote, for example while the user signs. */
  readonly isPaused?: boolean | undefined
  /** Newest block, if the caller tracks the chain. While no stream is open, each new block triggers a request. */
  readonly head?: number | undefined
  /** Milliseconds between requests while no stream is open. Default: 12,000. */
  readonly pollMs?: number | undefined
}

/** State of a quote that follows the chain. */
export type QuoteStream<Q> = {
  /**
   * Latest quote. If the parameters change, but not the tokens, the quote of the previous parameters stays until the
   * next one arrives.
   */
  readonly quote: Q | undefined
  /** Latest failure; undefined after the next confirmed quote. `NO_ROUTE` if the service has no route at this block. */
  readonly error: ClientError | undefined
  /** Newest block at which the service confirmed the quote or the refusal. */
  readonly block: number | undefined
  /** True until the first result for the current parameters, and while a single request is in flight. */
  readonly isFetching: boolean
  readonly transport: 'stream' | 'poll'
  /** Requests the quote immediately. */
  readonly refetch: () => void
}

type QuoteState<Q> = {
  /** Hash of the chain and the parameters. */
  readonly key: string
  /** Hash of the chain and the two tokens. */
  readonly pair: string
  readonly quote: Q | undefined
  readonly block: number | undefined
  readonly error: ClientError | undefined
}

type QuoteChange<Q> = Partial<Pick<QuoteState<Q>, 'quote' | 'block' | 'error'>>

/**
 * Follows a quote block by block.
 *
 * @param parameters - undefined requests nothing, for example while an input is incomplete
 * @example
 * ```tsx
 * const { quote, error, block } = useQuoteStream(1, { src, dst, amount: 10n ** 18n })
 * ```
 */
export function useQuoteStream<P extends QuoteParameters>(
  chainId: number,
  parameters: P | undefined,
  { isPaused = false, head, pollMs = DEFAULT_POLL_MS }: QuoteStreamOptions = {},
): QuoteStream<QuoteOf<P>> {
  type Q = QuoteOf<P>
  const client = useSluice()
  const request = parameters && withoutUndefined(parameters)
  const key = request && hashKey([chainId, request])
  const pair = request && hashKey([chainId, request.src, request.dst])
  const [latest, setLatest] = useState<QuoteState<Q>>()
  const record = useCallback(
    (change: QuoteChange<Q>) =>
      setLatest((before) => {
        const sameRequest = before?.key === key ? before : undefined
        const { quote, block } = { quote: undefined, block: undefined, ...sameRequest }
        return { key: key!, pair: pair!, quote, block, error: undefined, ...change }
      }),
    [key, pair],
  )
  const isStreaming = useStream(client, chainId, isPaused ? undefined : request, key, record)
  const { isRequesting, refetch } = useSingleRequest(client, chainId, request, key, record, isPaused)

  const current = latest !== undefined && latest.key === key ? latest : undefined
  usePolling(!isStreaming && !isPaused && !isRequesting && key !== undefined, current, head, pollMs, refetch)

  const isRefused = current?.error?.code === 'NO_ROUTE'
  const previousQuote = latest?.pair === pair ? latest?.quote : undefined
  return {
    quote: isRefused ? undefined : (current?.quote ?? previousQuote),
    error: current?.error,
    block: current?.block,
    isFetching: key !== undefined && (isRequesting || current === undefined),
    transport: isStreaming ? 'stream' : 'poll',
    refetch,
  }
}

/**
 * Keeps a stream open, and opens it again some time after it has ended.
 *
 * @returns false from the end of the request's stream until the stream is opened again
 */
function useStream<P extends QuoteParameters>(
  client: SluiceClient,
  chainId: number,
  request: P | undefined,
  key: string | undefined,
  record: (change: QuoteChange<QuoteOf<P>>) => void,
): boolean {
  // Key of the request whose stream has ended and is not open again yet.
  const [endedKey, setEndedKey] = useState<string>()
  const isPaused = request === undefined
  // Depends on the key instead of `request`, which is a new object at each render.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isPaused || key === undefined || endedKey === key) return
    const controller = new AbortController()
    let isDisposed = false
    const silenceTimer = setTimeout(() => controller.abort(), FIRST_EVENT_MS)
    const follow = async () => {
      // A `block` event confirms the latest quote or refusal, so a refusal stays until the next quote.
      let refusal: ClientError | undefined
      for await (const update of client.streamQuote(chainId, request, controller.signal)) {
        clearTimeout(silenceTimer)
        if (isDisposed) return
        if (update.event !== 'block') refusal = update.event === 'refused' ? update.error : undefined
        if (update.event === 'quote') record({ quote: update.data as QuoteOf<P>, block: update.data.simulationBlock })
        else if (update.event === 'block') record({ block: update.data.simulationBlock, error: refusal })
        else record({ error: refusal })
      }
    }
    // Ignores the reason, because polling starts now and reports its own errors.
    const handleEnd = () => {
      if (!isDisposed) setEndedKey(key)
    }
    follow().then(handleEnd, handleEnd)
    return () => {
      isDisposed = true
      clearTimeout(silenceTimer)
      controller.abort()
    }
  }, [client, key, isPaused, endedKey, record])
  useEffect(() => {
    if (endedKey === undefined) return
    const timer = setTimeout(() => setEndedKey(undefined), REOPEN_MS)
    return () => clearTimeout(timer)
  }, [endedKey])
  return endedKey === undefined || endedKey !== key
}

/** Sends single requests, one at a time. A result is ignored after its parameters have changed. */
function useSingleRequest<P extends QuoteParameters>(
  client: SluiceClient,
  chainId: number,
  request: P | undefined,
  key: string | undefined,
  record: (change: QuoteChange<QuoteOf<P>>) => void,
  isPaused: boolean,
): { readonly isRequesting: boolean; readonly refetch: () => void } {
  const [pendingKey, setPendingKey] = useState<string>()
  const controller = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the request
  const refetch = useCallback(() => {
    if (request === undefined || key === undefined) return
    controller.current?.abort()
    const abortController = new AbortController()
    controller.current = abortController
    setPendingKey(key)
    const finish = (change: QuoteChange<QuoteOf<P>>) => {
      if (controller.current === abortController) setPendingKey(undefined)
      if (!abortController.signal.aborted) record(change)
    }
    requestQuote(client, chainId, request, abortController.signal).then(
      (quote) => finish({ quote, block: quote.simulationBlock }),
      (error: unknown) => finish({ error: error as ClientError }),
    )
  }, [client, key, record])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key aborts the previous request
  useEffect(() => () => controller.current?.abort(), [key])
  // Aborts, because a result that arrives during the pause would replace the quote.
  useEffect(() => {
    if (isPaused) controller.current?.abort()
  }, [isPaused])
  return { isRequesting: pendingKey !== undefined && pendingKey === key, refetch }
}

/**
 * Sends a request if there is no result yet, at each new block, and every `pollMs`. Pauses while the page is hidden.
 */
function usePolling<Q>(
  isEnabled: boolean,
  current: QuoteState<Q> | undefined,
  head: number | undefined,
  pollMs: number,
  refetch: () => void,
): void {
  // `head` at the last request. If this were not checked, a service whose node lags behind `head` would get a new
  // request immediately after each response.
  const [requestedHead, setRequestedHead] = useState<number>()
  const isBehind = head !== undefined && head !== requestedHead && head > (current?.block ?? head)
  // After a failed request, a new block does not trigger a request, so a service that is down gets requests only every
  // `pollMs`.
  const isDue = current === undefined || (isBehind && current.error === undefined)
  // `head` is not a dependency, because each new block would restart the interval.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (!isEnabled) return
    const poll = () => {
      if (document.hidden) return
      setRequestedHead(head)
      refetch()
    }
    if (isDue) poll()
    const timer = setInterval(poll, pollMs)
    return () => clearInterval(timer)
  }, [isEnabled, isDue, pollMs, refetch])
}
