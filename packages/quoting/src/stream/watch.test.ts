import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { QuotingError } from '../errors.ts'
import type { Quote } from '../quote/finalize.ts'
import type { QuoteRequest } from '../quote/request.ts'
import type { StreamUpdate } from './update.ts'
import { Watch } from './watch.ts'

const route = (amountOut: bigint) => ({ amountIn: 5n, amountOut, legs: [] }) as unknown as Quote['route']
const blockAt = (number: number) => ({ number, hash: `0x${number}` }) as unknown as Quote['block']
const quoteAt = (number: number, amountOut = 10n) =>
  ({
    ...{ block: blockAt(number), amountOut, minOutput: amountOut, warnings: [], gasPriceWei: 1n },
    ...{ route: route(amountOut), ranked: route(amountOut) },
  }) as unknown as Quote

/** A watch over a chain whose blocks the test adds one by one. All its work is done within one turn of the event loop. */
function watched() {
  let number = 0
  const chain = {
    amountOut: 10n,
    failure: undefined as unknown,
    hold: undefined as Promise<void> | undefined,
    quotes: 0,
    peeks: 0,
  }
  const updates: StreamUpdate[] = []
  const watch = new Watch({
    request: {} as QuoteRequest,
    quote: async () => {
      chain.quotes++
      await chain.hold
      if (chain.failure) throw chain.failure
      return quoteAt(number, chain.amountOut)
    },
    peek: async () => {
      chain.peeks++
      return route(chain.amountOut)
    },
    inTurn: (work) => work(),
  })
  watch.add((update) => updates.push(update))
  const add = async (changed = true) => {
    number++
    watch.observe({ block: blockAt(number), changed: changed ? ['pool'] : [] } as never)
    await turn()
  }
  return { watch, chain, updates, add, started: turn }
}

test.each([
  ['changed', true, 4],
  ['unchanged', false, 0],
])('a quote is simulated again at the fifth block with %s pools', async (_, changed, peeks) => {
  const { chain, updates, add, started } = watched()
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

test('a route that the search no longer finds is quoted again at once', async () => {
  const { chain, updates, add, started } = watched()
  await started()
  chain.amountOut = 11n
  await add()
  expect(chain).toMatchObject({ quotes: 2, peeks: 1 })
  expect(updates.at(-1)).toMatchObject({ kind: 'quote', quote: { amountOut: 11n } })
})

test('a repeated refusal is reported once, and a quote after it in full', async () => {
  const { chain, updates, add, started } = watched()
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
  const { watch, chain, updates, add, started } = watched()
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

test('of the blocks that arrive while a quote is made, the last one is looked at afterwards', async () => {
  const { watch, chain, updates, add, started } = watched()
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
  // The quote was made as of the newest block, which needs no second look.
  expect(updates.map(({ kind }) => kind)).toEqual(['quote', 'quote'])
  expect(watch.hasEnded).toBe(false)
})

test('a watch that was stopped does not look at blocks any more', async () => {
  const { watch, chain, add, started } = watched()
  await started()
  watch.stop()
  chain.amountOut = 11n
  await add()
  expect(chain).toMatchObject({ quotes: 1, peeks: 0 })
})
