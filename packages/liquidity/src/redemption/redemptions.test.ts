/** Tests how long a token without a redemption is left unread, with a node in memory. */
import { type Chain, type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, RpcError } from '@sluice/rpc'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RedemptionCache } from './redemptions.ts'

const SHARE = toAddress(`0x${'12'.repeat(20)}`)
const block = { number: 1, hash: `0x${'1'.repeat(64)}` as Hex } as BlockHeader

test('a token whose read failed is read again after a minute', async () => {
  let nowMs = 1
  // Fake timers replace `performance`, of which the cache's library keeps a reference.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const pass = (ms: number) => {
    nowMs += ms
    vi.advanceTimersByTime(ms)
  }
  void onTestFinished(() => {
    clock.mockRestore()
    vi.useRealTimers()
  })
  let calls = 0
  const rpc = {
    call: async () => {
      calls++
      throw new RpcError('REVERTED', 'out of gas')
    },
  }
  const cache = new RedemptionCache({ hubs: [], stables: [], wrappedNative: null, dexes: [] } as unknown as Chain)
  const readsAgain = async () => {
    const before = calls
    await cache.readShares([SHARE], { rpc: rpc as never, block })
    return calls > before
  }
  expect(await readsAgain()).toBe(true)
  expect(cache.readingsOf(SHARE)).toBeUndefined()
  expect(cache.isCurrentAt(SHARE, block)).toBe(true)
  pass(59_000)
  expect(await readsAgain()).toBe(false)
  pass(2_000)
  expect(await readsAgain()).toBe(true)
})
