/** What is followed is what somebody asks for: pools that were dropped stay away, come back when asked for, and are right. */
import { toAddress } from '@sluice/chains'
import { countRoundTrips } from '@sluice/devnet'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Snapshot } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { addPair, type Fixture, NEVER, startFixture } from './fixture.ts'

const E18 = 10n ** 18n
const TOKENS = 6
/** What may be followed beside the hub. */
const MOST = 3

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
  | { readonly kind: 'ask'; readonly tokens: readonly number[] }
  | { readonly kind: 'swap'; readonly token: number }
  | { readonly kind: 'mark' | 'revert' | 'sync' }

const token = fc.integer({ min: 1, max: TOKENS - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      tokens: fc.uniqueArray(token, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('swap' as const), token }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('mark' as const, 'sync' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revert' as const) }) },
)

test('after any asking, dropping, blocks and reorgs memory holds what a fresh market reads, and no more than it may', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokens: MOST } })
      let mark: string | null = null
      let last: readonly number[] = []
      // The node remembers a mark's block only: what came after it is gone with the revert.
      await market.sync()
      for (const { kind, ...given } of [...steps, { kind: 'sync' } as const] as (Step & {
        tokens?: number[]
        token?: number
      })[]) {
        if (kind === 'ask') {
          last = given.tokens!
          await market.ensure(last.map(address))
        } else if (kind === 'swap') await swap(0, given.token!)
        else if (kind === 'sync') await market.sync()
        else if (kind === 'mark') mark = await f.request<string>('evm_snapshot')
        else if (mark) {
          await market.sync()
          await f.request('evm_revert', [mark])
          await f.request('evm_mine')
          mark = null
        }
      }
      // What is dropped goes when the newest block stands still.
      await market.sync()
      const ours = await market.sync()
      const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
      await fresh.ensure(f.tokens.map((each) => each.address))
      const all = new Map(sorted(fresh.snapshot()).map((pool) => [pool.id, pool]))
      for (const pool of ours.pools.values()) expect(pool).toEqual(all.get(pool.id))
      // Everything that was asked for last is there.
      const wanted = sorted(fresh.snapshot()).filter(({ tokens }) =>
        tokens.every((each) => each === address(0) || last.some((i) => address(i) === each)),
      )
      if (last.length > 0) for (const { id } of wanted) expect(ours.pools.has(id)).toBe(true)
      const followed = new Set([...ours.pools.values()].flatMap(({ tokens }) => tokens))
      expect(followed.size).toBeLessThanOrEqual(MOST + 1)
      expect(market.state().tokens!.entries).toBeLessThanOrEqual(MOST + 1)
      await Promise.all([market.stop(), fresh.stop()])
    }),
    { numRuns: 12 },
  )
}, 120_000)

test('a token that nobody asks for any more is followed no longer, and found again when somebody does', async () => {
  const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokenIdleMs: 50 } })
  await market.ensure([address(1)])
  expect(market.snapshot().pools.size).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 60))
  market.evict()
  await vi.waitFor(() => expect(market.snapshot().pools.size).toBe(0))
  expect(market.snapshot().changed).toHaveLength(1)
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
  const before = { trips: roundTrips(), followed: market.state().tokens!.entries }
  await market.seek(nothing)
  expect(roundTrips() - before.trips).toBe(1)
  await market.seek(nothing)
  expect(roundTrips() - before.trips).toBe(1)
  expect(market.state()).toMatchObject({ tokens: { entries: before.followed }, queued: { entries: 0 } })
  await market.stop()
})

test('a reorg to a block from before a pool was dropped does not bring it back', async () => {
  const market = createMarket({ chain: f.chain, rpc: f.rpc, limits: { tokens: MOST } })
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
