/**
 * Reads, logs, quotes, and the program step of solidly-v3, against a model: a pool with the interface and storage layout of Solidly V3, and
 * with the libraries of Uniswap V3 that its authors kept. The license of its own code, and the lack of a package with it, keep it out of here.
 */
import { IExecutor__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Contract } from '@sluice/devnet'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solidlyV3 } from '../src/dexes/solidly-v3/index.ts'
import type { Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import type { ConcentratedState } from '../src/math/concentrated.ts'
import { MAX_TICK, sqrtRatioAtTick } from '../src/math/ticks.ts'
import { compareCapacities, makeRich } from './fuzz/capacity.ts'
import { type Node, startNode, worldOf } from './fuzz/deployed.ts'
import { fuzz, trade } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, TRADER } from './fuzz/world.ts'
import { compileUniswapV3Model } from './models/compile.ts'
import { type Random, random } from './random.ts'

const QUOTES = process.env.LONG ? 20_000 : 200
/** Initial fees in ppm with the tick spacings that the factory of Ethereum enables. */
const KINDS = [
  [100, 1],
  [500, 10],
  [3_000, 50],
  [10_000, 100],
] as const
/** The largest fee that a pool accepts, in ppm. */
const MAX_FEE_PPM = 100_000

const { SolidlyV3Pool, SolidlyV3Factory } = compileUniswapV3Model('SolidlyV3.sol')

const callbackInterface = new Interface(['function solidlyV3SwapCallback(int256, int256, bytes)'])

let node: Node
let world: PoolWorld
let row: DexRow
let tokens: readonly [Address, Address]
const contracts: Contract[] = []
const created: Pool<null>[] = []
/** Logs of the pools after their creation, with their states before and after. */
const steps: { readonly before: Pool<ConcentratedState>; readonly logs: readonly object[]; readonly after: unknown }[] =
  []

beforeAll(async () => {
  node = await startNode()
  await node.ask('anvil_impersonateAccount', [TRADER])
  const r = random(77)
  const factory = await node.builder.deploy(SolidlyV3Factory as never)
  row = { family: 'solidly-v3', brand: 'Solidly V3', role: 'factory', address: factory.address }
  const coins = [await node.coin([]), await node.coin([])]
  tokens = coins.map(({ address }) => address).sort() as [Address, Address]
  for (const [fee, spacing] of KINDS) {
    const { logs } = await factory.send('createPool', [...tokens, fee, spacing])
    const pool = solidlyV3.createdPool!(row, logs[0] as never)!
    for (const coin of coins) await coin.send('mint', [pool.address, 1n << 120n])
    const contract = node.builder.contractAt(SolidlyV3Pool!.abi as never, pool.address)
    const price = r.integer(100_000) - 50_000
    await contract.send('initialize', [sqrtRatioAtTick(price) + BigInt(r.integer(1_000_000))])
    created.push(pool)
    contracts.push(contract)
    for (const change of changes(r, price, spacing)) await record(pool, contract, change)
  }
  world = await worldOf(node, 'solidly-v3', row, created)
}, 120_000)
afterAll(() => world?.stop())

type Change = readonly [name: 'mint' | 'burn' | 'setFee', values: readonly (number | bigint)[]]

/** Positions near the price and over all prices, a part of one burned, nothing burned at ticks without liquidity, and fees. */
function changes(r: Random, price: number, spacing: number): readonly Change[] {
  const edge = Math.floor(MAX_TICK / spacing) * spacing
  const near = () => (Math.round(price / spacing) + r.integer(61) - 30) * spacing
  const positions = Array.from({ length: 5 }, () => {
    const lower = near()
    return [lower, lower + (1 + r.integer(80)) * spacing, r.amount(40, 70)] as const
  })
  const [[lower, upper, amount] = [0, 0, 0n]] = positions
  return [
    ...[...positions, [-edge, edge, r.amount(40, 60)] as const].map((position) => ['mint', position] as const),
    ['burn', [lower, upper, amount / 3n]],
    ['burn', [lower, upper, amount - amount / 3n]],
    ['burn', [lower + 1, upper + 7, 0n]],
    ['setFee', [r.pick([0, 1, 777, MAX_FEE_PPM])]],
  ]
}

async function read(pool: Pool<null>): Promise<ConcentratedState | null> {
  const { hash: blockHash } = await node.ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const [states] = await runReads(node.rpc, { blockHash }, [solidlyV3.readStates(row, [pool])])
  return states![0] as ConcentratedState | null
}

async function record(pool: Pool<null>, contract: Contract, [name, values]: Change): Promise<void> {
  const before = (await read(pool))!
  const { logs } = await contract.send(name, values)
  steps.push({ before: { ...pool, state: before }, logs, after: await read(pool) })
}

test('pools are found by tick spacing and by their creation log', async () => {
  const [pools] = await runReads(node.rpc, { blockHash: world.blockHash() }, [solidlyV3.findPools!(row, [tokens])])
  expect(pools).toEqual(created)
})

test('position and fee logs update a pool like another read', () => {
  expect(steps.length).toBe(KINDS.length * 10)
  for (const { before, logs, after } of steps) {
    expect(logs).toHaveLength(1)
    const [log] = logs as readonly { topics: readonly Hex[] }[]
    expect(solidlyV3.topics).toContain(log!.topics[0])
    expect(solidlyV3.applyLog(before, log as never)).toEqual(after)
  }
  expect(new Set(steps.map(({ before }) => before.state.feePpm))).toEqual(new Set(KINDS.map(([fee]) => fee)))
})

test('a swap log leaves the state of the quote', async () => {
  let swaps = 0
  for (const pool of world.pools() as readonly Pool<ConcentratedState>[]) {
    const amountIn = solidlyV3.reserves(pool)[0]! / 50n
    const { state } = solidlyV3.quoteExactInput(pool, ...tokens, amountIn)
    const snapshot = await node.ask<string>('evm_snapshot')
    await trade(world, pool, { tokenIn: tokens[0], tokenOut: tokens[1], amountIn })
    expect(await read({ ...pool, state: null })).toEqual(state)
    const [log] = await node.ask<readonly object[]>('eth_getLogs', [{ address: pool.address, fromBlock: 'latest' }])
    expect(solidlyV3.applyLog(pool, log as never)).toEqual(state)
    await node.ask('evm_revert', [snapshot])
    swaps++
  }
  expect(swaps).toBe(KINDS.length)
})

test('quotes equal the payments through the Executor, for any amount, with the same limits', async () => {
  const { exact, mismatches } = await fuzz(world, 'solidly-v3', QUOTES, 5)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
  await makeRich(world)
  const capacities = await compareCapacities(world, 'solidly-v3', 6)
  expect(capacities.mismatches).toEqual([])
  expect(capacities.ends).toBeGreaterThan(0)
}, 600_000)

test('a callback by the name of Solidly V3 is refused outside of a swap, from a pool and from anyone', async () => {
  const data = callbackInterface.encodeFunctionData('solidlyV3SwapCallback', [1n << 60n, 0n, '0x'])
  const refusal = IExecutor__factory.createInterface().getError('UnexpectedCallback')!.selector
  for (const from of [created[0]!.address, toAddress(`0x${'66'.repeat(20)}`)])
    await expect(node.ask('eth_call', [{ from, to: EXECUTOR, data }, 'latest'])).rejects.toThrow(refusal)
})
