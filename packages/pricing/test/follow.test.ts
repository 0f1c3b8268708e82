/** Prices that have followed a chain through any history are those of a fresh look at it, bit for bit. */
import type { Address, Chain } from '@sluice/chains'
import { type Pool, PoolMap, type Snapshot } from '@sluice/liquidity'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Prices } from '../src/index.ts'
import {
  address,
  centre,
  chain,
  DAI,
  decimalsOf,
  eth,
  liquidityFor,
  pair,
  ranged,
  snapshotOf,
  USDC,
  USDT,
  usdc,
  WBTC,
  WETH,
} from './pools.ts'

const strangers = Array.from({ length: 8 }, (_, n) => address(0x1000 + n))
const tokens = [USDC, USDT, DAI, WETH, WBTC, ...strangers]
const names = Array.from({ length: 24 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)

type Change =
  | { readonly do: 'put'; readonly id: string; readonly pool: Pool }
  | { readonly do: 'remove'; readonly id: string }
  /** Back to what stood some blocks ago. */
  | { readonly do: 'undo'; readonly blocks: number }
  | { readonly do: 'learn'; readonly token: Address }

/** From dust to millions of whole tokens, of six decimals or eighteen. */
const amount = fc.double({ min: 0, max: 26, noNaN: true }).map((digits) => Math.floor(10 ** digits))
const name = fc.constantFrom(...names)
const duo = fc.tuple(fc.nat(tokens.length - 1), fc.nat(tokens.length - 1)).filter(([a, b]) => a !== b)
const anyPair = fc.tuple(duo, amount, amount).map(([[a, b], x, y]) => pair(tokens[a]!, tokens[b]!, x, y))
const anyRange = fc
  .tuple(duo, fc.double({ min: -10, max: 10, noNaN: true }), fc.double({ min: 3, max: 25, noNaN: true }))
  .map(([[a, b], log, digits]) => {
    const price = Math.exp(log)
    const liquidity = liquidityFor(10 ** digits, price * 0.8, price)
    return ranged(tokens[a]!, tokens[b]!, price, [{ from: price * 0.8, to: price * 1.2, liquidity }])
  })
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), id: name, pool: fc.oneof(anyPair, anyRange) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), id: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), blocks: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('learn' as const), token: fc.constantFrom(USDT, DAI, ...strangers) }),
  },
)
const history = fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 12 })

/** A chain that does not tell the decimals of two of its stables: they are learned, or never. */
const untold: Chain = {
  ...chain,
  stables: chain.stables.map((stable) => (stable.address === USDC ? stable : { ...stable, decimals: null as never })),
}

async function told(prices: Prices) {
  const answers = []
  for (const token of tokens)
    answers.push([prices.usd(token), await prices.depthUsd(token), await prices.depthCurve(token)])
  return answers
}

test('any history of pools that come, change and go, of reorgs and of decimals learned late ends where a fresh look does', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (blocks, startsWithCentre) => {
      const known = new Map<Address, number>()
      const options = { decimals: (token: Address) => known.get(token) }
      const followed = new Prices(untold, options)
      const start = startsWithCentre ? centre().map((pool, n) => ({ ...pool, id: names[n]! })) : []
      const past: PoolMap[] = [PoolMap.empty.with(start)]
      for (const changes of blocks) {
        let pools = past.at(-1)!
        for (const change of changes) {
          if (change.do === 'put') pools = pools.with([{ ...change.pool, id: change.id }])
          else if (change.do === 'remove') pools = pools.with([], pools.has(change.id) ? [change.id] : [])
          else if (change.do === 'undo') {
            past.splice(Math.max(1, past.length - change.blocks))
            pools = past.at(-1)!
          } else known.set(change.token, decimalsOf[change.token] ?? 18)
        }
        past.push(pools)
        const snapshot: Snapshot = { ...snapshotOf([]), pools }
        await followed.follow(snapshot)
        const fresh = new Prices(untold, options)
        // The same pools in another order.
        fresh.take({ ...snapshot, pools: new Map([...pools].reverse()) })
        expect(await told(followed)).toEqual(await told(fresh))
      }
    }),
    { numRuns: process.env.LONG === '1' ? 20_000 : 300 },
  )
}, 600_000)

test('a block is taken in when follow returns, and until the first is, nothing is known', async () => {
  const prices = new Prices(chain)
  expect(prices.isCurrent).toBe(false)
  expect(prices.usd(WETH)).toBeNull()
  const first = snapshotOf(centre())
  void prices.follow(first)
  expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  const dearer = pair(WETH, USDC, eth(10_000), usdc(40e6))
  const others = [...first.pools.values()].slice(1)
  void prices.follow(snapshotOf([dearer, ...others.filter(({ tokens }) => tokens.includes(WBTC))]))
  expect(prices.usd(WETH)).toBeCloseTo(4_000, 6)
})

test('blocks that come faster than they can be taken in are joined, and the last is what stands', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => pair(address(0x5000 + n), USDC, eth(1), usdc(1_000 + n)))
  const prices = new Prices(chain, { decimals: (token) => (token >= address(0x1000) ? 18 : undefined) })
  let pools = PoolMap.empty.with([...centre(), ...many])
  const done = [prices.follow({ ...snapshotOf([]), pools })]
  expect(prices.isCurrent).toBe(false)
  for (let block = 0; block < 3; block++) {
    pools = pools.with([{ ...many[block]!, state: { reserve0: 10n ** 18n, reserve1: 7_000_000_000n, feePpm: 3_000 } }])
    done.push(prices.follow({ ...snapshotOf([]), pools }))
  }
  await Promise.all(done)
  const fresh = new Prices(chain, { decimals: (token) => (token >= address(0x1000) ? 18 : undefined) })
  fresh.take({ ...snapshotOf([]), pools })
  for (let n = 0; n < 6; n++) expect(prices.usd(address(0x5000 + n))).toBe(fresh.usd(address(0x5000 + n)))
  expect(prices.usd(address(0x5000))).toBeCloseTo(7_000, 6)
})

test('a pool whose maths fails says nothing, and is told of', () => {
  const faults: string[] = []
  const prices = new Prices(chain, { onFault: ({ id }) => faults.push(id) })
  const broken = { ...pair(WETH, USDC, 1, 1), state: null }
  prices.take(snapshotOf([...centre(), broken]))
  expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  expect(faults).toEqual([broken.id])
})
