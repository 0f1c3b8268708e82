/** Curve's lending AMMs: lens, discovery, and program step against a model, since npm has no bytecode of them. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { accounts, createBuilder } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SampledState } from '../src/dexes/common/sampled-state.ts'
import { curveLlamma } from '../src/dexes/curve-llamma/index.ts'
import { isTrustedPool, namedTrust, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run, trade } from './fuzz/trials.ts'
import { deal, startLocal, TRADER, type World } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'

const MODES = { honest: 0, 'a failing quote': 1, 'burnt gas': 2, 'one word': 3, 'a partial quote': 4 } as const
type ModeName = keyof typeof MODES
/** The version of each kind of factory, and its model. */
const FACTORIES = {
  crvUSD: ['mint-factory', 'LlammaMintFactory'],
  LlamaLend: ['lend-factory', 'LlammaLendFactory'],
  'LlamaLend V2': ['lend-factory', 'LlammaLendFactory2'],
} as const
/** Dollars of one unit of the collateral, with 18 decimals. */
const PRICE = 63_000n * 10n ** 18n

let world: World
let models: ReturnType<typeof compileModels>
let builder: ReturnType<typeof createBuilder>
let tokens: readonly [borrowed: Address, collateral: Address]
let oracle: { address: Address; send(name: string, args: readonly unknown[]): Promise<unknown> }
const amms = new Map<ModeName, Address>()

beforeAll(async () => {
  world = await startLocal()
  models = compileModels('Llamma.sol')
  builder = createBuilder(world.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  const borrowed = await builder.deploy(models.DecimalCoin as never, [18])
  const collateral = await builder.deploy(models.DecimalCoin as never, [8])
  oracle = await builder.deploy(models.LlammaOracle as never, [])
  await oracle.send('set', [PRICE])
  tokens = [borrowed.address, collateral.address]
  for (const [name, mode] of Object.entries(MODES)) {
    const amm = await builder.deploy(models.LlammaPool as never, [...tokens, oracle.address, mode])
    await borrowed.send('mint', [amm.address, 2_000_000n * 10n ** 18n])
    await collateral.send('mint', [amm.address, 40n * 10n ** 8n])
    await amm.send('sync', [])
    amms.set(name as ModeName, amm.address)
  }
  await deal(world.request, tokens)
}, 300_000)
afterAll(() => world?.stop())

const head = async () => (await world.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash

async function rowOf(brand: keyof typeof FACTORIES, list: readonly Address[]): Promise<DexRow> {
  const [version, model] = FACTORIES[brand]
  const { address } = await builder.deploy(models[model] as never, [list])
  return { family: 'curve-llamma', brand, role: 'factory', address, version }
}

async function findPools(row: DexRow, pair: readonly [Address, Address] = tokens): Promise<readonly Pool<null>[]> {
  const [pools] = await runReads(world.rpc, { blockHash: await head() }, [curveLlamma.findPools!(row, [pair])])
  return pools!
}

/** Returns the pool of a mode with its samples; null state if it has none. */
async function sampledPool(name: ModeName) {
  const row = await rowOf('crvUSD', [amms.get(name)!])
  const [pool] = await findPools(row)
  const blockHash = await head()
  const [states] = await runReads(world.rpc, { blockHash }, [curveLlamma.readStates(row, [pool!])])
  return { row, blockHash, pool: { ...pool!, state: states![0]! } }
}

/** Returns the payments of the Executor for inputs, each from the same state; null if the swap reverts. */
async function payments(pool: Pool<SampledState>, sold: 0 | 1, amounts: readonly bigint[], blockHash: Hex) {
  const [tokenIn, tokenOut] = [pool.tokens[sold]!, pool.tokens[1 - sold]!]
  const trials = amounts.map((amountIn) => ({ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }))
  const outcomes = await run({ ...world, blockHash: () => blockHash }, trials)
  return outcomes.map(([outcome]) => (outcome!.ok && outcome!.left === 0n ? outcome!.amountOut : null))
}

test.each(Object.keys(FACTORIES) as (keyof typeof FACTORIES)[])(
  'a factory of %s lists its pools, and markets without a pool are left out',
  async (brand) => {
    const honest = amms.get('honest')!
    const row = await rowOf(brand, [TRADER, honest])
    const isGoverned = brand === 'crvUSD'
    const pools = await findPools(row, [tokens[1], tokens[0]])
    const identity = { id: honest, family: 'curve-llamma', dex: brand, address: honest }
    expect(pools).toEqual([{ ...identity, tokens, fixed: { isGoverned }, state: null }])
    expect(await findPools(row, [tokens[0], TRADER])).toEqual([])
    // Anyone can create a market of LlamaLend, with any oracle.
    expect(isTrustedPool(pools[0]!, namedTrust(world.chain))).toBe(isGoverned)
  },
)

test('an address that is no factory lists nothing', async () => {
  expect(await findPools({ ...(await rowOf('crvUSD', [])), address: TRADER })).toEqual([])
})

test('samples equal payments to the Executor, to the unit', async () => {
  const { pool, blockHash } = await sampledPool('honest')
  for (const sold of [0, 1] as const) {
    const samples = pool.state.samples[sold]!
    expect(samples.length).toBeGreaterThan(8)
    const amounts = samples.map(([amountIn]) => amountIn)
    expect(await payments(pool, sold, amounts, blockHash)).toEqual(samples.map(([, amountOut]) => amountOut))
  }
})

test('an input that the pool would take in part is refused, by the samples and by the Executor', async () => {
  const { pool, blockHash } = await sampledPool('honest')
  for (const sold of [0, 1] as const) {
    const [tokenIn, tokenOut] = [pool.tokens[sold]!, pool.tokens[1 - sold]!]
    const max = curveLlamma.maxInput(pool, tokenIn, tokenOut)!
    // The largest sample is within a factor of the end of the pool.
    expect(await payments(pool, sold, [max, 64n * max], blockHash)).toEqual([expect.any(BigInt), null])
    expect(() => curveLlamma.quoteExactInput(pool, tokenIn, tokenOut, 64n * max)).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    )
  }
})

test('new samples follow the oracle without a log, and a swap changes the stamp', async () => {
  const { row, pool } = await sampledPool('honest')
  const refresh = async () => {
    const reads = curveLlamma.refreshStates!(row, [pool], {} as never)
    const [states] = await runReads(world.rpc, { blockHash: await head() }, [reads])
    return states![0]!
  }
  const amountIn = 10n ** 6n
  const quoteIn = (state: SampledState) =>
    curveLlamma.quoteExactInput({ ...pool, state }, tokens[1], tokens[0], amountIn).amountOut
  await oracle.send('set', [2n * PRICE])
  const moved = await refresh()
  await oracle.send('set', [PRICE])
  expect(Number(quoteIn(moved)) / Number(quoteIn(pool.state))).toBeGreaterThan(1.5)
  const { stampOf } = curveLlamma.sampled!
  expect(stampOf({ ...pool, state: moved })).toBe(stampOf(pool))
  await trade(world, pool, { tokenIn: tokens[1], tokenOut: tokens[0], amountIn })
  expect(stampOf({ ...pool, state: await refresh() })).not.toBe(stampOf(pool))
})

test.each(['a failing quote', 'burnt gas', 'one word', 'a partial quote'] as const)(
  'a pool with %s has no samples',
  async (name) => expect((await sampledPool(name)).pool.state).toBeNull(),
)
