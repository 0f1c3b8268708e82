/**
 * A market follows only requested pools. It drops other pools, and reads them again when they are requested. The states
 * are those that the node returns.
 */
import { toAddress } from '@sluice/chains'
import { countRoundTrips } from '@sluice/devnet'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Snapshot } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { addPair, addPool, type Fixture, NEVER, startFixture } from './fixture.ts'

const E18 = 10n ** 18n
const TOKENS = 6
/** Maximum followed tokens in addition to the hub. */
const MAX_FOLLOWED = 3
const RUNS = process.env.LONG ? 200 : 15

let f: Fixture
beforeAll(async () => {
  f = await startFixture(TOKENS)
  const [hub, ...others] = f.tokens
  for (const token of others) await addPair(f, hub!, token, 1_000n * E18, 2_000n * E18)
  for (let i = 1; i < others.length; i++) await addPair(f, others[i - 1]!, others[i]!, 50n * E18, 70n * E18)
})
afterAll(() => f?.stop())

const address = (i: number) => f.tokens[i]!.address
const sorted = ({ pools }: Snapshot) => [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
const swap = (from: number, to: number) =>
  f.v2Router.send('swapExactTokensForTokens', [E18, 0n, [address(from), address(to)], f.me, NEVER])

type Step =
  /** `later`: what comes next does not wait for it. */
  | { readonly kind: 'ask'; readonly tokens: readonly number[]; readonly later: boolean }
  | { readonly kind: 'swap'; readonly from: number; readonly to: number }
  | { readonly kind: 'make'; readonly token: number }
  | { readonly kind: 'sync'; readonly later: boolean }
  /** To the mark so many back; `isSynced` if the market read the removed blocks before. */
  | { readonly kind: 'revert'; readonly back: number; readonly isSynced: boolean }
  | { readonly kind: 'mark' }
  | { readonly kind: 'evict' }

const of = <K extends string>(kind: K) => fc.constant(kind)
const token = fc.integer({ min: 1, max: TOKENS - 1 })
const later = fc.boolean()
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: of('ask'), tokens: fc.uniqueArray(token, { minLength: 1, maxLength: 2 }), later }),
  },
  {
    weight: 4,
    arbitrary: token.chain((to) =>
      fc.record({ kind: of('swap'), from: fc.constantFrom(0, to - 1), to: fc.constant(to) }),
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: of('make'), token }) },
  { weight: 2, arbitrary: fc.record({ kind: of('sync'), later }) },
  { weight: 2, arbitrary: fc.record({ kind: of('mark') }) },
  { weight: 1, arbitrary: fc.record({ kind: of('evict') }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: of('revert'), back: fc.integer({ min: 0, max: 2 }), isSynced: fc.boolean() }),
  },
)

test('after any concurrent requests, evictions, blocks, and reorgs, memory equals a fresh market and respects its limits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const start = await f.request<string>('evm_snapshot')
      const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokens: MAX_FOLLOWED } })
      const marks: string[] = []
      const pending: Promise<unknown>[] = []
      let last: readonly number[] = []
      await market.sync()
      for (const each of steps) {
        if (each.kind === 'ask') {
          last = each.tokens
          const request = market.ensure(last.map(address))
          if (each.later) pending.push(request)
          else await request
        } else if (each.kind === 'swap') await swap(each.from, each.to)
        else if (each.kind === 'make') {
          // Refused where the pool is there already.
          await addPool(f, f.tokens[0]!, f.tokens[each.token]!, 3_000, 1n << 96n).catch(() => undefined)
        } else if (each.kind === 'sync') {
          const synced = market.sync()
          if (each.later) pending.push(synced)
          else await synced
        } else if (each.kind === 'mark') marks.push(await f.request<string>('evm_snapshot'))
        else if (each.kind === 'evict') market.evict()
        else {
          const [mark] = marks.splice(-1 - each.back)
          if (mark === undefined) continue
          if (each.isSynced) await market.sync()
          await f.request('evm_revert', [mark])
          await f.request('evm_mine')
        }
      }
      await Promise.all(pending)
      // Tokens that were requested together with it may have replaced it.
      await market.ensure(last.map(address))
      // What is dropped goes when the newest block stands still.
      await market.sync()
      const ours = await market.sync()
      const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
      await fresh.ensure(f.tokens.map((token) => token.address))
      const all = new Map(sorted(fresh.snapshot()).map((pool) => [pool.id, pool]))
      expect(ours.block.hash).toBe(fresh.snapshot().block.hash)
      for (const pool of ours.pools.values()) expect(pool).toEqual(all.get(pool.id))
      // All pools of the last request are followed.
      const wanted = sorted(fresh.snapshot()).filter(({ tokens }) =>
        tokens.every((each) => each === address(0) || last.some((i) => address(i) === each)),
      )
      if (last.length > 0) for (const { id } of wanted) expect(ours.pools.has(id)).toBe(true)
      const followed = new Set([...ours.pools.values()].flatMap(({ tokens }) => tokens))
      expect(followed.size).toBeLessThanOrEqual(MAX_FOLLOWED + 1)
      expect(market.cacheCounts().tokens!.entries).toBeLessThanOrEqual(MAX_FOLLOWED + 1)
      await Promise.all([market.stop(), fresh.stop()])
      await f.request('evm_revert', [start])
    }),
    { numRuns: RUNS },
  )
}, 600_000)

test('a token without requests is dropped, and found again at the next request', async () => {
  const tokenIdleMs = 3_600_000
  const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokenIdleMs } })
  await market.ensure([address(1)])
  expect(market.snapshot().pools.size).toBe(1)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * tokenIdleMs)
  market.evict()
  await vi.waitFor(() => expect(market.snapshot().pools.size).toBe(0)).finally(() => vi.restoreAllMocks())
  expect(market.snapshot().changedIds).toHaveLength(1)
  await swap(0, 1)
  const again = await market.ensure([address(1)])
  const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
  await market.sync()
  expect(sorted(market.snapshot())).toEqual(sorted(await fresh.ensure([address(1)])))
  expect(again.pools.size).toBe(1)
  await Promise.all([market.stop(), fresh.stop()])
})

test('200 addresses without a token cost one call, once, and none of them is followed', async () => {
  const { rpc, roundTrips } = countRoundTrips(f.rpc)
  const market = createMarket({ chain: f.chain, rpc })
  await market.ensure([address(0)])
  const nothing = Array.from({ length: 200 }, (_, i) => toAddress(`0x${(0xabc000 + i).toString(16).padStart(40, '0')}`))
  const before = { trips: roundTrips(), followed: market.cacheCounts().tokens!.entries }
  await market.searchPools(nothing)
  expect(roundTrips() - before.trips).toBe(1)
  await market.searchPools(nothing)
  expect(roundTrips() - before.trips).toBe(1)
  expect(market.cacheCounts()).toMatchObject({ tokens: { entries: before.followed }, queued: { entries: 0 } })
  await market.stop()
})

test('a reorg to a block from before a pool was dropped does not bring it back', async () => {
  const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokens: MAX_FOLLOWED } })
  await market.ensure([address(1)])
  const [dropped] = [...market.snapshot().pools.keys()]
  const mark = await f.request<string>('evm_snapshot')
  await swap(0, 1)
  await market.sync()
  for (const i of [2, 3, 4]) await market.ensure([address(i)])
  await vi.waitFor(() => expect(market.snapshot().pools.has(dropped!)).toBe(false))
  await f.request('evm_revert', [mark])
  await f.request('evm_mine')
  const { pools } = await market.sync()
  expect(pools.has(dropped!)).toBe(false)
  expect(pools.size).toBe(3)
  await market.stop()
})
