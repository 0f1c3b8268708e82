/** Tests of callbacks that fail while a swap is in progress. */
import { afterEach, expect, test, vi } from 'vitest'
import { MemoryNode, serviceOf, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { swap } from './swap.ts'

afterEach(() => void vi.restoreAllMocks())

test.each([
  [
    'throws',
    () => {
      throw new Error('storage is full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('storage is full'))],
])('a swap is sent if onProgress %s, and the error is logged', async (_name, onProgress) => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  try {
    const node = new MemoryNode()
    const { from: _, ...request } = h.single.request
    const outcome = await swap(serviceOf(h.single.route).client, node.wallet, h.CHAIN, request, {
      ...{ trustQuote: true, onProgress },
    })
    expect(outcome.hash).toBe(word(2))
    // Node.js reports unhandled rejections after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(rejections).toEqual([])
    expect(log.mock.calls).toEqual(Array.from({ length: 8 }, () => ['onProgress failed: storage is full']))
  } finally {
    process.off('unhandledRejection', onRejection)
  }
})
