import { type BlockHeader, RpcError } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import type { ChainView } from '../view/view.ts'
import { quoteBatch } from './batch.ts'
import type { SwapQuote } from './finalize.ts'
import type { QuotingContext } from './ports.ts'
import type { QuoteRequest } from './request.ts'

const header = (number: number) => ({ number, hash: `0x${number}` }) as unknown as BlockHeader
const viewAt = (number: number) => ({ snapshot: { block: header(number) } }) as unknown as ChainView
const request = (amountIn: bigint, minimumBlock?: number) => ({ amountIn, minimumBlock }) as unknown as QuoteRequest

type ChainSetup = {
  /** Head that each round reads. */
  readonly heads?: readonly number[]
  readonly quote?: (block: number, amount: bigint) => object
  /** True for blocks that no reorg has removed. */
  readonly holds?: (block: number) => boolean
  readonly earlier?: number
}

function chain({
  heads = [1],
  quote = (block) => ({ head: header(block) }),
  holds = () => true,
  earlier,
}: ChainSetup = {}) {
  const calls = { views: [] as object[], quoted: [] as string[], heads: 0, running: 0, maxRunning: 0 }
  const controller = new AbortController()
  let round = 0
  const views = {
    atHead: async (groups: object, minimumBlock: number) => {
      calls.views.push({ groups, minimumBlock })
      return viewAt(heads[Math.min(round++, heads.length - 1)]!)
    },
    head: async () => void calls.heads++,
    viewBefore: () => (earlier === undefined ? undefined : viewAt(earlier)),
  }
  const options = {
    runtime: { parts: { views }, isCanonical: ({ number }: BlockHeader) => holds(number) },
    endTokensOf: ({ amountIn }: QuoteRequest) => {
      if (amountIn === 13n) throw new Error('no such token')
      return [`end of ${amountIn}`]
    },
    quoteAt: async ({ snapshot }: ChainView, { amountIn }: QuoteRequest) => {
      calls.quoted.push(`${amountIn} at ${snapshot.block.number}`)
      calls.maxRunning = Math.max(calls.maxRunning, ++calls.running)
      await Promise.resolve()
      calls.running--
      return quote(snapshot.block.number, amountIn!) as SwapQuote
    },
  } as unknown as Parameters<typeof quoteBatch>[2]
  const work = {
    signal: controller.signal,
    time: (_: string, run: () => unknown) => run(),
  } as unknown as QuotingContext
  return { calls, controller, run: (...wanted: readonly (QuoteRequest | Error)[]) => quoteBatch(wanted, work, options) }
}

const gone = () => {
  throw new RpcError('LAGGING', 'header not found')
}

describe('quotes of one block', () => {
  test('keep the order of the requests, fail separately, and run two at a time', async () => {
    const { run, calls } = chain()
    const wrong = new Error('not meant')
    const { block, results } = await run(request(1n), wrong, request(13n), request(2n), request(3n))
    expect(block.number).toBe(1)
    expect(results.map((result) => (result.status === 'fulfilled' ? 'quote' : result.reason.message))).toEqual([
      ...['quote', 'not meant', 'no such token', 'quote', 'quote'],
    ])
    expect(calls.views).toEqual([{ groups: [['end of 1'], ['end of 2'], ['end of 3']], minimumBlock: 0 }])
    expect(calls.quoted).toEqual(['1 at 1', '2 at 1', '3 at 1'])
    expect(calls.maxRunning).toBe(2)
    // The simulations have confirmed the head.
    expect(calls.heads).toBe(0)
  })

  test('wait for the highest minimumBlock of the requests', async () => {
    const { run, calls } = chain()
    await run(request(1n, 5), request(2n, 9), new Error('none'), request(3n))
    expect(calls.views).toMatchObject([{ minimumBlock: 9 }])
  })

  test('are repeated if a reorg removes their block, but not if later blocks follow', async () => {
    const reorged = chain({ heads: [1, 2], holds: (block) => block !== 1, quote: () => ({ head: header(2) }) })
    expect((await reorged.run(request(1n))).block.number).toBe(2)
    expect(reorged.calls.quoted).toEqual(['1 at 1', '1 at 2'])
    const older = chain({ heads: [1], quote: () => ({ head: header(2) }) })
    expect((await older.run(request(1n))).block.number).toBe(1)
    expect(older.calls.quoted).toEqual(['1 at 1'])
  })

  test('use an earlier block if the node does not have theirs', async () => {
    const behind = chain({ heads: [5], earlier: 4, quote: (block) => (block === 5 ? gone() : { head: header(4) }) })
    const { block, results } = await behind.run(request(1n))
    expect([block.number, results[0]!.status]).toEqual([4, 'fulfilled'])
    const nothing = chain({ heads: [5], quote: gone })
    expect((await nothing.run(request(1n))).results[0]).toMatchObject({ reason: { code: 'LAGGING' } })
    expect(nothing.calls.quoted).toHaveLength(1)
  })

  test('do not use an earlier block than one of the requests demands', async () => {
    const { run, calls } = chain({ heads: [5], earlier: 4, quote: gone })
    const { block, results } = await run(request(1n), request(2n, 5))
    expect(block.number).toBe(5)
    expect(results).toMatchObject([{ reason: { code: 'LAGGING' } }, { reason: { code: 'LAGGING' } }])
    expect(calls.quoted).toEqual(['1 at 5', '2 at 5'])
  })

  test('stop after eight blocks that reorgs removed', async () => {
    const { run, calls } = chain({
      heads: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      holds: () => false,
      quote: () => ({ head: null }),
    })
    expect((await run(request(1n))).block.number).toBe(8)
    expect(calls.quoted).toHaveLength(8)
  })

  test('stop when their caller aborts', async () => {
    const { run, controller } = chain({
      quote: () => {
        controller.abort(new Error('hung up'))
        return { head: null }
      },
    })
    await expect(run(request(1n))).rejects.toThrow('hung up')
  })
})
