/**
 * Sampled twins: against the exact math of the same pools, which a twin does not know; against payments of pools whose
 * math is unknown; and in a market, which hands pools over and back.
 */
import { type Address, type DexRow, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accounts, type Builder, type Contract, compileSources, createBuilder } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { directionBetween, type SampledState } from '../src/dexes/common/sampled-state.ts'
import { toTwin } from '../src/dexes/common/sampled-twin.ts'
import { twinIdOf } from '../src/dexes/common/twin-id.ts'
import { nullIfRefused, type Pool } from '../src/family.ts'
import { families, familyOf, isTrustedPool, namedTrust, servedRows } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { runReads } from '../src/market/reads.ts'
import { emptyCurve } from '../src/math/curves.ts'
import type { Snapshot } from '../src/snapshot.ts'
import { run } from './fuzz/trials.ts'
import { deal, type PoolWorld, startLocal, type World } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'

/** Balance of the pools of this test in each token. */
const DEPTH = 1n << 70n

let world: World
let builder: Builder
let models: ReturnType<typeof compileModels>
let vault: Contract
let trader: Contract
let coins: readonly [Contract, Contract, Contract]
let rows: readonly DexRow[]

beforeAll(async () => {
  world = await startLocal()
  rows = servedRows(world.chain, new Map(families.map((family) => [family.id, family])))
  builder = createBuilder(world.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  models = compileModels('Twins.sol')
  const vaultAddress = rows.find(({ family }) => family === 'balancer-v3')!.address
  vault = builder.contractAt(
    [
      'function registerPool(address,(address,uint8,address,bool)[],uint256,uint32,bool,(address,address,address),address,(bool,bool,bool,bool))',
    ],
    vaultAddress,
  )
  trader = await builder.deploy(compileSources().BalancerV3Trader!, [vaultAddress])
  const deployed: Contract[] = []
  for (const decimals of [18, 6, 18]) deployed.push(await builder.deploy(models.DecimalCoin as never, [decimals]))
  coins = deployed.sort((a, b) => (a.address < b.address ? -1 : 1)) as never
  for (const coin of coins) {
    await coin.send('mint', [builder.from, DEPTH << 8n])
    await coin.send('approve', [trader.address, DEPTH << 8n])
  }
  await deal(
    world.request,
    coins.map(({ address }) => address),
  )
}, 300_000)
afterAll(() => world?.stop())

const twinRowOf = (family: string) => rows.find((row) => row.family === twinIdOf(family))!

/** Samples a pool of an exact family as one of its twin; null without samples. */
async function sampledOf(row: DexRow, pool: Pool): Promise<Pool<SampledState> | null> {
  const twin = familyOf(row.family)!
  const at = { blockHash: world.blockHash() }
  const bare = toTwin(row, { ...pool, state: null })!
  const [fixedPools] = await runReads(world.rpc, at, [twin.readFixed!(row, [bare], 0)])
  const fixedPool = fixedPools![0]
  if (!fixedPool) return null
  const [states] = await runReads(world.rpc, at, [twin.readStates(row, [fixedPool])])
  return states![0] ? { ...fixedPool, state: states![0] as SampledState } : null
}

/** Returns the samples of every direction of a pool with the tokens of the direction. */
const directionsOf = ({ tokens, state }: Pool<SampledState>) =>
  tokens.flatMap((tokenIn, i) =>
    tokens.flatMap((tokenOut, j) =>
      i === j ? [] : [{ tokenIn, tokenOut, samples: state.samples[directionBetween(i, j, tokens.length)]! }],
    ),
  )

/** Expects that the Executor is paid every sample, to the unit. @returns the number of samples */
async function expectPaid(pool: Pool<SampledState>, at: PoolWorld = world): Promise<number> {
  const trials = directionsOf(pool).flatMap(({ samples, tokenIn, tokenOut }) =>
    samples.map(([amountIn, amountOut]) => ({ pool, swaps: [{ tokenIn, tokenOut, amountIn }], amountOut })),
  )
  const outcomes = await run(at, trials)
  expect(outcomes.map(([outcome]) => (outcome!.ok ? outcome!.amountOut : null))).toEqual(
    trials.map(({ amountOut }) => amountOut),
  )
  return trials.length
}

test('samples equal the quotes of the exact family', async () => {
  const samplesByFamily = new Map<string, number>()
  for (const pool of world.pools()) {
    const row = twinRowOf(pool.family)
    if (!row || pool.tokens.length > 4) continue
    const sampled = await sampledOf(row, pool)
    expect(sampled, pool.id).not.toBeNull()
    for (const { samples, tokenIn, tokenOut } of directionsOf(sampled!)) {
      for (const [amountIn, amountOut] of samples) {
        const quote = nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn))
        expect(quote?.amountOut, `${pool.id} ${amountIn}`).toBe(amountOut)
      }
      const key = `${pool.family} ${pool.tokens.length}`
      samplesByFamily.set(key, (samplesByFamily.get(key) ?? 0) + samples.length)
    }
  }
  expect([...samplesByFamily.keys()].sort()).toEqual([
    ...['balancer-v2 2', 'balancer-v2 3', 'balancer-v2 4'],
    ...['balancer-v3 2', 'balancer-v3 3', 'curve-stable 4', 'erc4626 2'],
  ])
  for (const [family, count] of samplesByFamily) expect(count, family).toBeGreaterThan(30)
}, 120_000)

test('a vault that keeps a fee is sampled in both directions', async () => {
  const [asset] = coins
  const share = await builder.deploy(models.FeeVault as never, [asset.address])
  await asset.send('approve', [share.address, DEPTH])
  await share.send('deposit', [DEPTH, builder.from])
  await deal(world.request, [share.address])
  await world.request('evm_mine')
  await world.sync()
  const { id, readFixed, readStates } = familyOf('erc4626')!
  const row: DexRow = { family: id, brand: 'fee', role: 'vault', address: share.address }
  const tokens = [asset.address, share.address]
  const bare: Pool<null> = { id: share.address, family: id, dex: 'fee', address: share.address, tokens, state: null }
  const at = { blockHash: world.blockHash() }
  const [fixedPools] = await runReads(world.rpc, at, [readFixed!(row, [bare], 0)])
  expect(await runReads(world.rpc, at, [readStates(row, [fixedPools![0]!])])).toEqual([[null]])
  const sampled = await sampledOf({ ...row, family: twinIdOf(id) }, fixedPools![0]!)
  const [deposits, redemptions] = sampled!.state.samples
  for (const [amountIn, amountOut] of deposits.slice(-5)) expect(Number(amountOut) / Number(amountIn)).toBeCloseTo(1, 6)
  for (const [amountIn, amountOut] of redemptions.slice(-5))
    expect(Number(amountOut) / Number(amountIn)).toBeCloseTo(0.997, 6)
  expect(await expectPaid(sampled!)).toBeGreaterThan(20)
})

test('a pool of the native token with unknown math is found by its wrapper, and sampled', async () => {
  const [, coin] = coins
  const ether = 1n << 60n
  const eth = await builder.deploy(models.EthPool as never, [coin.address])
  await world.request('anvil_setBalance', [eth.address, `0x${ether.toString(16)}`])
  await coin.send('mint', [eth.address, ether])
  const factory = await builder.deploy(models.CurveFactory as never, [eth.address, NATIVE, coin.address, 0])
  const { pools, block } = await discoverCurvePools(factory.address, [coin.address, world.chain.wrappedNative!.address])
  const pool = pools.get(eth.address) as Pool<SampledState>
  expect(pool).toMatchObject({ family: 'curve-stable-sampled', tokens: [ZERO_ADDRESS, coin.address] })
  expect(await expectPaid(pool, { ...world, blockHash: () => block.hash })).toBeGreaterThan(20)
})

test('a pool of Curve that counts its coins in signed integers is found, and sampled', async () => {
  const addresses = coins.map(({ address }) => address)
  const signedPool = await builder.deploy(models.SignedPool as never, [addresses])
  for (const coin of coins) await coin.send('mint', [signedPool.address, 1n << 60n])
  const factory = await builder.deploy(models.CurveFactory as never, [signedPool.address, ...addresses.slice(0, 2), 0])
  const { pools, block } = await discoverCurvePools(factory.address, addresses.slice(0, 2))
  const pool = pools.get(signedPool.address) as Pool<SampledState>
  expect(pool).toMatchObject({ family: 'curve-stable-sampled', tokens: addresses })
  expect(await expectPaid(pool, { ...world, blockHash: () => block.hash })).toBeGreaterThan(60)
})

test('a pool of Curve is found after others of its pair', async () => {
  const [coin0, coin1] = coins.map(({ address }) => address)
  const signedPool = await builder.deploy(models.SignedPool as never, [coins.map(({ address }) => address)])
  for (const coin of coins) await coin.send('mint', [signedPool.address, 1n << 60n])
  const find = async (index: number) => {
    const factory = await builder.deploy(models.CurveFactory as never, [signedPool.address, coin0, coin1, index])
    const row: DexRow = { family: 'curve-stable', brand: 'test', role: 'factory', address: factory.address }
    const { hash } = (await world.request('eth_getBlockByNumber', ['latest', false])) as { hash: Hex }
    const [pools] = await runReads(world.rpc, { blockHash: hash }, [
      familyOf('curve-stable')!.findPools!(row, [[coin0!, coin1!]]),
    ])
    return pools!.map(({ id }) => id)
  }
  for (const index of [0, 15, 16, 1_000]) expect(await find(index)).toEqual([signedPool.address])
})

/** Registers a pool of the first coins in the genuine vault of Balancer V3. @returns its id */
async function addToVault(pool: Contract, hook: Address, coinCount = 2): Promise<string> {
  const poolCoins = coins.slice(0, coinCount)
  const config = poolCoins.map(({ address }) => [address, 0, ZERO_ADDRESS, false])
  const roles = [ZERO_ADDRESS, ZERO_ADDRESS, ZERO_ADDRESS]
  // The vault requires proportional liquidity of a pool whose hook changes amounts.
  await vault.send('registerPool', [pool.address, config, 0, 0, false, roles, hook, [true, false, false, false]])
  await trader.send('initialize', [pool.address, poolCoins.map(({ address }) => address), poolCoins.map(() => DEPTH)])
  return pool.address
}

/** Names of pools with unknown math, by what is unknown. */
const HOOKS = { share: 0, refusing: 1, burning: 2, twoFaced: 3 } as const
const poolIds = new Map<string, string>()

describe('in a market', () => {
  beforeAll(async () => {
    for (const [name, mode] of Object.entries(HOOKS)) {
      const hook = await builder.deploy(models.SwapHook as never, [mode])
      poolIds.set(name, await addToVault(await builder.deploy(models.SumPool as never), hook.address))
    }
    poolIds.set('type', await addToVault(await builder.deploy(models.SumPool as never), ZERO_ADDRESS))
    poolIds.set('three', await addToVault(await builder.deploy(models.SumPool as never), ZERO_ADDRESS, 3))
    await world.sync()
    await world.market.ensure(coins.map(({ address }) => address))
    // A few pools are sampled for the first time at each block.
    for (let block = 0; block < 8; block++) {
      await world.request('evm_mine')
      await world.sync()
    }
  }, 120_000)
  const poolOf = (name: string) => world.market.snapshot().pools.get(poolIds.get(name)!) as Pool<SampledState>

  test.each(['share', 'type', 'twoFaced'])(
    'a pool with unknown %s is sampled by the twin of its family',
    async (name) => {
      const pool = poolOf(name)
      expect(pool).toMatchObject({ family: 'balancer-v3-sampled', dex: 'Balancer V3 sampled' })
      expect(await expectPaid(pool)).toBeGreaterThan(15)
    },
  )

  test('a pool of three tokens with unknown math is sampled in its six directions', async () => {
    const pool = poolOf('three')
    expect(pool).toMatchObject({ family: 'balancer-v3-sampled', tokens: coins.map(({ address }) => address) })
    for (const { samples } of directionsOf(pool)) expect(samples.length).toBeGreaterThan(8)
    expect(await expectPaid(pool)).toBeGreaterThan(50)
    const { quoteExactInput, maxInput, priceCurve, reserves } = familyOf(pool.family)!
    const [first, second, third] = pool.tokens as [Address, Address, Address]
    const { state } = quoteExactInput(pool, first, second, 1n << 40n) as { state: SampledState }
    const sold = { ...pool, state }
    // After a swap, only the direction of the swap has a known price.
    expect(maxInput(sold, first, second)).toBe(maxInput(pool, first, second)! - (1n << 40n))
    for (const [tokenIn, tokenOut] of [
      [second, first],
      [first, third],
      [third, second],
    ] as const) {
      expect(maxInput(sold, tokenIn, tokenOut)).toBe(0n)
      expect(priceCurve(sold, tokenIn, tokenOut)).toEqual(emptyCurve(1))
      expect(nullIfRefused(() => quoteExactInput(sold, tokenIn, tokenOut, 1n << 40n))).toBeNull()
    }
    // The largest sample is a power of two, so it can leave half of a balance.
    for (const reserve of reserves(pool)) expect(Number(reserve) / Number(DEPTH)).toBeGreaterThan(0.2)
  })

  test('a refinement samples only the pair of the route', async () => {
    const pool = poolOf('three')
    const [, second, third] = pool.tokens as [Address, Address, Address]
    const { sampled } = familyOf(pool.family)!
    const swap = {
      tokenIn: third,
      tokenOut: second,
      amountIn: (pool.state.samples[directionBetween(2, 1, 3)]!.at(-4)![0] * 13n) / 10n,
    }
    expect(sampled!.isSampledAt(pool, swap)).toBe(false)
    const [state] = await runReads(world.rpc, { blockHash: world.blockHash() }, [
      sampled!.refine(twinRowOf('balancer-v3'), pool, [swap]),
    ])
    const refined = { ...pool, state: state as SampledState }
    expect(sampled!.isSampledAt(refined, swap)).toBe(true)
    const [pairSamples, ...otherSamples] = [
      directionBetween(2, 1, 3),
      ...[0, 1, 2, 3, 4].filter((k) => k !== directionBetween(2, 1, 3)),
    ].map((direction) => [pool.state.samples[direction]!, refined.state.samples[direction]!] as const)
    expect(pairSamples![1].length).toBe(pairSamples![0].length + 3)
    for (const [before, after] of otherSamples) expect(after).toEqual(before)
    expect(await expectPaid(refined)).toBeGreaterThan(50)
  })

  test('a pool whose hook refuses or burns all gas has no samples', () => {
    expect([poolOf('refusing'), poolOf('burning')]).toEqual([undefined, undefined])
  })

  test('no pool of a twin is trusted, whatever its factory', () => {
    const trust = namedTrust(world.chain)
    expect(['share', 'type', 'twoFaced'].map((name) => isTrustedPool(poolOf(name), trust))).toEqual([
      false,
      false,
      false,
    ])
  })
})

/** Returns the state of a market with a factory of Curve, after it has searched the pools of some tokens. */
async function discoverCurvePools(factory: Address, tokens: readonly Address[]): Promise<Snapshot> {
  const row: DexRow = { family: 'curve', brand: 'test', role: 'factory', address: factory, version: 'stable-factory' }
  const market = createMarket({ chain: { ...world.chain, dexes: [row] }, rpc: world.rpc })
  onTestFinished(() => market.stop())
  await market.sync()
  return market.ensure(tokens)
}
