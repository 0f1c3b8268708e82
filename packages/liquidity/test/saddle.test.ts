/**
 * Pools of Saddle: the recorded pool of Hop on Linea, with its genuine code, and a model whose state can be chosen. The
 * math is that of curve-stable; its known answers from other implementations are in vectors/curve-stable-saddle.json.
 */
import { type Address, type DexRow, type Hex, loadRegistry, toAddress } from '@sluice/chains'
import { accounts, createBuilder, mineUpTo, readRecordings, replayBlock, request, startRecording } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { CurveStableState } from '../src/dexes/curve-stable/types.ts'
import { saddle } from '../src/dexes/saddle/index.ts'
import { familyOf, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { compareCapacities } from './fuzz/capacity.ts'
import { fuzz } from './fuzz/trials.ts'
import { type Ask, deal, EXECUTOR, type PoolWorld, standTrader, startLocal, TRADER, type World } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'

const TIMEOUT_MS = 180_000
const QUOTES = process.env.LONG ? 5_000 : 200
const LINEA = 59_144
/** A mined swap of WETH for hETH. */
const MINED = {
  block: 7_461_020,
  pool: toAddress('0x2935173357c010f8b56c8719a44f9fbdda90f67c'),
  tokens: [
    toAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'),
    toAddress('0xdc38c5af436b9652225f92c370a011c673fa7ba5'),
  ],
  amountIn: 0x7c2e1d2f9f000n,
  amountOut: 0x7c044863bc925n,
} as const

type PoolOnChain = Pick<PoolWorld, 'rpc' | 'request'> & {
  readonly row: DexRow
  readonly pair: readonly [Address, Address]
}

/** Reads the pool of a row as the market does. */
async function read({ rpc, request: ask, row, pair }: PoolOnChain) {
  const { hash } = await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const [pools] = await runReads(rpc, { blockHash: hash }, [saddle.findPools!(row, [pair])])
  const [states] = await runReads(rpc, { blockHash: hash }, [saddle.readStates(row, pools!)])
  return { hash, pools: pools!.map((pool, k) => ({ ...pool, state: states![k]! })) }
}

async function worldOf(onChain: PoolOnChain, name: string): Promise<PoolWorld> {
  let current = await read(onChain)
  return {
    ...{ name, rpc: onChain.rpc, request: onChain.request, trader: TRADER, executor: EXECUTOR, skipped: new Map() },
    pools: () => current.pools,
    blockHash: () => current.hash,
    sync: async () => {
      current = await read(onChain)
    },
    stop: async () => {},
  }
}

/** Returns the recorded pool at the end of the parent of the mined swap's block. */
async function recordedWorld(): Promise<PoolWorld> {
  const recording = readRecordings('linea').find(({ blocks }) => blocks.some(({ number }) => number === MINED.block))!
  const node = await startRecording(recording)
  onTestFinished(() => node.stop())
  for (const mined of recording.blocks.filter(({ number }) => number < MINED.block)) await replayBlock(node.url, mined)
  await mineUpTo(node.url, recording.blocks.find(({ number }) => number === MINED.block)!)
  const ask: Ask = (method, params = []) => request(node.url, method, params)
  const rpc = createRpc({ chainId: LINEA, urls: [node.url] })
  onTestFinished(() => rpc.close())
  const row = loadRegistry()
    .chain(LINEA)!
    .dexes.find(({ address }) => toAddress(address) === MINED.pool)!
  return worldOf({ rpc, request: ask, row: { ...row, address: MINED.pool }, pair: MINED.tokens }, 'Hop on Linea')
}

test('a recorded pool pays the quote of a mined swap', { timeout: TIMEOUT_MS }, async () => {
  const world = await recordedWorld()
  const [pool] = world.pools() as [Pool<CurveStableState>]
  expect(pool).toMatchObject({ id: MINED.pool, family: 'saddle', dex: 'Hop', tokens: MINED.tokens })
  expect(saddle.quoteExactInput(pool, ...MINED.tokens, MINED.amountIn).amountOut).toBe(MINED.amountOut)
  expect(saddle.parameterGas!(pool)).toBe(0)
})

test('a recorded pool pays each quote to the Executor, to the unit', { timeout: TIMEOUT_MS }, async () => {
  const world = await recordedWorld()
  // Linea's recorded blocks are of the london hard fork.
  await standTrader(world.request, 'ExecutorLondon')
  expect((await deal(world.request, MINED.tokens)).size).toBe(1 + MINED.tokens.length)
  await world.sync()
  const { exact, mismatches } = await fuzz(world, 'saddle', QUOTES, 61)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
})

let local: World
beforeAll(async () => {
  local = await startLocal()
}, 300_000)
afterAll(() => local?.stop())

/** Deploys a model with three tokens of 18, 6, and 8 decimals, and returns it with its world. */
async function modelWorld(adminFee: bigint) {
  const models = compileModels('Saddle.sol')
  const builder = createBuilder(local.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  const coins = []
  for (const decimals of [18, 6, 8]) coins.push(await builder.deploy(models.DecimalCoin as never, [decimals]))
  const tokens = coins.map(({ address }) => address)
  const model = await builder.deploy(models.SaddlePool as never, [tokens, 20_000n, 4_000_000n, adminFee])
  for (const [k, decimals] of [18n, 6n, 8n].entries())
    await coins[k]!.send('mint', [model.address, BigInt(900_000 + 100_000 * k) * 10n ** decimals])
  await model.send('sync', [])
  await deal(local.request, tokens)
  const row: DexRow = { family: 'saddle', brand: 'test', role: 'pool', address: model.address }
  const onChain = { rpc: local.rpc, request: local.request, row, pair: [tokens[2]!, tokens[0]!] as const }
  return {
    model,
    onChain,
    tokens,
    world: { ...(await worldOf(onChain, 'a model')), trader: local.trader, executor: local.executor },
  }
}

test('a pool of three tokens pays each quote, and takes no more than the stated maximum', async () => {
  const { world, tokens } = await modelWorld(5_000_000_000n)
  expect(world.pools()).toMatchObject([{ tokens, state: { feeE10: 4_000_000n, adminFeeE10: 5_000_000_000n } }])
  const { exact, mismatches } = await fuzz(world, 'saddle', QUOTES, 67)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
  const { mismatches: wrongLimits, ends, beyond, ownLimits } = await compareCapacities(world, 'saddle', 71)
  expect(wrongLimits).toEqual([])
  expect(ends + beyond + ownLimits).toBeGreaterThan(0)
})

/** Deploys a model whose last token, of 18 decimals, is a share of another pool. The first token has 6 decimals. */
async function shareWorld(adminFee: bigint, decimals: readonly number[] = [6, 18]) {
  const models = compileModels('Saddle.sol')
  const builder = createBuilder(local.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  const coins = []
  for (const places of decimals) coins.push(await builder.deploy(models.DecimalCoin as never, [places]))
  const tokens = coins.map(({ address }) => address) as [Address, Address]
  const base = await builder.deploy(models.SaddleBase as never)
  await base.send('set', [BASE_PRICE])
  const constructorArguments = [tokens, 20_000n, 4_000_000n, adminFee, base.address]
  const model = await builder.deploy(models.SaddleSharePool as never, constructorArguments)
  for (const [k, coin] of coins.entries())
    await coin.send('mint', [model.address, BigInt(900_000 - 200_000 * k) * 10n ** BigInt(decimals[k]!)])
  await model.send('sync', [])
  await deal(local.request, tokens)
  const row: DexRow = { family: 'saddle', brand: 'test', role: 'pool', address: model.address }
  const onChain = { rpc: local.rpc, request: local.request, row, pair: tokens }
  const world = { ...(await worldOf(onChain, 'shares')), trader: local.trader, executor: local.executor }
  const cachePrice = async (price: bigint, ageSeconds: bigint) => {
    const { timestamp } = await local.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    await model.send('cache', [price, BigInt(timestamp) - ageSeconds])
    await world.sync()
  }
  return { world, cachePrice, base, onChain }
}
/** Prices of a share: that of its pool, and an older one in the cache of the pool that trades it. */
const [BASE_PRICE, CACHED_PRICE] = [1_234_567_890_123_456_789n, 1_200_000_000_000_000_007n]
const HOUR_SECONDS = 3_600n

test.each([
  ['fresh', CACHED_PRICE, -HOUR_SECONDS, CACHED_PRICE],
  ['stale', CACHED_PRICE, HOUR_SECONDS, BASE_PRICE],
] as const)(
  'a pool that trades a share, with a %s price in its cache, pays each quote, to the unit',
  async (_age, cached, ageSeconds, price) => {
    const { world, cachePrice } = await shareWorld(5_000_000_000n)
    await cachePrice(cached, ageSeconds)
    expect(world.pools()).toMatchObject([{ state: { rates: [10n ** 30n, price], feeOrder: 'share' } }])
    const { exact, mismatches } = await fuzz(world, 'saddle', QUOTES, 73)
    expect(mismatches).toEqual([])
    expect(exact).toBeGreaterThan(QUOTES / 4)
    const { mismatches: wrongLimits } = await compareCapacities(world, 'saddle', 79)
    expect(wrongLimits).toEqual([])
  },
)

test('the price of a share is refreshed, because no log of the pool announces it', async () => {
  const { world, cachePrice, base, onChain } = await shareWorld(0n)
  await cachePrice(CACHED_PRICE, HOUR_SECONDS)
  const [pool] = world.pools() as [Pool<CurveStableState>]
  expect(saddle.parameterGas!(pool)).toBeGreaterThan(0)
  await base.send('set', [BASE_PRICE + 1n])
  const { pools } = await read(onChain)
  expect(pools).toMatchObject([{ state: { rates: [10n ** 30n, BASE_PRICE + 1n] } }])
})

test('a pool of three tokens, one of them a share, has no state, because its quotes leave out the share', async () => {
  const { world, cachePrice } = await shareWorld(0n, [6, 18, 18])
  await cachePrice(CACHED_PRICE, -HOUR_SECONDS)
  expect(world.pools()).toMatchObject([{ state: null }])
})

test('a pool is found for its tokens only', async () => {
  const { onChain, tokens } = await modelWorld(0n)
  const countPools = async (pair: readonly [Address, Address]) => (await read({ ...onChain, pair })).pools.length
  expect(await countPools([tokens[1]!, tokens[0]!])).toBe(1)
  expect(await countPools([tokens[1]!, local.chain.wrappedNative!.address])).toBe(0)
  expect((await read({ ...onChain, row: { ...onChain.row, address: TRADER } })).pools).toEqual([])
})

test('a paused pool, and one with other math, have no state', async () => {
  const { model, onChain } = await modelWorld(0n)
  const stateOf = async () => (await read(onChain)).pools[0]!.state
  await model.send('setPaused', [true])
  expect(await stateOf()).toBeNull()
  await model.send('setPaused', [false])
  expect(await stateOf()).not.toBeNull()
  await model.send('setBonus', [1n])
  expect(await stateOf()).toBeNull()
})

test('the amplification is refreshed while it ramps', async () => {
  const { model, onChain } = await modelWorld(0n)
  const end = 2n ** 40n
  await model.send('rampA', [40_000n, end])
  const [pool] = (await read(onChain)).pools as [Pool<CurveStableState>]
  expect(pool.state.ramping).toBe(true)
  expect(saddle.parameterGas!(pool)).toBeGreaterThan(0)
})

test('the twin samples all pairs of a pool with other math, by the step of the Executor', async () => {
  const { model, onChain, world } = await modelWorld(0n)
  await model.send('setBonus', [1n])
  const twin = familyOf('saddle-sampled')!
  const row = { ...onChain.row, family: twin.id }
  const [exactPool] = world.pools()
  const pool: Pool<null> = { ...exactPool!, family: twin.id, fixed: { exact: undefined }, state: null }
  const [fixed] = await runReads(local.rpc, 'latest', [twin.readFixed!(row, [pool], 0)])
  const [states] = await runReads(local.rpc, 'latest', [twin.readStates(row, [fixed![0]!])])
  const { samples } = states![0] as { samples: readonly (readonly (readonly [bigint, bigint])[])[] }
  // Two directions of each of three pairs.
  expect(samples.map((direction) => direction.length > 4)).toEqual(Array.from({ length: 6 }, () => true))
})
