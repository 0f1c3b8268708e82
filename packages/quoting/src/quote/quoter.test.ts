/** Tests which block a quote is of, with a runtime whose chain moves while quotes are computed. */
import { setImmediate as turn } from 'node:timers/promises'
import { toAddress } from '@sluice/chains'
import { type BlockHeader, RpcError } from '@sluice/rpc'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ChainView } from '../view/view.ts'
import type { SwapQuote } from './finalize.ts'
import type { QuotingContext } from './ports.ts'
import { Quoter, type QuoterOptions } from './quoter.ts'
import { type QuoteRequest, quoteRequest } from './request.ts'

const block = (number: number) => ({ number, hash: `0x${number}`, timestamp: 1_800_000_000 }) as unknown as BlockHeader
const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const request = quoteRequest({ tokenIn: address('1'), tokenOut: address('2'), from: address('3'), amountIn: 10n })
const work = (): QuotingContext => ({
  signal: new AbortController().signal,
  time: async (_, run) => run(),
  log: { info: () => {} },
})

type QuoteAt = (view: ChainView, request: QuoteRequest, work: QuotingContext) => Promise<SwapQuote>

afterEach(() => void vi.restoreAllMocks())

/**
 * A quoter on a chain whose head the test moves. Search and simulation are one step that the test ends: the quote it
 * makes has the head of the moment at which it was begun, as a node reports it along with the simulation.
 */
function quoterOnChain() {
  const chain = { memory: block(1), head: block(1), gone: new Set<number>(), isFollowed: true, oldest: 99 }
  const pending: PromiseWithResolvers<void>[] = []
  const begun: number[] = []
  const events: string[] = []
  const quoteAt: QuoteAt = async ({ snapshot }) => {
    const { head } = chain
    begun.push(snapshot.block.number)
    const end = Promise.withResolvers<void>()
    pending.push(end)
    await end.promise
    return { block: snapshot.block, head } as unknown as SwapQuote
  }
  vi.spyOn(Quoter.prototype as unknown as { quoteAt: QuoteAt }, 'quoteAt').mockImplementation(quoteAt)
  const viewOf = (block: BlockHeader) => ({ snapshot: { block } }) as unknown as ChainView
  const head = async () => {
    chain.memory = chain.head
    return chain.head
  }
  const views = {
    inMemory: async () => viewOf(chain.memory),
    head,
    atHead: async () => viewOf(await head()),
    viewBefore: ({ snapshot }: ChainView) => {
      const earlier = snapshot.block.number - 1
      return earlier >= chain.oldest ? viewOf(block(earlier)) : undefined
    },
  }
  const quoter = new Quoter({
    runtime: {
      get isFollowed() {
        return chain.isFollowed
      },
      parts: { views },
      isCanonical: ({ number }: BlockHeader) => !chain.gone.has(number),
    },
    chain: { wrappedNative: null, nativeErc20: undefined },
    emit: (event: { readonly kind: string; readonly how?: string }) => events.push(`${event.how}`),
  } as unknown as QuoterOptions)
  /** Ends all steps that are being made, and those that follow from them. */
  const finish = async () => {
    for (let round = 0; round < 10; round++) {
      for (const one of pending.splice(0)) one.resolve()
      await turn()
    }
  }
  const fail = async (error: unknown) => {
    for (const one of pending.splice(0)) one.reject(error)
    await turn()
  }
  return { quoter, chain, begun, events, finish, fail }
}

test('a quote of the head is returned without another request', async () => {
  const { quoter, begun, finish } = quoterOnChain()
  const quoted = quoter.quote(request, work())
  await turn()
  await finish()
  expect((await quoted).block.number).toBe(1)
  expect(begun).toEqual([1])
})

test('a request that shares a quote is answered by the head at its own time', async () => {
  const { quoter, chain, begun, events, finish } = quoterOnChain()
  const first = quoter.quote(request, work())
  await turn()
  chain.head = block(2)
  const second = quoter.quote(request, work())
  await turn()
  await finish()
  expect((await first).block.number).toBe(1)
  expect((await second).block.number).toBe(2)
  expect(begun).toEqual([1, 2])
  expect(events).toEqual(['made', 'shared', 'outdated', 'made'])
})

test('a request at another block of the same number does not share the quote of the removed block', async () => {
  const { quoter, chain, begun, events, finish } = quoterOnChain()
  const first = quoter.quote(request, work())
  await turn()
  chain.memory = chain.head = { ...block(1), hash: '0xb1' }
  const second = quoter.quote(request, work())
  await turn()
  expect([begun, events]).toEqual([
    [1, 1],
    ['made', 'made'],
  ])
  await finish()
  await Promise.all([first, second])
})

test('a quote whose node reports a later head is made again at that head', async () => {
  const { quoter, chain, begun, finish } = quoterOnChain()
  chain.head = block(2)
  const quoted = quoter.quote(request, work())
  await turn()
  await finish()
  expect((await quoted).block.number).toBe(2)
  expect(begun).toEqual([1, 2])
})

test('memory that is behind the requested block is not quoted', async () => {
  const { quoter, chain, begun, finish } = quoterOnChain()
  chain.head = block(2)
  const quoted = quoter.quote({ ...request, minimumBlock: 2 }, work())
  await turn()
  await finish()
  expect((await quoted).block.number).toBe(2)
  expect(begun).toEqual([2])
})

test('a shared quote of a block that a reorg removed is made again', async () => {
  const { quoter, chain, begun, events, finish } = quoterOnChain()
  chain.isFollowed = false
  const first = quoter.quote(request, work())
  const second = quoter.quote(request, work())
  await turn()
  chain.gone.add(1)
  chain.head = block(2)
  await finish()
  expect((await first).block.number).toBe(1)
  expect((await second).block.number).toBe(2)
  expect(begun).toEqual([1, 2])
  expect(events).toEqual(['made', 'shared', 'reorged', 'made'])
})

test('a failure of the node that has nothing to do with the block is not tried again', async () => {
  const { quoter, begun, fail } = quoterOnChain()
  const quoted = quoter.quote(request, work())
  quoted.catch(() => {})
  await turn()
  await fail(new RpcError('UNREACHABLE', 'no connection'))
  await expect(quoted).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(begun).toEqual([1])
})

test('a failure at a block that is not the head any more is not returned', async () => {
  const { quoter, chain, begun, events, finish, fail } = quoterOnChain()
  const quoted = quoter.quote(request, work())
  await turn()
  chain.head = block(2)
  await fail(new Error('no route at the block before'))
  await finish()
  expect((await quoted).block.number).toBe(2)
  expect([begun, events]).toEqual([
    [1, 2],
    ['made', 'outdated', 'made'],
  ])
})

test('a failure at the head is returned, and is not tried again', async () => {
  const { quoter, begun, fail } = quoterOnChain()
  const quoted = quoter.quote(request, work())
  quoted.catch(() => {})
  await turn()
  await fail(new Error('no route'))
  await expect(quoted).rejects.toThrow('no route')
  expect(begun).toEqual([1])
})

describe('a head that the node does not have yet', () => {
  const missing = new RpcError('BLOCK_GONE', 'unknown block')

  test('is left for the block before, as often as there is one', async () => {
    const { quoter, chain, begun, events, finish, fail } = quoterOnChain()
    Object.assign(chain, { memory: block(5), head: block(5), oldest: 3 })
    const quoted = quoter.quote(request, work())
    await turn()
    await fail(missing)
    await fail(missing)
    await finish()
    expect((await quoted).block.number).toBe(3)
    expect([begun, events]).toEqual([
      [5, 4, 3],
      ['made', 'outdated', 'made', 'outdated', 'made'],
    ])
  })

  test.each([true, false])('is not left for a block before the requested one (followed: %s)', async (isFollowed) => {
    const { quoter, chain, begun, fail } = quoterOnChain()
    Object.assign(chain, { memory: block(5), head: block(5), oldest: 3, isFollowed })
    const quoted = quoter.quote({ ...request, minimumBlock: 4 }, work())
    quoted.catch(() => {})
    await turn()
    await fail(missing)
    await fail(missing)
    await expect(quoted).rejects.toBe(missing)
    expect(begun).toEqual([5, 4])
  })

  test('is the reason of the failure if there is no block before', async () => {
    const { quoter, begun, fail } = quoterOnChain()
    const quoted = quoter.quote(request, work())
    quoted.catch(() => {})
    await turn()
    await fail(missing)
    await expect(quoted).rejects.toBe(missing)
    expect(begun).toEqual([1])
  })

  test('gives way to another failure of the block before', async () => {
    const { quoter, chain, begun, fail } = quoterOnChain()
    Object.assign(chain, { memory: block(5), head: block(5), oldest: 1 })
    const quoted = quoter.quote(request, work())
    quoted.catch(() => {})
    await turn()
    await fail(missing)
    await fail(new Error('no route'))
    await expect(quoted).rejects.toThrow('no route')
    expect(begun).toEqual([5, 4])
  })

  test('is quoted again if a reorg removed it', async () => {
    const { quoter, chain, begun, events, finish, fail } = quoterOnChain()
    chain.isFollowed = false
    const quoted = quoter.quote(request, work())
    await turn()
    chain.gone.add(1)
    chain.head = block(2)
    await fail(missing)
    await finish()
    expect((await quoted).block.number).toBe(2)
    expect([begun, events]).toEqual([
      [1, 2],
      ['made', 'reorged', 'made'],
    ])
  })
})

test('a quote whose block is removed each time is tried twenty times', async () => {
  const { quoter, chain, begun, fail } = quoterOnChain()
  chain.isFollowed = false
  const failure = new RpcError('BLOCK_GONE', 'unknown block')
  const quoted = quoter.quote(request, work())
  quoted.catch(() => {})
  for (let number = 1; number <= 25; number++) {
    await turn()
    chain.gone.add(number)
    chain.head = block(number + 1)
    await fail(failure)
  }
  await expect(quoted).rejects.toBe(failure)
  expect(begun).toEqual(Array.from({ length: 20 }, (_, k) => k + 1))
})

test('the number of quotes in flight counts those that share work once', async () => {
  const { quoter, finish } = quoterOnChain()
  expect(quoter.inFlight).toBe(0)
  const quotes = [quoter.quote(request, work()), quoter.quote(request, work())]
  await turn()
  expect(quoter.inFlight).toBe(1)
  await finish()
  await Promise.all(quotes)
  expect(quoter.inFlight).toBe(0)
})

test('a request whose deadline has passed is refused without work', async () => {
  const { quoter, begun } = quoterOnChain()
  const late = { ...request, deadline: 1_800_000_000 - 1 }
  await expect(quoter.quote(late, work())).rejects.toMatchObject({ code: 'DEADLINE_PASSED' })
  expect(begun).toEqual([])
})
