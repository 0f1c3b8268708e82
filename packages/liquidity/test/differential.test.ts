/** Quotes against what genuine contracts answer for the same pool: no difference of one unit is allowed. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf } from '../src/dexes/index.ts'
import { type Market, type Pool, PoolRefusal, type UniswapV2State, type UniswapV3State } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick } from '../src/math/ticks.ts'
import { addPair, addPool, addPosition, type Fixture, NEVER, startFixture } from './fixture.ts'
import { type Random, random } from './random.ts'

/** 100,000 of each family under LONG=1. */
const QUOTES_PER_POOL = process.env.LONG ? 2_000 : 12
const POOLS = process.env.LONG ? 50 : 20
const AT_ONCE = 50

let f: Fixture
let market: Market
beforeAll(async () => {
  f = await startFixture(8)
  market = createMarket({ chain: f.chain, rpc: f.rpc })
})
afterAll(async () => {
  await market?.stop()
  await f?.stop()
})

const FEES: readonly [fee: number, spacing: number][] = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
]

async function makeV3Pool(r: Random): Promise<void> {
  const a = r.integer(f.tokens.length)
  const b = (a + 1 + r.integer(f.tokens.length - 1)) % f.tokens.length
  const [token0, token1] = [f.tokens[Math.min(a, b)]!, f.tokens[Math.max(a, b)]!]
  const [fee, spacing] = r.pick(FEES)
  const tick = r.integer(2) ? r.integer(2_000) - 1_000 : r.integer(600_000) - 300_000
  const address = await addPool(f, token0, token1, fee, sqrtRatioAtTick(tick))
  if (address === toAddress(`0x${'0'.repeat(40)}`)) throw new Error('the pool was not made')
  for (let i = 1 + r.integer(6); i > 0; i--) {
    const width = spacing * (1 + r.integer(r.pick([3, 100, 2_000])))
    const middle = tick + r.integer(4 * width + 1) - 2 * width
    const lower = Math.floor((middle - width) / spacing) * spacing
    const upper = lower + 2 * width
    if (lower < -880_000 || upper > 880_000) continue
    const range = { tickLower: lower, tickUpper: upper, amount0: r.amount(20, 110), amount1: r.amount(20, 110) }
    // Amounts too small for a unit of liquidity are refused by the pool.
    await addPosition(f, { token0, token1, fee }, range).catch(() => undefined)
  }
}

async function inGroups<T>(list: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < list.length; i += AT_ONCE) await Promise.all(list.slice(i, i + AT_ONCE).map(run))
}

function quote(pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

test('uniswap-v3 quotes the output of the pool, with price and ticks after, and refuses amounts that it takes only in part', async () => {
  const r = random(7)
  for (let i = 0; i < POOLS; i++) await makeV3Pool(r)
  const { pools } = await market.ensure(f.tokens.map(({ address }) => address))
  const all = [...pools.values()].filter((pool): pool is Pool<UniswapV3State> => pool.family === 'uniswap-v3')
  expect(all.length).toBeGreaterThan(POOLS / 2)

  const cases = all.flatMap((pool) =>
    Array.from({ length: QUOTES_PER_POOL }, () => ({ pool, flip: r.integer(2) === 1, amountIn: r.amount(1, 125) })),
  )
  let quoted = 0
  let refused = 0
  await inGroups(cases, async ({ pool, flip, amountIn }) => {
    const [tokenIn, tokenOut] = flip ? [pool.tokens[1]!, pool.tokens[0]!] : [pool.tokens[0]!, pool.tokens[1]!]
    const data = await swapV3(tokenIn, tokenOut, amountIn, pool.state.feePpm)
    const ours = quote(pool, tokenIn, tokenOut, amountIn)
    if (ours instanceof PoolRefusal) {
      // Where the model refuses, the pool has run to the last price, with input left over.
      expect(['EMPTY', 'TOO_LARGE']).toContain(ours.code)
      if (data) expect([MIN_SQRT_RATIO + 1n, MAX_SQRT_RATIO - 1n]).toContain(data.sqrtPriceX96After)
      else expect(ours.code).toBe('EMPTY')
      refused++
      return
    }
    const label = `${pool.id} ${tokenIn} ${amountIn}`
    expect(`${label}: ${ours.amountOut}`).toBe(`${label}: ${data?.amountOut}`)
    expect(ours.state.sqrtPriceX96).toBe(data?.sqrtPriceX96After)
    quoted++
  })
  expect(quoted).toBeGreaterThanOrEqual(Math.min(100, cases.length / 2))
  expect(refused).toBeGreaterThan(0)
})

test('uniswap-v3 quotes a second swap from its own next state like the pool', async () => {
  const r = random(11)
  const pools = [...market.snapshot().pools.values()].filter(
    (pool): pool is Pool<UniswapV3State> => pool.family === 'uniswap-v3',
  )
  let checked = 0
  for (const pool of pools) {
    const snapshot = await f.request<string>('evm_snapshot')
    const [tokenIn, tokenOut] = r.integer(2) ? pool.tokens : [pool.tokens[1], pool.tokens[0]]
    const amounts = [r.amount(10, 90), r.amount(10, 90)]
    let state: UniswapV3State = pool.state
    for (const amountIn of amounts) {
      const ours = quote({ ...pool, state }, tokenIn!, tokenOut!, amountIn)
      if (ours instanceof PoolRefusal) break
      state = ours.state as UniswapV3State
      await f.v3Router.send('exactInputSingle', [
        {
          tokenIn,
          tokenOut,
          fee: state.feePpm,
          recipient: f.me,
          deadline: NEVER,
          amountIn,
          amountOutMinimum: 0n,
          sqrtPriceLimitX96: 0n,
        },
      ])
      checked++
    }
    const fresh = await market.sync()
    expect(fresh.pools.get(pool.id)!.state).toEqual(state)
    await f.request('evm_revert', [snapshot])
    await market.sync()
  }
  expect(checked).toBeGreaterThan(pools.length)
})

test('uniswap-v2 quotes the output of the pair, and refuses if it reverts', async () => {
  const r = random(13)
  const pairKeys = new Set<string>()
  for (let i = 0; i < POOLS && pairKeys.size < 25; i++) {
    const a = r.integer(f.tokens.length)
    const b = (a + 1 + r.integer(f.tokens.length - 1)) % f.tokens.length
    const key = [a, b].sort().join()
    if (pairKeys.has(key)) continue
    pairKeys.add(key)
    await addPair(f, f.tokens[a]!, f.tokens[b]!, r.amount(12, 111), r.amount(12, 111))
  }
  await market.sync()
  const { pools } = await market.ensure(f.tokens.map(({ address }) => address))
  const all = [...pools.values()].filter((pool): pool is Pool<UniswapV2State> => pool.family === 'uniswap-v2')
  expect(all.length).toBe(pairKeys.size)

  const cases = all.flatMap((pool) =>
    Array.from({ length: QUOTES_PER_POOL * 2 }, () => ({ pool, flip: r.integer(2) === 1, amountIn: r.amount(1, 113) })),
  )
  let quoted = 0
  let refused = 0
  await inGroups(cases, async ({ pool, flip, amountIn }) => {
    const [tokenIn, tokenOut] = flip ? [pool.tokens[1]!, pool.tokens[0]!] : [pool.tokens[0]!, pool.tokens[1]!]
    const label = `${pool.id} ${tokenIn} ${amountIn}`
    const genuine = await swapV2(tokenIn, tokenOut, amountIn)
    const ours = quote(pool, tokenIn, tokenOut, amountIn)
    if (ours instanceof PoolRefusal) {
      expect(`${label}: ${genuine}`).toBe(`${label}: null`)
      refused++
    } else {
      expect(`${label}: ${ours.amountOut}`).toBe(`${label}: ${genuine}`)
      quoted++
    }
  })
  expect(quoted).toBeGreaterThanOrEqual(200)
  expect(refused).toBeGreaterThan(0)
})

/** A swap that runs dry walks through thousands of bitmap words. */
const ENOUGH_GAS = 4_000_000_000n

/** Quotes by the genuine quoter; null if it reverts, which happens without any liquidity on the way. */
async function swapV3(tokenIn: Address, tokenOut: Address, amountIn: bigint, fee: number) {
  const { abi, address: to } = f.quoter
  const args = [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }]
  const data = abi.encodeFunctionData('quoteExactInputSingle', args) as Hex
  const answer = await orNull(f.rpc.call({ to, data, gas: ENOUGH_GAS }, 'latest', { timeoutMs: 60_000 }))
  return answer && abi.decodeFunctionResult('quoteExactInputSingle', answer)
}

/** Swaps in the EVM, at the head and without trace; null if it reverts. */
async function swapV2(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<bigint | null> {
  const { abi, address } = f.v2Router
  const args = [amountIn, 0n, [tokenIn, tokenOut], f.me, NEVER]
  const data = abi.encodeFunctionData('swapExactTokensForTokens', args) as Hex
  const answer = await orNull(f.rpc.call({ from: toAddress(f.me), to: address, data }, 'latest'))
  return answer && abi.decodeFunctionResult('swapExactTokensForTokens', answer)[0][1]
}

function orNull<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (error instanceof RpcError && error.code === 'REVERTED') return null
    throw error
  })
}
