/**
 * Algebra Integral with the protocol's own default plugin, whose fee follows the volatility: the fee that is read is what
 * swaps pay, in calm and in volatile times.
 */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { accounts, createBuilder, loadHardhatArtifact } from '@sluice/devnet'
import type { Log } from '@sluice/rpc'
import { MaxUint256, ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feeFromPayment, feeProbeFor } from '../src/dexes/algebra-integral/fee.ts'
import type { AlgebraIntegralState } from '../src/dexes/algebra-integral/types.ts'
import { familyOf, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { sqrtRatioAtTick } from '../src/math/ticks.ts'
import { fuzz, stir } from './fuzz/trials.ts'
import { startLocal, type World, word } from './fuzz/world.ts'
import { random } from './random.ts'

const QUOTES = process.env.LONG ? 50_000 : 300
const FAMILY = 'algebra-integral'
/** Swaps that move the price back and forth, with minutes between them. */
const WAVES = 12

let world: World
beforeAll(async () => {
  world = await startLocal()
})
afterAll(() => world?.stop())

type DynamicPool = Pool<AlgebraIntegralState>
const dynamicPools = () =>
  world
    .pools()
    .filter((pool) => pool.family === FAMILY && (pool.state as AlgebraIntegralState).pluginFees) as DynamicPool[]
const only = () => ({ ...world, pools: dynamicPools })
const feesOf = () => new Map(dynamicPools().map(({ id, state }) => [id, state.pluginFees![0]]))

/** Lets time pass in steps, without a trade. */
async function pass(seconds: number): Promise<void> {
  await world.request('evm_increaseTime', [seconds])
  await world.request('evm_mine')
  await world.sync()
}

test('pools with the default plugin are found, and pools without a plugin have no plugin fees', () => {
  expect(dynamicPools().length).toBe(2)
  const plain = world
    .pools()
    .filter(({ family, state }) => family === FAMILY && !(state as AlgebraIntegralState).pluginFees)
  expect(plain.length).toBe(3)
})

test('the gas of a hop includes the timepoint that the plugin writes', () => {
  const writesOf = (pool: Pool) =>
    familyOf(FAMILY)!.quoteExactInput(pool, pool.tokens[0]!, pool.tokens[1]!, 10n ** 9n).writtenSlots ?? []
  for (const pool of world.pools().filter(({ family }) => family === FAMILY))
    expect(writesOf(pool).includes('oracle')).toBe((pool.state as AlgebraIntegralState).pluginFees !== undefined)
})

test('with low volatility, quotes equal payments to the Executor, for any amount', async () => {
  await pass(86_400)
  const { exact, mismatches } = await fuzz(only(), FAMILY, QUOTES, 71)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
})

test('with high volatility, the fee rises, and quotes equal payments to the Executor', async () => {
  const before = feesOf()
  for (let wave = 0; wave < WAVES; wave++) await stir(only(), 200 + wave)
  const after = feesOf()
  expect([...after].some(([id, fee]) => fee > before.get(id)!)).toBe(true)
  // What the pool remembers is the fee of its last swap.
  expect(dynamicPools().some(({ state }) => state.pluginFees![0] !== state.feePpm)).toBe(true)
  const { exact, mismatches } = await fuzz(only(), FAMILY, QUOTES, 72)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
})

test('the fee changes with time without a log', async () => {
  const before = feesOf()
  const hasMoved = () => [...feesOf()].some(([id, fee]) => fee !== before.get(id)!)
  for (let hour = 0; hour < 24 && !hasMoved(); hour++) await pass(3_600)
  expect(hasMoved()).toBe(true)
  expect((await fuzz(only(), FAMILY, QUOTES / 3, 73)).mismatches).toEqual([])
})

test('a disabled plugin leaves the last fee', async () => {
  const [pool] = dynamicPools()
  const row = world.chain.dexes.find(({ family }) => family === FAMILY)!
  const factory = world.request<Hex>('eth_call', [{ to: row.address, data: '0x8da5cb5b' }, 'latest'])
  const owner = toAddress(`0x${(await factory).slice(-40)}`)
  await world.request('anvil_impersonateAccount', [owner])
  await world.request('anvil_setBalance', [owner, '0xde0b6b3a7640000'])
  // setPluginConfig(uint8)
  const data = `0xbca57f81${'0'.repeat(64)}`
  const { status } = await world.request<{ status: Hex }>('eth_sendTransactionSync', [
    { from: owner, to: pool!.address, data },
  ])
  expect(status).toBe('0x1')
  await world.sync()
  const after = world.market.snapshot().pools.get(pool!.id)!.state as AlgebraIntegralState
  expect(after.pluginFees).toBeUndefined()
  const silent = { ...world, pools: () => world.pools().filter(({ id }) => id === pool!.id) }
  expect((await fuzz(silent, FAMILY, 40, 74)).mismatches).toEqual([])
})

test('pools of custom deployers are found only if the row names the deployer', async () => {
  const row = world.chain.dexes.find(({ family }) => family === FAMILY)!
  const [token0, token1] = world.pools().find(({ family }) => family === FAMILY)!.tokens as [Address, Address]
  const deployer = toAddress(`0x${'d1'.repeat(20)}`)
  const answer = await world.request<Hex>('eth_call', [{ to: row.address, data: '0x8da5cb5b' }, 'latest'])
  const owner = toAddress(`0x${answer.slice(-40)}`)
  await world.request('anvil_impersonateAccount', [owner])
  await world.request('anvil_setBalance', [owner, '0xde0b6b3a7640000'])
  const builder = createBuilder(world.chain.rpcUrls[0]!, owner)
  const factoryAbi = loadHardhatArtifact('@cryptoalgebra/integral-core', 'AlgebraFactory').abi
  const entry = await builder.deploy(
    loadHardhatArtifact('@cryptoalgebra/integral-periphery', 'AlgebraCustomPoolEntryPoint'),
    [row.address],
  )
  const factory = builder.contractAt(factoryAbi, row.address)
  await factory.send('grantRole', [await factory.read('CUSTOM_POOL_DEPLOYER'), entry.address])
  // Answers every call with zero: a deployer that gives its pools no plugin.
  await world.request('anvil_setCode', [deployer, '0x5f5f5260205ff3'])
  await world.request('anvil_impersonateAccount', [deployer])
  await world.request('anvil_setBalance', [deployer, '0xde0b6b3a7640000'])
  const create = entry.abi.encodeFunctionData('createCustomPool', [deployer, deployer, token0, token1, '0x'])
  const sent = { from: deployer, to: entry.address, data: create, gas: '0x989680' }
  const { status, logs } = await world.request<{ status: Hex; logs: Log[] }>('eth_sendTransactionSync', [sent])
  expect(status).toBe('0x1')
  const expected = toAddress(await factory.read<string>('customPoolByPair', [deployer, token0, token1]))
  const named = { ...row, contracts: { ...row.contracts, customDeployer1: deployer } }
  const family = familyOf(FAMILY)!
  const head = await world.rpc.getBlock('latest')
  const find = (of: DexRow) =>
    runReads(world.rpc, { blockHash: head!.hash }, [family.findPools!(of, [[token0, token1]])])
  expect((await find(named))[0]!.map(({ id }) => id)).toContain(expected)
  expect((await find(row))[0]!.map(({ id }) => id)).not.toContain(expected)
  const ofFactory = logs.filter(({ address }) => address === row.address)
  const created = (of: DexRow) =>
    ofFactory.flatMap((log) =>
      family.creationTopics!.includes(log.topics[0]!) ? (family.createdPool!(of, log) ?? []) : [],
    )
  // The factory announces the pool twice: as any of its own, and as that of the deployer.
  expect(new Set(created(named).map(({ id }) => id))).toEqual(new Set([expected]))
  const proven = async (of: DexRow) => {
    const reads = family.readFixed!(of, created(of).slice(0, 1), head!.number)
    const [pools] = await runReads(world.rpc, { blockHash: head!.hash }, [reads])
    return pools!.flatMap((pool) => pool?.id ?? [])
  }
  expect(await proven(named)).toEqual([expected])
  expect(await proven(row)).toEqual([])
})

test('a pool whose price is in a gap of its liquidity has the fee of the plugin', async () => {
  const row = world.chain.dexes.find(({ family }) => family === FAMILY)!
  const from = toAddress(accounts()[0]!.address)
  const builder = createBuilder(world.chain.rpcUrls[0]!, from)
  const [token0, token1] = ['AAVE', 'CRV']
    .map((name) => world.chain.tokens.find(({ symbol }) => symbol === name)!.address)
    .sort() as [Address, Address]
  const manager = await builder.deploy(
    loadHardhatArtifact('@cryptoalgebra/integral-periphery', 'NonfungiblePositionManager'),
    [row.address, world.chain.wrappedNative!.address, ZeroAddress, row.contracts!.poolDeployer],
  )
  const pair = { token0, token1, deployer: ZeroAddress }
  await manager.send('createAndInitializePoolIfNecessary', [...Object.values(pair), sqrtRatioAtTick(0), '0x'])
  for (const token of [token0, token1]) {
    await world.request('anvil_dealERC20', [from, token, word(10n ** 24n)])
    await builder
      .contractAt(['function approve(address,uint256)'], token)
      .send('approve', [manager.address, MaxUint256])
  }
  const mint = (tickLower: number, tickUpper: number) => {
    const amounts = { amount0Desired: 10n ** 20n, amount1Desired: 10n ** 20n, amount0Min: 0n, amount1Min: 0n }
    const range = { tickLower, tickUpper, recipient: from, deadline: 1n << 40n }
    return manager.send('mint', [{ ...pair, ...amounts, ...range }])
  }
  const silent = () => ({ ...world, pools: () => world.pools().filter(({ id }) => id === pool) })
  const factory = builder.contractAt(['function poolByPair(address,address) view returns (address)'], row.address)
  const pool = toAddress(await factory.read<string>('poolByPair', [token0, token1]))
  const feesNow = () => (world.market.snapshot().pools.get(pool)!.state as AlgebraIntegralState).pluginFees
  // At first, only one direction has liquidity.
  await mint(600, 1_200)
  await world.market.ensure([token0, token1])
  await pass(60)
  expect(feesNow()).toEqual([100, 100])
  expect((await fuzz(silent(), FAMILY, 40, 75)).mismatches).toEqual([])
  await mint(-1_200, -600)
  await pass(60)
  expect(feesNow()).toEqual([100, 100])
  const { exact, mismatches } = await fuzz(silent(), FAMILY, 40, 76)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(0)
})

test('every fee is recovered from the resulting input, at any price and depth', () => {
  const r = random(9)
  for (let k = 0; k < 20_000; k++) {
    const tick = r.integer(800_000) - 400_000
    const liquidity = r.amount(30, 100)
    const state = {
      tick,
      sqrtPriceX96: sqrtRatioAtTick(tick) + BigInt(r.integer(1_000)),
      liquidity,
      ticks: [
        [tick - 60, liquidity, liquidity],
        [tick + 60, -liquidity, liquidity],
      ] as const,
    }
    const probe = feeProbeFor(state, r.integer(2) === 0)!
    const fee = BigInt(r.integer(65_536))
    // Below two million units several fees lead to the same input.
    if (probe.netInput < 2_000_000n) continue
    const paid = probe.netInput + (probe.netInput * fee + (1_000_000n - fee) - 1n) / (1_000_000n - fee)
    expect(feeFromPayment(probe, paid)).toBe(Number(fee))
  }
})

test('a price at an initialized tick is probed in the range that the swap enters', () => {
  const at = (tick: number, price: number) => ({
    tick,
    sqrtPriceX96: sqrtRatioAtTick(price),
    liquidity: 5n,
    ticks: [
      [-60, 7n, 7n],
      [0, 5n, 5n],
      [60, -12n, 12n],
    ] as const,
  })
  const down = feeProbeFor(
    {
      ...at(0, 0),
      liquidity: 12n * 10n ** 18n,
      ticks: at(0, 0).ticks.map(([i, n, g]) => [i, n * 10n ** 18n, g] as const),
    },
    true,
  )!
  expect(down.limitSqrtPrice).toBe((sqrtRatioAtTick(0) + sqrtRatioAtTick(-60)) / 2n)
  const up = feeProbeFor(
    {
      ...at(-1, 0),
      liquidity: 7n * 10n ** 18n,
      ticks: at(-1, 0).ticks.map(([i, n, g]) => [i, n * 10n ** 18n, g] as const),
    },
    false,
  )!
  expect(up.limitSqrtPrice).toBe((sqrtRatioAtTick(0) + sqrtRatioAtTick(60)) / 2n)
  expect(feeProbeFor({ ...at(0, 0), liquidity: 0n, ticks: [] }, true)).toBeNull()
})

test('inputs that no fee explains are refused', () => {
  expect(feeFromPayment({ limitSqrtPrice: 1n, netInput: 10n ** 12n }, 10n ** 12n - 1n)).toBeNull()
  expect(feeFromPayment({ limitSqrtPrice: 1n, netInput: 10n ** 12n }, 0n)).toBeNull()
  expect(feeFromPayment({ limitSqrtPrice: 1n, netInput: 10n ** 12n }, 10n ** 12n + 1n)).toBeNull()
  expect(feeFromPayment({ limitSqrtPrice: 1n, netInput: 10n ** 12n }, 10n ** 12n)).toBe(0)
})

test('a second swap of a route pays the same fee', () => {
  const [pool] = dynamicPools()
  if (!pool) return
  const [tokenIn, tokenOut] = [pool.tokens[0]!, pool.tokens[1]!]
  const { state } = familyOf(FAMILY)!.quoteExactInput(pool, tokenIn, tokenOut, 10n ** 12n)
  expect((state as AlgebraIntegralState).pluginFees).toEqual(pool.state.pluginFees)
})
