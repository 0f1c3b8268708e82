/**
 * Anyone can create pools. One good pool among a hundred worthless pools, half of them older and half of them newer, is
 * found and quoted. Curve's factory is genuine; the others are models, because no package carries their bytecode.
 */
import { DeepestLens__factory, DodoV2Lens__factory, IDodoV2Factory__factory } from '@sluice/bindings'
import { type Address, type Chain, type DexRow, type Hex, toAddress } from '@sluice/chains'
import {
  type Anvil,
  accounts,
  type Builder,
  type Contract,
  createBuilder,
  loadArtifact,
  request,
  startAnvil,
} from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { familyOf, type Market } from '../src/index.ts'
import { type Lens, lensOf } from '../src/lenses.ts'
import { createMarket } from '../src/market/market.ts'
import { runReads } from '../src/market/reads.ts'
import { type Compiled, compileModels } from './models/compile.ts'

/** Worthless pools on each side of the good one. */
const DUST_POOLS = 50
const DUST = 1_000n
const DEPTH = 10n ** 24n
/** Pools of a list that is longer than a lens compares. */
const LONG_LIST = 600
/** Below the limit of every public node in use. */
const CALL_GAS = 20_000_000

const curveArtifact = (name: string) =>
  loadArtifact(`@perp/curie-deployments/optimism-goerli/core/artifacts/contracts/curve/${name}.vy/${name}.json`)

let anvil: Anvil
let rpc: Rpc
let builder: Builder
let models: Readonly<Record<string, Compiled>>
let coins: readonly Contract[]
let pair: readonly [Address, Address]

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  models = compileModels('Factories.sol')
  const deployed = []
  for (let k = 0; k < 4; k++) deployed.push(await builder.deploy(models.DecimalCoin as never, [18]))
  coins = deployed.sort((a, b) => (a.address < b.address ? -1 : 1))
  pair = [coins[0]!.address, coins[1]!.address]
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

/** Creates worthless pools, a good one, and worthless ones. Half of the worthless pools hold dust. @returns the good one */
async function createPools(create: (count: number) => Promise<readonly Address[]>): Promise<Address> {
  const older = await create(DUST_POOLS)
  const [good] = await create(1)
  const newer = await create(DUST_POOLS)
  const dustPools = [...older, ...newer].filter((_, k) => k % 2 === 0)
  for (const pool of dustPools) await coins[dustPools.indexOf(pool) % 2]!.send('mint', [pool, DUST])
  return good!
}

/** All pools of two tokens in a model of a factory, as they were created. */
async function poolsOf(factory: Contract, tokens: readonly [Address, Address]): Promise<readonly Address[]> {
  const answer = await factory.call('getDODOPool', tokens)
  const [pools] = IDodoV2Factory__factory.createInterface().decodeFunctionResult('getDODOPool', answer)
  return [...pools].map(toAddress)
}

/** Creates the pools in a model of a factory. */
async function createModels(
  existingFactory?: Contract,
): Promise<{ readonly factory: Contract; readonly good: Address }> {
  const factory = existingFactory ?? (await builder.deploy(models.Factories as never))
  const list = () => poolsOf(factory, pair)
  const good = await createPools(async (count) => {
    const { length } = await list()
    // A transaction has room for 25 pools.
    for (let remaining = count; remaining > 0; remaining -= 25)
      await factory.send('create', [...pair, Math.min(remaining, 25)])
    return (await list()).slice(length)
  })
  for (const token of coins.slice(0, 2)) await token.send('mint', [good, DEPTH])
  return { factory, good }
}

const rowOf = (family: string, { address }: Contract, version?: string): DexRow => ({
  family,
  brand: 'test',
  role: 'factory',
  address,
  ...(version !== undefined && { version }),
})

/** Pools that a family finds for the pair. */
async function findPools(row: DexRow): Promise<readonly Address[]> {
  const { hash } = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
  const pools = await runReads(rpc, { blockHash: hash }, [familyOf(row.family)!.findPools!(row, [pair])])
  return pools.flat().map(({ address }) => address)
}

/** A market that follows one DEX. */
function startMarket(row: DexRow): Market {
  const chain: Chain = {
    chainId: rpc.chainId,
    name: 'test',
    displayName: 'Test',
    trackerName: 'Test',
    coinsPrefix: null,
    nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
    wrappedNative: null,
    stables: [],
    hubs: [pair[0]],
    tokens: [],
    rpcUrls: [anvil.url],
    blockTimeMs: 1_000,
    l1FeeModel: 'none',
    evm: {},
    dexes: [row],
  }
  const market = createMarket({ chain, rpc })
  onTestFinished(() => market.stop())
  return market
}

/** Quotes of a millionth of the good pool, in both directions. */
function quotesOf(market: Market, pool: Address): readonly bigint[] {
  const foundPool = market.snapshot().pools.get(pool)
  expect(foundPool).toBeDefined()
  const quote = (tokenIn: Address, tokenOut: Address) =>
    familyOf(foundPool!.family)!.quoteExactInput(foundPool!, tokenIn, tokenOut, DEPTH / 1_000_000n).amountOut
  return [quote(pair[0], pair[1]), quote(pair[1], pair[0])]
}

/** Quotes in a market that starts now, after a number of blocks. */
async function quoteInMarket(row: DexRow, pool: Address, blocks = 0): Promise<readonly bigint[]> {
  const market = startMarket(row)
  await market.sync()
  await market.ensure(pair)
  for (let k = 0; k < blocks; k++) {
    await request(anvil.url, 'evm_mine', [])
    await market.sync()
  }
  return quotesOf(market, pool)
}

const expectNearOne = (amounts: readonly bigint[]) => {
  for (const amount of amounts) expect(Number(amount) / Number(DEPTH / 1_000_000n)).toBeCloseTo(1, 1)
}

test('in the factory of Curve', async () => {
  const factory = await builder.deploy(curveArtifact('FactorySidechains'), [builder.from])
  const implementation = await builder.deploy(curveArtifact('StableSwap'))
  const unused = Array.from({ length: 9 }, () => ZeroAddress)
  await factory.send('set_plain_implementations', [4, [implementation.address, ...unused]])
  const addresses = coins.map(({ address }) => address)
  let created = 0
  const good = await createPools(async (count) => {
    const pools: Address[] = []
    for (let k = 0; k < count; k++) {
      const poolArguments = ['pool', `P${created}`, addresses, 200n, 4_000_000n]
      await factory.send('deploy_plain_pool(string,string,address[4],uint256,uint256)', poolArguments)
      pools.push(toAddress(await factory.read<string>('pool_list', [created++])))
    }
    return pools
  })
  for (const coin of coins) {
    await coin.send('mint', [builder.from, DEPTH])
    await coin.send('approve', [good, DEPTH])
  }
  const pool = builder.contractAt(curveArtifact('StableSwap').abi, good)
  await pool.send('add_liquidity(uint256[4],uint256)', [addresses.map(() => DEPTH), 0n])
  const pools = await findPools(rowOf('curve-stable', factory))
  expect(pools).toContain(good)
  expect(pools.length).toBe(16)
  expectNearOne(await quoteInMarket(rowOf('curve-stable', factory), good))
}, 240_000)

test('in a factory of DODO', async () => {
  const { factory, good } = await createModels()
  // A pool may hold one of the tokens only.
  const oneSided = (await poolsOf(factory, pair))[7]!
  await coins[1]!.send('mint', [oneSided, DEPTH])
  const pools = await findPools(rowOf('dodo-v2', factory))
  expect(pools).toEqual(expect.arrayContaining([good, oneSided]))
  expect(pools.length).toBe(8)
  expectNearOne(await quoteInMarket(rowOf('dodo-v2', factory), good))
}, 120_000)

test('in a factory of DODO that a market follows already', async () => {
  const factory = await builder.deploy(models.Factories as never)
  const market = startMarket(rowOf('dodo-v2', factory))
  await market.sync()
  await market.ensure(pair)
  const { good } = await createModels(factory)
  // More pools than the market follows by their logs. It searches the pair again, in the background of requests.
  for (let block = 0; block < 100 && !market.snapshot().pools.has(good); block++) {
    await request(anvil.url, 'evm_mine', [])
    await market.sync()
    await market.ensure(pair)
  }
  expectNearOne(quotesOf(market, good))
  expect(market.snapshot().pools.size).toBeLessThanOrEqual(40)
}, 120_000)

test('in the factory of Kyber Classic', async () => {
  const { factory, good } = await createModels()
  const pools = await findPools(rowOf('kyber-classic', factory))
  expect(pools).toContain(good)
  expect(pools.length).toBe(16)
  expectNearOne(await quoteInMarket(rowOf('kyber-classic', factory), good))
}, 120_000)

test('in the factory of Maverick, although worthless pools can be sampled', async () => {
  const { factory, good } = await createModels()
  const worthlessPools = (await poolsOf(factory, pair)).filter((pool) => pool !== good)
  for (const pool of worthlessPools.slice(0, 20))
    for (const coin of coins.slice(0, 2)) await coin.send('mint', [pool, DEPTH / 1_000_000n])
  const pools = await findPools(rowOf('maverick-v2', factory))
  expect(pools).toContain(good)
  expect(pools.length).toBe(16)
  expectNearOne(await quoteInMarket(rowOf('maverick-v2', factory), good, 30))
}, 120_000)

test('in the middle of a list with more worthless pools at each end than one read compares', async () => {
  const factory = await builder.deploy(models.Factories as never)
  const pretend = async (count: number) => {
    for (let remaining = count; remaining > 0; remaining -= 200)
      await factory.send('pretend', [...pair, Math.min(remaining, 200)])
  }
  await pretend(LONG_LIST)
  await factory.send('create', [...pair, 1])
  const good = (await poolsOf(factory, pair))[LONG_LIST]!
  await pretend(LONG_LIST)
  for (const token of coins.slice(0, 2)) await token.send('mint', [good, DEPTH])
  for (const family of ['dodo-v2', 'kyber-classic', 'maverick-v2']) {
    const pools = await findPools(rowOf(family, factory))
    expect(pools).toContain(good)
    expect(pools.length).toBeLessThanOrEqual(16)
  }
  expectNearOne(await quoteInMarket(rowOf('kyber-classic', factory), good))
}, 240_000)

test('in the registry of EulerSwap, whose pools are as deep as the deposits of their accounts', async () => {
  const [first, second] = [
    await builder.deploy(models.RichVault as never),
    await builder.deploy(models.RichVault as never),
  ]
  const assets = [first!.address, second!.address].sort() as [Address, Address]
  const factory = await builder.deploy(models.Factories as never)
  for (const count of [25, 25, 1, 25, 25]) await factory.send('create', [...assets, count])
  const list = await poolsOf(factory, assets)
  const good = list[DUST_POOLS]!
  for (const [k, pool] of list.entries()) await first!.send('mint', [pool, k === DUST_POOLS ? DEPTH : DUST])
  const row = rowOf('euler-swap', factory, '2')
  const { hash } = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
  const [pools] = await runReads(rpc, { blockHash: hash }, [familyOf('euler-swap')!.findPools!(row, [assets])])
  expect(pools!.map(({ address }) => address)).toContain(good)
  expect(pools!.length).toBe(16)
}, 120_000)

/** The result of a lens within a gas limit. */
const callLens = ({ to, code }: Lens, data: string, gas: number): Promise<Hex> =>
  request<Hex>(anvil.url, 'eth_call', [{ to, data, gas: `0x${gas.toString(16)}` }, 'latest', { [to]: { code } }])

test('the gas of a long list is bounded, and such lists do not hide the pools of other pairs', async () => {
  const { factory, good } = await createModels()
  const others = Array.from({ length: 24 }, (_, k): [Address, Address] => [
    toAddress(`0x${(k + 1).toString(16).padStart(40, '0')}`),
    pair[1],
  ])
  for (const tokens of others)
    for (let remaining = LONG_LIST; remaining > 0; remaining -= 200)
      await factory.send('pretend', [...tokens, Math.min(remaining, 200)])
  const deepest = DeepestLens__factory.createInterface()
  const getter = IDodoV2Factory__factory.createInterface().getFunction('_REGISTRY_').selector
  const call = (tokens: readonly [Address, Address]) =>
    callLens(
      lensOf('DeepestLens'),
      deepest.encodeFunctionData('find', [factory.address, getter, [...tokens], 8, 96, 0]),
      CALL_GAS / 4,
    )
  expect([...deepest.decodeFunctionResult('find', await call(pair))[0]].map(toAddress)).toContain(good)
  const [longList] = deepest.decodeFunctionResult('find', await call(others[0]!))
  expect(longList.length).toBe(8)

  const dodo = DodoV2Lens__factory.createInterface()
  const data = dodo.encodeFunctionData('find', [[factory.address], [...others, pair].flat(), 8])
  const [foundPools] = dodo.decodeFunctionResult('find', await callLens(lensOf('DodoV2Lens'), data, CALL_GAS / 4))
  // Every pair has more pools than the lens lists.
  expect([...foundPools].map(({ index, pool }) => [index, pool])).toEqual(
    Array.from({ length: 25 }, (_, k) => [BigInt(k), ZeroAddress]),
  )
}, 120_000)
