import { type BlockHeader, RpcError } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import type { ChainView } from '../view/view.ts'
import { quoteBatch } from './batch.ts'
import type { Quote } from './finalize.ts'
import type { Work } from './ports.ts'
import type { QuoteRequest } from './request.ts'

const header = (number: number) => ({ number, hash: `0x${number}` }) as unknown as BlockHeader
const viewAt = (number: number) => ({ snapshot: { block: header(number) } }) as unknown as ChainView
const request = (amountIn: bigint, minimumBlock?: number) => ({ amountIn, minimumBlock }) as unknown as QuoteRequest

type Given = {
  /** Block that each round reads. */
  readonly heads?: readonly number[]
  readonly quote?: (block: number, amount: bigint) => object
  /** Blocks that are still of the chain. */
  readonly holds?: (block: number) => boolean
  readonly earlier?: number
}

function chain({ heads = [1], quote = (block) => ({ head: header(block) }), holds = () => true, earlier }: Given = {}) {
  const seen = { views: [] as object[], quoted: [] as string[], running: 0, most: 0 }
  const controller = new AbortController()
  let round = 0
  const views = {
    atHead: async (groups: object, minimumBlock: number) => {
      seen.views.push({ groups, minimumBlock })
      return viewAt(heads[Math.min(round++, heads.length - 1)]!)
    },
    head: async () => undefined,
    earlier: () => (earlier === undefined ? undefined : viewAt(earlier)),
  }
  const options = {
    runtime: { now: { views }, holds: ({ number }: BlockHeader) => holds(number) },
    endsOf: ({ amountIn }: QuoteRequest) => {
      if (amountIn === 13n) throw new Error('no such token')
      return [`end of ${amountIn}`]
    },
    quoteAt: async ({ snapshot }: ChainView, { amountIn }: QuoteRequest) => {
      seen.quoted.push(`${amountIn} at ${snapshot.block.number}`)
      seen.most = Math.max(seen.most, ++seen.running)
      await Promise.resolve()
      seen.running--
      return quote(snapshot.block.number, amountIn!) as Quote
    },
  } as unknown as Parameters<typeof quoteBatch>[2]
  const work = { signal: controller.signal, time: (_: string, run: () => unknown) => run() } as unknown as Work
  return { seen, controller, run: (...wanted: readonly (QuoteRequest | Error)[]) => quoteBatch(wanted, work, options) }
}

const gone = () => {
  throw new RpcError('LAGGING', 'header not found')
}

describe('quotes of one block', () => {
  test('are answered in their order, each with its own end, two at a time', async () => {
    const { run, seen } = chain()
    const wrong = new Error('not meant')
    const { block, results } = await run(request(1n), wrong, request(13n), request(2n), request(3n))
    expect(block.number).toBe(1)
    expect(results.map((result) => (result.status === 'fulfilled' ? 'quote' : result.reason.message))).toEqual([
      ...['quote', 'not meant', 'no such token', 'quote', 'quote'],
    ])
    expect(seen.views).toEqual([{ groups: [['end of 1'], ['end of 2'], ['end of 3']], minimumBlock: 0 }])
    expect(seen.quoted).toEqual(['1 at 1', '2 at 1', '3 at 1'])
    expect(seen.most).toBe(2)
  })

  test('wait for the latest block that any of them asks for', async () => {
    const { run, seen } = chain()
    await run(request(1n, 5), request(2n, 9), new Error('none'), request(3n))
    expect(seen.views).toMatchObject([{ minimumBlock: 9 }])
  })

  test('are made once more if a reorganization took their block, and not for a block that only grew old', async () => {
    const reorged = chain({ heads: [1, 2], holds: (block) => block !== 1, quote: () => ({ head: header(2) }) })
    expect((await reorged.run(request(1n))).block.number).toBe(2)
    expect(reorged.seen.quoted).toEqual(['1 at 1', '1 at 2'])
    const older = chain({ heads: [1], quote: () => ({ head: header(2) }) })
    expect((await older.run(request(1n))).block.number).toBe(1)
    expect(older.seen.quoted).toEqual(['1 at 1'])
  })

  test('are made at an earlier block if the node does not know theirs', async () => {
    const behind = chain({ heads: [5], earlier: 4, quote: (block) => (block === 5 ? gone() : { head: header(4) }) })
    const { block, results } = await behind.run(request(1n))
    expect([block.number, results[0]!.status]).toEqual([4, 'fulfilled'])
    const nothing = chain({ heads: [5], quote: gone })
    expect((await nothing.run(request(1n))).results[0]).toMatchObject({ reason: { code: 'LAGGING' } })
    expect(nothing.seen.quoted).toHaveLength(1)
  })

  test('are given up after eight blocks in a row that went away', async () => {
    const { run, seen } = chain({
      heads: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      holds: () => false,
      quote: () => ({ head: null }),
    })
    expect((await run(request(1n))).block.number).toBe(8)
    expect(seen.quoted).toHaveLength(8)
  })

  test('end with their caller', async () => {
    const { run, controller } = chain({
      quote: () => {
        controller.abort(new Error('hung up'))
        return { head: null }
      },
    })
    await expect(run(request(1n))).rejects.toThrow('hung up')
  })
})
