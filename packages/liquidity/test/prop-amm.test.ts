/** Discovery, samples and the program step of prop-amm, against a model of a venue: no genuine one has its code in public. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { propAmm } from '../src/dexes/prop-amm/index.ts'
import type { PropAmmState } from '../src/dexes/prop-amm/types.ts'
import type { Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run } from './fuzz/trials.ts'
import { type Ask, EXECUTOR, PLENTY, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'
import { random } from './random.ts'

const SWAPS = 40
const [FIRST, SECOND] = [5_000n * 10n ** 18n, 20_000_000n * 10n ** 6n]
/** Samples are an octave apart, over which this venue's price falls by less than its share. */
const WORST = 0.05

let anvil: Anvil
let rpc: Rpc
let venue: Contract
let tokens: readonly [Address, Address]
const ask: Ask = (method, params = []) => request(anvil.url, method, params)
const head = async () => (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash
const row = (): DexRow => ({
  family: 'prop-amm',
  brand: 'Venue',
  role: 'venue',
  address: venue.address,
  measured: true,
})

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const { DecimalCoin, Venue } = compileModels('Venue.sol')
  venue = await builder.deploy(Venue as never)
  const coins = [await builder.deploy(DecimalCoin as never, [18]), await builder.deploy(DecimalCoin as never, [6])]
  for (const coin of coins) for (const holder of [TRADER, venue.address]) await coin.send('mint', [holder, PLENTY])
  await venue.send('list', [coins[0]!.address, coins[1]!.address, FIRST, SECOND])
  await standTrader(ask)
  tokens = coins.map(({ address }) => address).sort() as [Address, Address]
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

async function readPool(blockHash: Hex): Promise<Pool<PropAmmState>> {
  const block = { blockHash }
  const otherToken = toAddress(`0x${'ab'.repeat(20)}`)
  const pairs = [tokens, [otherToken, tokens[0]]] as const
  const [pools] = (await runReads(rpc, block, [propAmm.findPools!(row(), pairs)])) as [readonly Pool<null>[]]
  expect(pools.map((pool) => pool.tokens)).toEqual([tokens])
  const [[state]] = (await runReads(rpc, block, [propAmm.readStates(row(), pools)])) as [readonly PropAmmState[]]
  return { ...pools[0]!, state: state! }
}

test('the venue pays at least the quoted amount, and the step pays the venue', async () => {
  const hash = await head()
  const pool = await readPool(hash)
  const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => hash } as PoolWorld
  const r = random(7)
  let atSamples = 0
  for (let n = 0; n < SWAPS; n++) {
    const [i, j] = n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const samples = pool.state.samples[i]
    const sample = samples[r.integer(samples.length)]!
    const isSample = n % 4 < 2
    const amountIn = isSample ? sample[0] : (sample[0] * BigInt(500 + r.integer(500))) / 1000n
    const swap = { tokenIn: tokens[i], tokenOut: tokens[j], amountIn }
    const { amountOut } = propAmm.quoteExactInput(pool, swap.tokenIn, swap.tokenOut, amountIn)
    const [[outcome] = []] = await run(world, [{ pool, swaps: [swap] }])
    expect({ ok: outcome!.ok, left: outcome!.left }).toEqual({ ok: true, left: 0n })
    if (isSample) {
      expect(amountOut).toBe(outcome!.amountOut)
      atSamples++
    }
    expect(amountOut).toBeLessThanOrEqual(outcome!.amountOut)
    if (amountOut > 1000n) expect(Number(amountOut) / Number(outcome!.amountOut)).toBeGreaterThan(1 - WORST)
  }
  expect(atSamples).toBe(SWAPS / 2)
})

test('samples end at the limit of the venue; a closed venue has no quotes', async () => {
  const { state } = await readPool(await head())
  const inventories = await Promise.all(
    tokens.map(async (token) => BigInt(String(await venue.read('inventory', [token])))),
  )
  for (const i of [0, 1] as const) {
    const last = state.samples[i].at(-1)![0]
    expect(last).toBeLessThanOrEqual(inventories[i]! / 2n)
    expect(2n * last).toBeGreaterThan(inventories[i]! / 2n)
  }
  await venue.send('close', [true])
  const pool = await readPool(await head())
  expect(pool.state.samples).toEqual([[], []])
  expect(propAmm.reserves(pool)).toEqual([0n, 0n])
  expect(() => propAmm.quoteExactInput(pool, tokens[0], tokens[1], 10n ** 12n)).toThrow(
    expect.objectContaining({ code: 'PAUSED' }),
  )
  await venue.send('close', [false])
})
