/** Tests how many requests of workers are read, with a fake connection and a fake market. */
import type { IndexedMarket } from '@sluice/liquidity'
import { expect, test, vi } from 'vitest'
import type { Argument, Connection } from './connection.ts'
import { keysOf } from './keys.ts'
import { PairRequests } from './pair-requests.ts'

test('requests are left in the stream while the market does not keep up', async () => {
  const abort = new AbortController()
  const token = `0x${'a'.repeat(40)}`
  const total = 1_000
  let readCount = 0
  const connection = {
    call: async (name: Argument) => {
      if (name === 'TIME') return ['1000', '0']
      if (readCount === total) throw new Error('every request was read')
      const entries = Array.from({ length: 50 }, (_, k) => [
        `${2_000_000 + readCount + k}-0`,
        ['want', JSON.stringify({ groups: [[token]] })],
      ])
      readCount += entries.length
      return [['stream', entries]]
    },
    close: () => {},
  } as unknown as Connection
  const started: (() => void)[] = []
  let isSlow = true
  const market = {
    health: () => ({ head: null }),
    ensureGroups: () => (isSlow ? new Promise<void>((resolve) => started.push(resolve)) : Promise.resolve()),
  } as unknown as IndexedMarket
  const requests = new PairRequests({
    ...{ keys: keysOf(7), scope: { hubs: [], intermediates: [] }, market: () => market },
    ...{ signal: abort.signal, onLoaded: () => {} },
  })
  const listening = requests.listen(connection)
  const outcome = listening.catch((error: Error) => error.message)
  await vi.waitUntil(() => started.length === 50)
  expect(readCount).toBe(100)
  isSlow = false
  for (const finish of started) finish()
  expect(await outcome).toBe('every request was read')
  abort.abort()
})
