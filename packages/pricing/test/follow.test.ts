/** Incrementally updated prices must equal, bit for bit, a fresh computation from the last four blocks. */
import type { Address, Chain } from '@sluice/chains'
import { type Pool, PoolMap, type Snapshot, type UniswapV2State } from '@sluice/liquidity'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
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

const otherTokens = Array.from({ length: 8 }, (_, n) => address(0x1000 + n))
const tokens = [USDC, USDT, DAI, WETH, WBTC, ...otherTokens]
const names = Array.from({ length: 24 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)

type Change =
  | { readonly do: 'put'; readonly id: string; readonly pool: Pool }
  | { readonly do: 'remove'; readonly id: string }
  /** Reverts to an earlier block. */
  | { readonly do: 'undo'; readonly blocks: number }
  | { readonly do: 'learn'; readonly token: Address }
  /** A token becomes sellable or unsellable, or its test sale expires. */
  | { readonly do: 'test sale'; readonly token: Address; readonly isSellable: boolean }
  /** A trade, a little one or one that moves the price by a lot. */
  | { readonly do: 'trade'; readonly id: string; readonly ppm: bigint }

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
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('trade' as const),
      id: name,
      ppm: fc.constantFrom(5n, 9_000n, 12_000n, 400_000n, 900_000n, -300_000n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('learn' as const), token: fc.constantFrom(USDT, DAI, ...otherTokens) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('test sale' as const),
      token: fc.constantFrom(...otherTokens),
      isSellable: fc.boolean(),
    }),
  },
)
/** Pools may be learned of, or read again, after the block they belong to. */
const step = fc.record({ changes: fc.array(change, { maxLength: 6 }), isNewBlock: fc.boolean() })
const history = fc.array(step, { minLength: 1, maxLength: 12 })

/** The pool after a trade; others than constant-product ones stay as they are. */
function traded(pool: Pool, ppm: bigint): Pool {
  if (pool.family !== 'uniswap-v2') return pool
  const state = pool.state as UniswapV2State
  const reserve0 = (state.reserve0 * (1_000_000n + ppm)) / 1_000_000n
  const reserve1 = (state.reserve1 * 1_000_000n) / (1_000_000n + ppm)
  return { ...pool, state: { ...state, reserve0, reserve1 } }
}

/** A chain file without the decimals of two of its stables: they are learned later, or never. */
const sparseChain: Chain = {
  ...chain,
  stables: chain.stables.map((stable) => (stable.address === USDC ? stable : { ...stable, decimals: null as never })),
}

function atBlock(number: number, pools: PoolMap): Snapshot {
  const snapshot = snapshotOf([])
  return { ...snapshot, pools, block: { ...snapshot.block, number, hash: toHex(number) } }
}

const toHex = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as const

async function describePrices(prices: Prices) {
  const answers = []
  for (const token of tokens)
    answers.push([
      prices.usd(token),
      await prices.depthUsd(token),
      await prices.depthCurve(token),
      await prices.detail(token),
    ])
  return answers
}

test('after any history of pools, reorgs, late decimals, and test sales, prices equal a fresh computation', async () => {
  let testSaleCount = 0
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (blocks, startsWithCentre) => {
      const knownDecimals = new Map<Address, number>()
      const unsellable = new Set<Address>()
      const options = {
        decimals: (token: Address) => knownDecimals.get(token),
        isUnsellable: (token: Address) => unsellable.has(token),
      }
      const followed = new Prices(sparseChain, options)
      const start = startsWithCentre ? centre().map((pool, n) => ({ ...pool, id: names[n]! })) : []
      const past: PoolMap[] = [PoolMap.empty.with(start)]
      let block = 0
      /** As the last three blocks left it, the newest last. */
      let before: Snapshot[] = []
      let last: Snapshot | undefined
      for (const { changes, isNewBlock } of blocks) {
        let pools = past.at(-1)!
        for (const change of changes) {
          if (change.do === 'put') pools = pools.with([{ ...change.pool, id: change.id }])
          else if (change.do === 'remove') pools = pools.with([], pools.has(change.id) ? [change.id] : [])
          else if (change.do === 'undo') {
            past.splice(Math.max(1, past.length - change.blocks))
            pools = past.at(-1)!
          } else if (change.do === 'trade') {
            const pool = pools.get(change.id)
            if (pool) pools = pools.with([traded(pool, change.ppm)])
          } else if (change.do === 'test sale') {
            if (change.isSellable) unsellable.delete(change.token)
            else unsellable.add(change.token)
            // A result that expires is found with the next snapshot.
            if (!change.isSellable) await followed.updateSellability(change.token)
            testSaleCount++
          } else knownDecimals.set(change.token, decimalsOf[change.token] ?? 18)
        }
        past.push(pools)
        if (isNewBlock && last) {
          block++
          before = [...before, last].slice(-3)
        }
        const snapshot = atBlock(block, pools)
        await followed.follow(snapshot)
        last = snapshot
        const fresh = new Prices(sparseChain, options)
        // The same pools in another order.
        for (const each of [...before, snapshot]) fresh.applyNow({ ...each, pools: new Map([...each.pools].reverse()) })
        expect(await describePrices(followed)).toEqual(await describePrices(fresh))
      }
    }),
    { numRuns: process.env.LONG === '1' ? 20_000 : 50 },
  )
  expect(testSaleCount).toBeGreaterThan(20)
}, 600_000)

afterEach(() => void vi.restoreAllMocks())

test('a block is processed when follow returns, and before the first one there are no prices', async () => {
  // The clock is fake, so this takes exactly one slice on any machine.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  const prices = new Prices(chain)
  expect(prices.isCurrent).toBe(false)
  expect(prices.usd(WETH)).toBeNull()
  const first = snapshotOf(centre())
  void prices.follow(first)
  expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  const expensivePool = pair(WETH, USDC, eth(10_000), usdc(40e6))
  const others = [...first.pools.values()].slice(1)
  void prices.follow(snapshotOf([expensivePool, ...others.filter(({ tokens }) => tokens.includes(WBTC))]))
  expect(prices.usd(WETH)).toBeCloseTo(4_000, 6)
})

test('blocks that arrive faster than they are processed are merged, and the last one counts', async () => {
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
  fresh.applyNow({ ...snapshotOf([]), pools })
  for (let n = 0; n < 6; n++) expect(prices.usd(address(0x5000 + n))).toBe(fresh.usd(address(0x5000 + n)))
  expect(prices.usd(address(0x5000))).toBeCloseTo(7_000, 6)
})

test('the first pass reads the pools of a market in batches, never all at once', async () => {
  const pools = PoolMap.empty.with(centre())
  const allAtOnce = () => {
    throw new Error('all at once')
  }
  Object.assign(pools, { keys: allAtOnce, values: allAtOnce, entries: allAtOnce, [Symbol.iterator]: allAtOnce })
  const prices = new Prices(chain)
  await prices.follow({ ...snapshotOf([]), pools })
  expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
})

test('a pool whose math throws is ignored and reported', () => {
  const faults: string[] = []
  const prices = new Prices(chain, { onFault: ({ id }) => faults.push(id) })
  const broken = { ...pair(WETH, USDC, 1, 1), state: null }
  prices.applyNow(snapshotOf([...centre(), broken]))
  expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  expect(faults).toEqual([broken.id])
})
