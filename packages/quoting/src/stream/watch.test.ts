import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { QuotingError } from '../errors.ts'
import type { Permit } from '../permit/permit.ts'
import type { SwapQuote } from '../quote/finalize.ts'
import type { QuoteRequest } from '../quote/request.ts'
import type { StreamUpdate } from './update.ts'
import { Watch } from './watch.ts'

const route = (amountOut: bigint) => ({ amountIn: 5n, amountOut, legs: [] }) as unknown as SwapQuote['route']
const blockAt = (number: number) =>
  ({ number, hash: `0x${number}`, timestamp: 1_000 + number }) as unknown as SwapQuote['block']
const quoteAt = (number: number, amountOut = 10n) =>
  ({
    ...{ block: blockAt(number), amountOut, minOutput: amountOut, warnings: [], gasPriceWei: 1n },
    ...{ route: route(amountOut), bestEstimated: route(amountOut) },
  }) as unknown as SwapQuote

/** A watch over a chain whose blocks the test adds. All its work ends within one turn of the event loop. */
function watchOnChain(request: Partial<QuoteRequest> = {}) {
  let number = 0
  const chain = {
    amountOut: 10n,
    failure: undefined as unknown,
    peekFailure: undefined as unknown,
    hold: undefined as Promise<void> | undefined,
    quotes: 0,
    peeks: 0,
  }
  const updates: StreamUpdate[] = []
  const watch = new Watch({
    request: request as QuoteRequest,
    quote: async () => {
      chain.quotes++
      await chain.hold
      if (chain.failure) throw chain.failure
      return quoteAt(number, chain.amountOut)
    },
    peek: async () => {
      chain.peeks++
      if (chain.peekFailure) throw chain.peekFailure
      return route(chain.amountOut)
    },
    runInSlot: (work) => work(),
  })
  watch.add((update) => updates.push(update))
  const add = async (changed = true) => {
    number++
    watch.observe({ block: blockAt(number), changedIds: changed ? ['pool'] : [] } as never)
    await turn()
  }
  /** Reports further pools of the newest block. */
  const addLatePools = () => watch.observe({ block: blockAt(number), changedIds: ['late'] } as never)
  return { watch, chain, updates, add, addLatePools, started: turn }
}

test.each([
  ['changed', true, 4],
  ['unchanged', false, 0],
])('a quote is simulated again at the fifth block with %s pools', async (_, changed, peeks) => {
  const { chain, updates, add, started } = watchOnChain()
  await started()
  expect(chain.quotes).toBe(1)
  for (let block = 0; block < 4; block++) await add(changed)
  expect(chain).toMatchObject({ quotes: 1, peeks })
  await add(changed)
  expect(chain).toMatchObject({ quotes: 2, peeks })
  for (let block = 0; block < 5; block++) await add(changed)
  expect(chain).toMatchObject({ quotes: 3, peeks: 2 * peeks })
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', ...Array.from({ length: 10 }, () => 'block')])
})

test.each<[string, Partial<QuoteRequest>]>([
  ['deadline', { deadline: 1_002 }],
  ['deadline of the permit', { permit: { deadline: 1_002n } as Permit }],
])('a block from the %s on does not confirm the quote without a simulation', async (_, request) => {
  const { chain, updates, add, started } = watchOnChain(request)
  await started()
  await add(false)
  expect(chain.quotes).toBe(1)
  chain.failure = new QuotingError('DEADLINE_PASSED', 'deadline has passed')
  await add(false)
  expect(chain.quotes).toBe(2)
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'block', 'refused'])
})

test('an equal quote is sent in full again only after five minutes, counted from the last one', async () => {
  const clock = vi.spyOn(performance, 'now')
  try {
    const { chain, updates, add, started } = watchOnChain()
    clock.mockReturnValue(1_000)
    await started()
    // A block between the quotes does not count as one.
    clock.mockReturnValue(200_000)
    await add(false)
    clock.mockReturnValue(301_000)
    await add(false)
    expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'block', 'block'])
    clock.mockReturnValue(301_001)
    await add(false)
    expect(updates.at(-1)!.kind).toBe('quote')
    expect(chain.quotes).toBe(2)
    clock.mockReturnValue(601_001)
    await add(false)
    expect(updates.at(-1)!.kind).toBe('block')
  } finally {
    clock.mockRestore()
  }
})

test('a route that the search no longer finds is quoted again at once', async () => {
  const { chain, updates, add, started } = watchOnChain()
  await started()
  chain.amountOut = 11n
  await add()
  expect(chain).toMatchObject({ quotes: 2, peeks: 1 })
  expect(updates.at(-1)).toMatchObject({ kind: 'quote', quote: { amountOut: 11n } })
})

test('a repeated refusal is reported once, and a quote after it in full', async () => {
  const { chain, updates, add, started } = watchOnChain()
  await started()
  chain.failure = new QuotingError('NO_ROUTE', 'no route')
  chain.amountOut = 11n
  await add()
  await add()
  chain.failure = undefined
  await add()
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'refused', 'block', 'quote'])
})

test('a stream ends at the third failure of the node in a row', async () => {
  const { watch, chain, updates, add, started } = watchOnChain()
  await started()
  chain.amountOut = 11n
  chain.failure = new Error('node failure')
  await add()
  await add()
  expect(watch.hasEnded).toBe(false)
  await add()
  expect(watch.hasEnded).toBe(true)
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'end'])
})

test('of the blocks that arrive during a quote, only the last is processed afterwards', async () => {
  const { watch, chain, updates, add, started } = watchOnChain()
  await started()
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.hold = promise
  chain.amountOut = 11n
  await add()
  await add()
  await add()
  expect(chain.quotes).toBe(2)
  chain.hold = undefined
  chain.amountOut = 12n
  resolve()
  await started()
  // The quote was computed at the newest block, which is therefore not processed again.
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'quote'])
  expect(watch.hasEnded).toBe(false)
})

/** A watch whose quotes the test resolves, with the number of slots it has used. */
function manualWatch() {
  const quotes: PromiseWithResolvers<SwapQuote>[] = []
  const updates: StreamUpdate[] = []
  const turns = { count: 0 }
  const watch = new Watch({
    request: {} as QuoteRequest,
    quote: () => {
      const quote = Promise.withResolvers<SwapQuote>()
      quotes.push(quote)
      return quote.promise
    },
    peek: async () => route(0n),
    runInSlot: (work) => {
      turns.count++
      return work()
    },
  })
  watch.add((update) => updates.push(update))
  const observe = (number: number) => watch.observe({ block: blockAt(number), changedIds: ['pool'] } as never)
  return { watch, quotes, updates, turns, observe }
}

test('a block that arrives while an older one is quoted is processed without waiting for the next', async () => {
  const { quotes, updates, turns, observe } = manualWatch()
  observe(2)
  observe(3)
  expect(quotes).toHaveLength(1)
  quotes[0]!.resolve(quoteAt(1))
  await turn()
  expect(quotes).toHaveLength(2)
  quotes[1]!.resolve(quoteAt(3, 11n))
  await turn()
  expect(updates.map((update) => update.kind === 'quote' && update.quote.block.number)).toEqual([1, 3])
  expect([quotes.length, turns.count]).toEqual([2, 2])
})

test('a watch that is stopped during a quote uses no further slot, and does not report a failure', async () => {
  const { watch, quotes, updates, turns, observe } = manualWatch()
  observe(2)
  watch.stop()
  quotes[0]!.reject(new QuotingError('NO_ROUTE', 'no route'))
  await turn()
  expect([quotes.length, turns.count, updates.length]).toEqual([1, 1, 0])
})

test('a listener that joins later gets the last quote or refusal at once', async () => {
  const { watch, quotes, observe } = manualWatch()
  const joined = () => {
    const updates: StreamUpdate[] = []
    watch.add((update) => updates.push(update))
    return updates
  }
  expect(joined()).toEqual([])
  quotes[0]!.resolve(quoteAt(1))
  await watch.firstUpdate
  expect(joined()).toEqual([{ kind: 'quote', quote: quoteAt(1) }])
  observe(2)
  await turn()
  const error = new QuotingError('NO_ROUTE', 'no route')
  quotes[1]!.reject(error)
  await turn()
  expect(joined()).toEqual([{ kind: 'refused', error, block: undefined }])
  expect(watch.size).toBe(4)
})

test('a removed listener gets no updates', async () => {
  const { watch, quotes } = manualWatch()
  const updates: StreamUpdate[] = []
  const listener = (update: StreamUpdate) => void updates.push(update)
  watch.add(listener)
  watch.remove(listener)
  quotes[0]!.resolve(quoteAt(1))
  await watch.firstUpdate
  expect(updates).toEqual([])
})

test('the block of a refusal is not processed again', async () => {
  const { quotes, observe } = manualWatch()
  quotes[0]!.reject(new QuotingError('NO_ROUTE', 'no route', { block: 2 }))
  await turn()
  observe(2)
  await turn()
  expect(quotes).toHaveLength(1)
  observe(3)
  await turn()
  expect(quotes).toHaveLength(2)
})

test('further pools of a processed block cause no update', async () => {
  const { quotes, observe } = manualWatch()
  quotes[0]!.resolve(quoteAt(1))
  await turn()
  observe(1)
  observe(1)
  await turn()
  expect(quotes).toHaveLength(1)
})

test('further pools of a processed block count as a change of the next block', async () => {
  const { chain, updates, add, addLatePools, started } = watchOnChain()
  await started()
  await add(false)
  addLatePools()
  await started()
  expect(chain).toMatchObject({ quotes: 1, peeks: 0 })
  chain.amountOut = 11n
  await add(false)
  expect(chain).toMatchObject({ quotes: 2, peeks: 1 })
  expect(updates.at(-1)).toMatchObject({ kind: 'quote', quote: { amountOut: 11n } })
})

test('further pools that are reported while their block is quoted count as a change of the next block', async () => {
  const { chain, updates, add, addLatePools, started } = watchOnChain()
  await started()
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.hold = promise
  chain.amountOut = 11n
  await add()
  expect(chain).toMatchObject({ quotes: 2, peeks: 1 })
  addLatePools()
  chain.hold = undefined
  resolve()
  await started()
  chain.amountOut = 12n
  await add(false)
  expect(chain).toMatchObject({ quotes: 3, peeks: 2 })
  expect(updates.at(-1)).toMatchObject({ kind: 'quote', quote: { amountOut: 12n } })
})

test.each(['failure', 'peekFailure'] as const)(
  'a change that a failing node hid (%s) counts at the next block',
  async (failure) => {
    const { chain, updates, add, started } = watchOnChain()
    await started()
    chain[failure] = new Error('node failure')
    chain.amountOut = 11n
    await add()
    expect(updates.map(({ kind }) => kind)).toEqual(['quote'])
    chain[failure] = undefined
    await add(false)
    expect(updates.at(-1)).toMatchObject({ kind: 'quote', quote: { amountOut: 11n } })
  },
)

test('failures that a successful search separates do not end a stream', async () => {
  const { watch, chain, add, started } = watchOnChain()
  await started()
  for (let failures = 0; failures < 2; failures++) {
    chain.peekFailure = new Error('node failure')
    await add()
    chain.peekFailure = undefined
    await add()
  }
  chain.failure = new Error('node failure')
  await add()
  expect(watch.hasEnded).toBe(false)
  expect(chain).toMatchObject({ quotes: 2, peeks: 4 })
})

test('a stopped watch does not process blocks any more', async () => {
  const { watch, chain, add, started } = watchOnChain()
  await started()
  watch.stop()
  chain.amountOut = 11n
  await add()
  expect(chain).toMatchObject({ quotes: 1, peeks: 0 })
})
