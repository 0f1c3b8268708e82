import { setImmediate as turn } from 'node:timers/promises'
import { type Address, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { QuotingError } from '../errors.ts'
import { quoteRequest } from '../quote/request.ts'
import { QuoteStreams } from './quote-streams.ts'
import type { StreamUpdate } from './update.ts'

const [src, dst, from] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const requestOf = (amountIn: bigint) => quoteRequest({ tokenIn: src, tokenOut: dst, from, amountIn })
const snapshot = (number: number) => ({ block: { number, hash: `0x${number}` }, changedIds: ['pool'] })

/** Streams of a chain on which every quote is refused at the block that the test adds. */
function streaming() {
  const chain = {
    listeners: new Set<(snapshot: object) => void>(),
    quotes: 0,
    failure: new QuotingError('NO_ROUTE', 'no route') as Error,
    hold: undefined as Promise<void> | undefined,
    running: 0,
    maxRunning: 0,
  }
  const streams = new QuoteStreams({
    runtime: {
      onSnapshot: (listener: (snapshot: object) => void) => {
        chain.listeners.add(listener)
        return () => chain.listeners.delete(listener)
      },
    },
    quoter: {
      quote: async () => {
        chain.quotes++
        chain.maxRunning = Math.max(chain.maxRunning, ++chain.running)
        await chain.hold
        chain.running--
        throw chain.failure
      },
      peek: async () => undefined,
    },
    log: { info: () => {} },
  } as never)
  const open = (amountIn: bigint, minimumBlock?: number) => {
    const updates: StreamUpdate[] = []
    const request = { ...requestOf(amountIn), minimumBlock }
    return { updates, ...streams.open(request, (update) => updates.push(update)) }
  }
  const add = async (number: number) => {
    for (const listener of chain.listeners) listener(snapshot(number))
    await turn()
  }
  return { chain, streams, open, add }
}

test('identical streams share one computation, and each gets its updates', async () => {
  const { chain, streams, open, add } = streaming()
  const [one, two, other] = [open(5n), open(5n), open(6n)]
  await Promise.all([one.firstUpdate, two.firstUpdate, other.firstUpdate])
  expect(chain.quotes).toBe(2)
  expect(streams.counts).toEqual({ streams: 3, quotes: 2 })
  expect(one.updates).toEqual(two.updates)
  expect(one.updates.map(({ kind }) => kind)).toEqual(['refused'])
  await add(1)
  expect(chain.quotes).toBe(4)
  expect([one, two, other].map(({ updates }) => updates.length)).toEqual([2, 2, 2])
})

test('a stream with another minimum block has its own computation, whose refusals no other stream gets', async () => {
  const { chain, streams, open } = streaming()
  const [ahead, usual, zero] = [open(5n, 1_000_000_000), open(5n), open(5n, 0)]
  await Promise.all([ahead.firstUpdate, usual.firstUpdate, zero.firstUpdate])
  expect(chain.quotes).toBe(2)
  expect(streams.counts).toEqual({ streams: 3, quotes: 2 })
  for (const stream of [ahead, usual, zero]) stream.close()
  expect(streams.counts).toEqual({ streams: 0, quotes: 0 })
})

test('one listener follows the chain while any stream is open', async () => {
  const { chain, streams, open } = streaming()
  const [one, two, other] = [open(5n), open(5n), open(6n)]
  expect(chain.listeners.size).toBe(1)
  one.close()
  expect(streams.counts).toEqual({ streams: 2, quotes: 2 })
  two.close()
  expect(streams.counts).toEqual({ streams: 1, quotes: 1 })
  expect(chain.listeners.size).toBe(1)
  other.close()
  other.close()
  expect(streams.counts).toEqual({ streams: 0, quotes: 0 })
  expect(chain.listeners.size).toBe(0)
  open(5n)
  expect(chain.listeners.size).toBe(1)
})

test('a closed stream gets no updates, and its quote is not computed any more', async () => {
  const { chain, open, add } = streaming()
  const [one, two] = [open(5n), open(6n)]
  await Promise.all([one.firstUpdate, two.firstUpdate])
  one.close()
  await add(1)
  expect([one.updates.length, two.updates.length, chain.quotes]).toEqual([1, 2, 3])
})

test('an ended quote starts again for later streams, which earlier ones cannot close', async () => {
  const { chain, streams, open } = streaming()
  chain.failure = new Error('node failure')
  const ended = open(5n)
  await ended.firstUpdate
  expect(ended.updates.map(({ kind }) => kind)).toEqual(['end'])
  chain.failure = new QuotingError('NO_ROUTE', 'no route')
  const later = open(5n)
  await later.firstUpdate
  expect(later.updates.map(({ kind }) => kind)).toEqual(['refused'])
  ended.close()
  expect(streams.counts).toEqual({ streams: 1, quotes: 1 })
})

test('two quotes are computed at a time, since requests come first', async () => {
  const { chain, open } = streaming()
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.hold = promise
  const streams = [5n, 6n, 7n].map(open)
  await turn()
  expect(chain.maxRunning).toBe(2)
  resolve()
  await Promise.all(streams.map(({ firstUpdate }) => firstUpdate))
  expect([chain.quotes, chain.maxRunning]).toEqual([3, 2])
})

test('a quote of a stream that nobody listens to any more is aborted', async () => {
  const signals: AbortSignal[] = []
  const streams = new QuoteStreams({
    runtime: { onSnapshot: () => () => {} },
    quoter: {
      quote: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
      peek: async () => undefined,
    },
    log: { info: () => {} },
  } as never)
  const [first, second] = [1, 2].map(() => streams.open(requestOf(1n), () => {}))
  await turn()
  first!.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  second!.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  expect(streams.counts).toEqual({ streams: 0, quotes: 0 })
})
