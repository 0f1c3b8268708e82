/** A genuine market of Aave V3 whose index grows: random supplies and withdrawals, run by the Executor, to the unit. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import {
  type AaveMarket,
  type Anvil,
  accounts,
  type Contract,
  createBuilder,
  deployAaveMarket,
  request,
  startAnvil,
} from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aaveV3 } from '../src/dexes/aave-v3/index.ts'
import { type AaveV3State, balanceOf, scaledBurn, scaledMint } from '../src/dexes/aave-v3/math.ts'
import { type Pool, PoolRefusal } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { compareCapacities } from './fuzz/capacity.ts'
import { run, type Swap } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'
import { type Random, random } from './random.ts'

const QUOTES = process.env.LONG ? 100_000 : 240
const AT_ONCE = 40
/** Seconds between two rounds at most: over decades the treasury would be due more than the market holds. */
const MAX_SECONDS = Math.ceil((6_000_000 * 2 * AT_ONCE) / QUOTES)
const RAY = 10n ** 27n
const DECIMALS = 6
const WHOLE = 10n ** BigInt(DECIMALS)
const SUPPLIED = 10_000_000n * WHOLE
const VARIABLE = 2

let anvil: Anvil
let rpc: Rpc
let market: AaveMarket
let asset: Contract
let aToken: Contract
let pool: Pool<AaveV3State>
/** Scaled units of the trader. */
let scaledBalance: bigint

const ask = <T>(method: string, params: readonly unknown[] = []) => request<T>(anvil.url, method, params)
const row = (): DexRow => ({ family: 'aave-v3', brand: 'Aave V3', role: 'pool', address: market.pool.address })
const head = async () => (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash
const later = (seconds: number) => ask('evm_increaseTime', [seconds]).then(() => ask('evm_mine'))

/** Reads the reserve as the market does. */
async function read(): Promise<AaveV3State | null> {
  const block = { blockHash: await head() }
  const [pools] = await runReads(rpc, block, [aaveV3.findPools!(row(), [[asset.address, aToken.address]])])
  expect(pools).toHaveLength(1)
  const [states] = await runReads(rpc, block, [aaveV3.readStates(row(), pools!)])
  scaledBalance = await aToken.read('scaledBalanceOf', [TRADER])
  const state = states![0]!
  if (state) pool = { ...pools![0]!, state }
  return state
}

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const { Coin } = compileModels()
  asset = await builder.deploy(Coin as never)
  const security = await builder.deploy(Coin as never)
  market = await deployAaveMarket(builder)
  const both = [asset, security].map(({ address }) => ({ address, decimals: DECIMALS }))
  aToken = (await market.addReserves(both, 2n * RAY))[0]!
  await market.configurator.send('setReserveFactor', [asset.address, 1_000])
  await standTrader(ask)
  for (const holder of [builder.from, TRADER]) await asset.send('mint', [holder, 1n << 100n])
  await security.send('mint', [builder.from, 1n << 100n])
  for (const coin of [asset, security]) await coin.send('approve', [market.pool.address, 1n << 100n])
  await market.pool.send('supply', [security.address, 100n * SUPPLIED, builder.from, 0])
  await market.pool.send('supply', [asset.address, SUPPLIED, builder.from, 0])
  await market.pool.send('supply', [asset.address, SUPPLIED, TRADER, 0])
  // Less is left than the trader could withdraw.
  await market.pool.send('borrow', [asset.address, (SUPPLIED * 3n) / 2n, VARIABLE, 0, builder.from])
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

function swapOf(r: Random): Swap {
  const [tokenIn, tokenOut] = r.integer(2) ? pool.tokens : pool.tokens.toReversed()
  return { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: r.amount(1, 46) }
}

/** Growth of the trader's balance by what a swap pays, and scaled units after it; aTokens that it has may round with those that come. */
function paid({ tokenIn, tokenOut, amountIn }: Swap, state: AaveV3State, has: bigint) {
  const quote = aaveV3.quoteExactInput({ ...pool, state }, tokenIn, tokenOut, amountIn)
  if (tokenIn !== pool.tokens[0]) return { quote, amountOut: quote.amountOut, has: has - scaledBurn(state, amountIn) }
  const after = has + scaledMint(state, amountIn)
  return { quote, amountOut: balanceOf(state, after) - balanceOf(state, has), has: after }
}

test('random supplies and withdrawals pay the quoted amount while the index grows', async () => {
  const r = random(47)
  const world = async () => ({ rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => block }) as PoolWorld
  let block: Hex
  const count = { exact: 0, refused: 0 }
  const indices = new Set<bigint>()
  while (count.exact + count.refused < QUOTES) {
    await later(r.integer(MAX_SECONDS))
    block = await head()
    expect(await read()).not.toBeNull()
    indices.add(pool.state.income)
    const trials = Array.from({ length: AT_ONCE }, () => ({ pool, swaps: [swapOf(r), swapOf(r)] }))
    const outcomes = await run(await world(), trials)
    for (const [k, { swaps }] of trials.entries()) {
      let [state, has] = [pool.state, scaledBalance]
      for (const [step, swap] of swaps.entries()) {
        const { ok, amountOut, left: restAmount } = outcomes[k]![step]!
        const label = `${swap.amountIn} of ${pool.tokens.indexOf(swap.tokenIn)} at ${state.income}, step ${step}`
        // A sender with too small a balance fails before the market is called.
        if (swap.tokenIn === aToken.address && scaledBurn(state, swap.amountIn) > has) {
          expect(ok, label).toBe(false)
          break
        }
        try {
          const ours = paid(swap, state, has)
          expect({ ok, amountOut, restAmount }, label).toEqual({ ok: true, amountOut: ours.amountOut, restAmount: 0n })
          ;({ has } = ours)
          ;({ state } = ours.quote)
          count.exact++
        } catch (error) {
          if (!(error instanceof PoolRefusal)) throw error
          expect(ok && amountOut > 0n, `${label}: ${error.message}`).toBe(false)
          count.refused++
          break
        }
      }
    }
  }
  console.info(`${count.exact} exact, ${count.refused} refused by both`)
  expect(count.exact).toBeGreaterThan(QUOTES / 2)
  expect(count.refused).toBeGreaterThan(0)
  expect(indices.size).toBeGreaterThan(2)
}, 600_000)

/** Returns the output of one swap at the head; null if it reverts. */
async function pays(tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<bigint | null> {
  const block = await head()
  const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => block } as PoolWorld
  const [outcomes] = await run(world, [{ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }])
  const { ok, amountOut } = outcomes![0]!
  return ok ? amountOut : null
}

test('a supply cap is respected up to the accrued treasury fee', async () => {
  await later(86_400)
  const cap = (balanceOf(pool.state, pool.state.scaledSupply) / WHOLE) * 2n
  await market.configurator.send('setSupplyCap', [asset.address, cap])
  const state = (await read())!
  expect(state.cap).toBe(cap * WHOLE)
  const room = state.cap - balanceOf(state, state.scaledSupply + state.treasury)
  const [token, share] = pool.tokens as [Address, Address]
  expect(aaveV3.quoteExactInput(pool, token, share, room).amountOut).toBeGreaterThan(0n)
  expect(await pays(token, share, room)).not.toBeNull()
  expect(() => aaveV3.quoteExactInput(pool, token, share, room + 1n)).toThrow(PoolRefusal)
  // Nothing was due at all: the market was brought up to date in the block before.
  const slack = 10n + room / 10_000n
  expect(await pays(token, share, room + slack)).toBeNull()
  await market.configurator.send('setSupplyCap', [asset.address, 0])
})

test('supplies and withdrawals have the limits of the market', async () => {
  for (const isCapped of [false, true]) {
    const cap = isCapped ? (balanceOf(pool.state, pool.state.scaledSupply) / WHOLE) * 3n : 0n
    await market.configurator.send('setSupplyCap', [asset.address, cap])
    await later(60)
    await read()
    const block = await head()
    const world = {
      rpc,
      trader: TRADER,
      executor: EXECUTOR,
      blockHash: () => block,
      pools: (): readonly Pool[] => [pool],
    }
    const { mismatches, ends, ownLimits, beyond } = await compareCapacities(
      world as unknown as PoolWorld,
      'aave-v3',
      51,
    )
    expect(mismatches).toEqual([])
    expect({ ends, ownLimits, beyond }).toEqual(
      isCapped ? { ends: 1, ownLimits: 1, beyond: 0 } : { ends: 1, ownLimits: 0, beyond: 1 },
    )
  }
  await market.configurator.send('setSupplyCap', [asset.address, 0])
})

test('withdrawals are limited by the cash; a frozen reserve only pays out, a paused one does nothing', async () => {
  await later(3_600)
  const { cash } = (await read())!
  const [token, share] = pool.tokens as [Address, Address]
  expect(() => aaveV3.quoteExactInput(pool, share, token, cash + 2n)).toThrow(PoolRefusal)
  expect(await pays(share, token, cash + 2n)).toBeNull()
  await market.configurator.send('setReserveFreeze', [asset.address, true])
  expect(await read()).toMatchObject({ active: true, frozen: true })
  expect(() => aaveV3.quoteExactInput(pool, token, share, WHOLE)).toThrow(PoolRefusal)
  expect(await pays(token, share, WHOLE)).toBeNull()
  expect(await pays(share, token, WHOLE)).toBe(aaveV3.quoteExactInput(pool, share, token, WHOLE).amountOut)
  await market.configurator.send('setReservePause', [asset.address, true])
  expect(await read()).toMatchObject({ active: false })
  expect(() => aaveV3.quoteExactInput(pool, share, token, WHOLE)).toThrow(PoolRefusal)
  expect(await pays(share, token, WHOLE)).toBeNull()
})

test('only assets of a market are read from it', async () => {
  const block = { blockHash: await head() }
  const unlistedToken = toAddress(`0x${'5'.repeat(40)}`)
  const [pools] = await runReads(rpc, block, [aaveV3.findPools!(row(), [[asset.address, unlistedToken]])])
  expect(pools).toEqual([])
})
