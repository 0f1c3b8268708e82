/** The quote of the page, followed block by block: by a stream, and by asking again where there is none. */
import { ClientError, type Route, type SwapParameters, type Transaction } from '@sluice/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useStatus } from '../service/chains.ts'
import { sluice } from '../service/client.ts'
import { useStream } from '../service/stream.ts'

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

export type Live = {
  readonly quote: Quote | undefined
  readonly error: unknown
  /** The newest block that it was looked at. */
  readonly seen: number | undefined
  /** Blocks since then. */
  readonly age: number
  readonly isStale: boolean
  /** True where it was asked for again in vain, or the chain's node is known not to answer. */
  readonly isDead: boolean
  readonly isAsking: boolean
  readonly head: number | undefined
  readonly again: () => void
}

/** News last told about an order. */
type Told = {
  readonly key: string
  readonly pair: string
  readonly quote: Quote | undefined
  readonly seen: number
  readonly error: unknown
  /** When it failed, in milliseconds. */
  readonly failedAt: number
}

/** @param held - while somebody signs: nothing is asked, nothing moves */
export function useQuote(asked: Asked | undefined, held: boolean): Live {
  const { data: status, dataUpdatedAt: statusAt } = useStatus(asked?.chainId ?? 0, asked !== undefined)
  const head = status?.head
  const key = asked && pathOf(asked)
  const pair = asked && [asked.chainId, asked.src, asked.dst].join()
  const [told, setTold] = useState<Told>()
  const tell = (change: Partial<Told>) =>
    setTold((before) => {
      const same = before?.key === key ? before : undefined
      const start = { quote: undefined, seen: 0, ...same, error: null, failedAt: 0 }
      return { ...start, key: key!, pair: pair!, ...change }
    })
  const stream = useStream<Quote>(held ? undefined : key, (event) => {
    if (event.kind === 'quote') tell({ quote: event.body, seen: event.body.simulationBlock })
    else if (event.kind === 'block') tell({ seen: event.block })
    else tell({ error: event.error, seen: head ?? 0 })
  })
  const { isAsking, ask } = useAsking(asked, key, head, tell)

  const current = told?.key === key ? told : undefined
  const error = current?.error ?? null
  const refused = isRefusal(error)
  const failed = error !== null && !refused
  const isAlive = status?.state !== 'failing'
  // Once a block; and what failed, as often as the chain says that it is there.
  const isDue =
    current === undefined || (head ?? 0) > current.seen || (failed && isAlive && statusAt > current.failedAt)
  useEffect(() => {
    if (!held && stream === 'shut' && isDue && !isAsking && !document.hidden) ask()
  }, [held, stream, isDue, isAsking, ask])

  // The last figures stay in place while new ones are asked for; those of another pair do not.
  const quote = refused ? undefined : (current?.quote ?? (told?.pair === pair ? told?.quote : undefined))
  const age = current && head !== undefined ? Math.max(0, head - current.seen) : 0
  return {
    ...{ quote, error, seen: current?.seen, age, head },
    isStale: quote !== undefined && (age >= STALE_BLOCKS || failed || !isAlive),
    isDead: failed || !isAlive,
    isAsking: asked !== undefined && (isAsking || current === undefined),
    again: ask,
  }
}

/** One request at a time, whose answer counts only while it is still the one that is wanted. */
function useAsking(
  asked: Asked | undefined,
  key: string | undefined,
  head: number | undefined,
  tell: (change: Partial<Told>) => void,
) {
  const [pending, setPending] = useState<string>()
  const latest = useRef({ asked, key, head, tell })
  latest.current = { asked, key, head, tell }
  const ask = useCallback(() => {
    const { asked, key } = latest.current
    if (!asked || !key) return
    setPending(key)
    const told = (change: Partial<Told>) => {
      setPending((now) => (now === key ? undefined : now))
      if (latest.current.key === key) latest.current.tell(change)
    }
    quoteOf(asked).then(
      (quote) => told({ quote, seen: quote.simulationBlock }),
      (error: unknown) =>
        told({ error, failedAt: Date.now(), ...(isRefusal(error) && { seen: latest.current.head ?? 0 }) }),
    )
  }, [])
  return { isAsking: pending !== undefined && pending === key, ask }
}

/** With `from` the transaction comes along: whether it pays directly stands in its bytes. */
function quoteOf({ chainId, ...parameters }: Asked): Promise<Quote> {
  // One of two amounts, which the types of the SDK tell apart one by one.
  const texts = given(parameters) as never
  return parameters.from === undefined ? sluice.getQuote(chainId, texts) : sluice.getSwap(chainId, texts)
}

const given = (parameters: Omit<Asked, 'chainId'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

function pathOf({ chainId, ...parameters }: Asked): string {
  return `/stream/${chainId}?${new URLSearchParams(given(parameters))}`
}

export function isRefusal(error: unknown): error is ClientError {
  return error instanceof ClientError && error.code === 'NO_ROUTE'
}

export const sameToken = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase()
