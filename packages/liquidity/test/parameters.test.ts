/**
 * Parameters that change without a log of the pool, or with a log that does not carry the pool's id: after each change,
 * and without a trade, the quotes of a pool equal what it pays at the next block. The contracts are genuine, except the
 * pool of Ramses CL and the factory of Solidly, which are models: no package carries their code. The pair of Solidly is
 * one of Velodrome V2.
 */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import {
  type Builder,
  type Contract,
  compile,
  createBuilder,
  DEPLOYER,
  loadArtifact,
  publishedSources,
} from '@sluice/devnet'
import { AbiCoder, MaxUint256 } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BalancerV2State } from '../src/dexes/balancer-v2/types.ts'
import type { BalancerV3State, PooledState } from '../src/dexes/balancer-v3/types.ts'
import type { CurveStableState } from '../src/dexes/curve-stable/types.ts'
import { familyOf, type Pool, PoolRefusal } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import type { SolidlyState } from '../src/math/solidly.ts'
import { fuzz, run, type Swap, trade } from './fuzz/trials.ts'
import { startLocal, type World, word } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'

const ONE = 10n ** 18n
const LBP_TASK = '@balancer-labs/v2-deployments/dist/tasks/20211202-no-protocol-fee-lbp'
const MODULE = 'sphere-mezo-solidity-files/domains/aerodrome-slipstream/contracts/core/fees/DynamicSwapFeeModule.sol'

/** Calldata of `fee()`. */
const FEE_CALL = '0xddca3f43'

let world: World
let builder: Builder
beforeAll(async () => {
  world = await startLocal()
  // The account that controls the genuine contracts.
  await world.request('anvil_impersonateAccount', [DEPLOYER])
  await world.request('anvil_setBalance', [DEPLOYER, '0xde0b6b3a7640000'])
  builder = createBuilder(world.chain.rpcUrls[0]!, DEPLOYER)
})
afterAll(() => world?.stop())

const tokenOf = (symbol: string): Address =>
  [...world.chain.tokens, ...world.chain.stables].find((token) => token.symbol === symbol)!.address
const rowOf = (family: string) => world.chain.dexes.find((row) => row.family === family)!
const poolOf = (id: string) => world.market.snapshot().pools.get(id)!
const poolsWith = (family: string, ...tokens: readonly Address[]) =>
  world.pools().filter((pool) => pool.family === family && tokens.every((token) => pool.tokens.includes(token)))

/** Lets time pass without a trade. */
async function pass(seconds: number): Promise<void> {
  const { block } = await world.market.sync()
  await world.request('evm_setNextBlockTimestamp', [block.timestamp + seconds])
  await world.request('evm_mine')
  await world.sync()
}

/** Swaps of a hundredth and of a millionth of the reserves, between every two tokens of a pool. */
function swapsOf(pool: Pool): readonly Swap[] {
  const reserves = familyOf(pool.family)!.reserves(pool)
  return pool.tokens.flatMap((tokenIn, i) =>
    pool.tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .flatMap((tokenOut) => [100n, 1_000_000n].map((part) => ({ tokenIn, tokenOut, amountIn: reserves[i]! / part }))),
  )
}

/** Expects that the quotes of the newest block are what its pool pays. */
async function expectExactQuotes(pools: readonly Pool[]): Promise<void> {
  expect(pools.length).toBeGreaterThan(0)
  for (const pool of pools) {
    const swaps = swapsOf(pool)
    const outcomes = await run(
      world,
      swaps.map((swap) => ({ pool, swaps: [swap] })),
    )
    const quotes = swaps.map(
      ({ tokenIn, tokenOut, amountIn }) =>
        familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut,
    )
    expect(outcomes.map(([outcome]) => outcome!.ok && outcome!.amountOut)).toEqual(quotes)
  }
}

/** Expects that no quote can use the pools of the newest block, and that the contracts refuse the swaps. */
async function expectPaused(pools: readonly Pool[]): Promise<void> {
  expect(pools.length).toBeGreaterThan(0)
  for (const pool of pools) {
    const swaps = swapsOf(pool)
    const current = world.market.snapshot().pools.get(pool.id)
    for (const { tokenIn, tokenOut, amountIn } of current ? swaps : []) {
      const { quoteExactInput, maxInput } = familyOf(current!.family)!
      expect(() => quoteExactInput(current!, tokenIn, tokenOut, amountIn)).toThrow(PoolRefusal)
      expect(maxInput(current!, tokenIn, tokenOut)).toBe(0n)
    }
    const outcomes = await run(
      world,
      swaps.map((swap) => ({ pool, swaps: [swap] })),
    )
    expect(outcomes.map(([outcome]) => outcome!.ok)).toEqual(swaps.map(() => false))
  }
}

/** Pools of a family, with the states before a change. */
const statesOf = (pools: readonly Pool[]) => new Map(pools.map(({ id, state }) => [id, state]))

test('the fee of a Slipstream pool with a dynamic fee module is that of the block', async () => {
  const factory = builder.contractAt(['function setSwapFeeModule(address)'], rowOf('slipstream').address)
  const { DynamicSwapFeeModule } = compile({
    compiler: 'solc-0.7.6',
    evmVersion: 'istanbul',
    runs: 200,
    sources: publishedSources([MODULE]),
    packages: ['sphere-mezo-solidity-files'],
  })
  const [before] = poolsWith('slipstream', tokenOf('WETH'), tokenOf('USDC')) as [Pool<{ feePpm: number }>]
  const contract = builder.contractAt(
    ['function fee() view returns (uint24)', 'function increaseObservationCardinalityNext(uint16)'],
    before.address,
  )
  const feeNow = () => (poolOf(before.id).state as { feePpm: number }).feePpm
  await contract.send('increaseObservationCardinalityNext', [320])
  // 100 ppm for each tick between the price and its average over ten minutes, at most 5 %.
  const module = await builder.deploy(DynamicSwapFeeModule!, [factory.address, 100_000_000n, 50_000n, [], []])
  await factory.send('setSwapFeeModule', [module.address])
  await world.sync()
  const [token0, token1] = before.tokens as [Address, Address]
  const [reserve0, reserve1] = familyOf('slipstream')!.reserves(before)
  await trade(world, before, { tokenIn: token0, tokenOut: token1, amountIn: reserve0! / 10_000n })
  await pass(1_200)
  expect(feeNow()).toBe(before.state.feePpm)
  await trade(world, before, { tokenIn: token0, tokenOut: token1, amountIn: reserve0! / 100n })
  const fees = new Set<number>()
  for (let minute = 0; minute < 12; minute++) {
    await pass(60)
    expect(feeNow()).toBe(Number(await contract.read<bigint>('fee')))
    await expectExactQuotes([poolOf(before.id)])
    fees.add(feeNow())
  }
  expect(fees.size).toBeGreaterThan(5)
  expect(feeNow()).toBe(before.state.feePpm)

  // With all observations written, the module searches them in steps of two cold reads, nine for 320 observations.
  for (let k = 0; k <= 320; k++) {
    const [tokenIn, tokenOut, reserve] = k % 2 === 0 ? [token0, token1, reserve0!] : [token1, token0, reserve1!]
    await trade(world, before, { tokenIn, tokenOut, amountIn: reserve / 1_000n })
  }
  const measured: number[] = []
  // Until the average starts after the oldest observation, at most one for each second.
  await pass(280)
  for (let k = 0; k < 18; k++) {
    await pass(17)
    // An estimate would be too low: without gas for the module, the factory takes the usual fee.
    const call = [{ to: before.address, data: FEE_CALL }, 'latest', { tracer: 'callTracer' }]
    const { gasUsed } = (await world.request('debug_traceCall', call)) as { gasUsed: string }
    measured.push(Number(gasUsed) - 21_000)
  }
  const stepGas = 2 * 2_100
  // A pool keeps at most 65,535 observations: sixteen steps.
  const maxGas = Math.max(...measured) + 7 * stepGas
  expect(maxGas).toBeGreaterThan(100_000)
  expect(maxGas).toBeLessThan(familyOf('slipstream')!.parameterGas!(before)!)
})

test('a fee that the factory of Velodrome V2 pools gives one of them is that of the block', async () => {
  const factory = builder.contractAt(['function setCustomFee(address,uint256)'], rowOf('velodrome-v2').address)
  const [pool] = poolsWith('velodrome-v2', tokenOf('WETH'), tokenOf('USDC')) as [Pool<{ feePpm: number }>]
  expect(pool.state.feePpm).not.toBe(5_000)
  await factory.send('setCustomFee', [pool.address, 50])
  await world.sync()
  expect(poolOf(pool.id).state).toEqual({ ...pool.state, feePpm: 5_000 })
  await expectExactQuotes([poolOf(pool.id)])
})

test('a fee that the factory of Solidly pairs sets is that of the block', async () => {
  const genuine = rowOf('velodrome-v2').address
  const factory = builder.contractAt(
    ['function setFee(bool,uint256)', 'function volatileFee() view returns (uint256)'],
    genuine,
  )
  const [pool] = poolsWith('velodrome-v2', tokenOf('WSTETH')) as [Pool]
  const { address } = await builder.deploy(compileModels('Solidly.sol').PairGetter as never, [genuine])
  const row: DexRow = { family: 'solidly', brand: 'model', role: 'factory', address }
  const market = createMarket({ chain: { ...world.chain, dexes: [row] }, rpc: world.rpc })
  const usualFee = await factory.read<bigint>('volatileFee')
  try {
    await market.ensure(pool.tokens)
    const pairNow = async () => (await market.sync()).pools.get(pool.address) as Pool<SolidlyState>
    const before = await pairNow()
    expect(before).toMatchObject({ family: 'solidly', state: { feePpm: 100 * Number(usualFee) } })
    await factory.send('setFee', [false, usualFee + 70n])
    await world.sync()
    const after = await pairNow()
    expect(after.state).toEqual({ ...before.state, feePpm: 100 * Number(usualFee + 70n) })
    await expectExactQuotes([after])
  } finally {
    await factory.send('setFee', [false, usualFee])
    await market.stop()
  }
  await world.sync()
})

test('balances that change without a log of an older Curve pool are those of the block', async () => {
  const [pool] = poolsWith('curve-stable', tokenOf('GUSD')) as [Pool<CurveStableState>]
  const [balance] = pool.state.balances as [bigint]
  // The slot of the first balance is the only one that contains it.
  const slots = Array.from({ length: 64 }, (_, slot) => `0x${slot.toString(16)}`)
  const words = await Promise.all(
    slots.map((slot) => world.request<Hex>('eth_getStorageAt', [pool.address, slot, 'latest'])),
  )
  const slot = slots[words.findIndex((value) => BigInt(value) === balance)]!
  await world.request('anvil_setStorageAt', [pool.address, `0x${slot.slice(2).padStart(64, '0')}`, word(balance / 2n)])
  await pass(12)
  expect(poolOf(pool.id).state).toMatchObject({ balances: pool.state.balances.with(0, balance / 2n) })
  await expectExactQuotes([poolOf(pool.id)])
  await world.request('anvil_setStorageAt', [pool.address, `0x${slot.slice(2).padStart(64, '0')}`, word(balance)])
  await pass(12)
  expect(poolOf(pool.id)).toEqual(pool)
})

test('a pause of all Velodrome V2 pools is that of the block, and so is its end', async () => {
  const factory = builder.contractAt(['function setPauseState(bool)'], rowOf('velodrome-v2').address)
  const pools = () => poolsWith('velodrome-v2')
  const before = pools()
  await factory.send('setPauseState', [true])
  await world.sync()
  await expectPaused(before)
  await factory.send('setPauseState', [false])
  await world.sync()
  expect(statesOf(pools())).toEqual(statesOf(before))
  await expectExactQuotes(pools())
})

test('the fee of a Ramses CL pool is that of the block (a model)', async () => {
  const { RamsesFactory, RamsesPool } = compileModels('Ramses.sol')
  const factory = await builder.deploy(RamsesFactory as never)
  const address = toAddress(await factory.read<string>('pool'))
  const row: DexRow = { family: 'ramses-cl', brand: 'model', role: 'factory', address: factory.address }
  const market = createMarket({ chain: { ...world.chain, dexes: [row] }, rpc: world.rpc })
  try {
    const { pools } = await market.ensure([tokenOf('WETH'), tokenOf('USDC')])
    expect(pools.get(address)!.state).toMatchObject({ feePpm: 3_000 })
    await builder.contractAt(RamsesPool!.abi as never, address).send('setFee', [1_234])
    const { pools: nextPools } = await market.sync()
    expect(nextPools.get(address)!.state).toMatchObject({ feePpm: 1_234 })
  } finally {
    await market.stop()
  }
})

/** Runtime code that returns 1 for any call. */
const TRUE_CODE = '0x600160005260206000f3'

/**
 * Runs `act` while the authorizer of Balancer V3, which is an account without code here, permits everything. The account
 * is also the sender, which the node accepts because it impersonates it.
 */
async function asAuthorized(act: () => Promise<unknown>): Promise<void> {
  await builder.setCode(DEPLOYER, TRUE_CODE)
  try {
    await act()
  } finally {
    await builder.setCode(DEPLOYER, '0x')
  }
}

/** Creates a liquidity bootstrapping pool of the genuine factory, with deposits of both tokens. */
async function createBootstrappingPool(tokens: readonly [Address, Address], amounts: readonly bigint[]) {
  const vault = rowOf('balancer-v2').address
  const artifactOf = (name: string) => loadArtifact(`${LBP_TASK}/artifact/${name}.json`)
  const factory = await builder.deploy(artifactOf('NoProtocolFeeLiquidityBootstrappingPoolFactory'), [vault])
  const weights = [ONE / 2n, ONE / 2n]
  const args = ['LBP', 'LBP', tokens, weights, ONE / 100n, builder.from, true]
  const address = await factory.read<string>('create', args)
  await factory.send('create', args)
  const pool = builder.contractAt(
    [
      'function getPoolId() view returns (bytes32)',
      'function getNormalizedWeights() view returns (uint256[])',
      'function updateWeightsGradually(uint256,uint256,uint256[])',
      'function setSwapEnabled(bool)',
    ],
    address,
  )
  for (const [i, token] of tokens.entries()) {
    await world.request('anvil_dealERC20', [builder.from, token, `0x${amounts[i]!.toString(16)}`])
    await builder.contractAt(['function approve(address,uint256)'], token).send('approve', [vault, MaxUint256])
  }
  const id = await pool.read<Hex>('getPoolId')
  // The first join.
  const userData = AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256[]'], [0, amounts])
  await builder
    .contractAt(['function joinPool(bytes32,address,address,(address[],uint256[],bytes,bool))'], vault)
    .send('joinPool', [id, builder.from, builder.from, [tokens, amounts, userData, false]])
  return { id, pool }
}

test('weights of a bootstrapping pool of Balancer V2, and whether it swaps, are those of the block', async () => {
  const tokens = [tokenOf('WETH'), tokenOf('DAI')].sort() as [Address, Address]
  const { id, pool } = await createBootstrappingPool(tokens, [10n ** 22n, 10n ** 22n])
  await world.sync()
  const stateNow = () => poolOf(id).state as BalancerV2State & { kind: 'weighted' }
  expect(stateNow().weights).toEqual(await weightsOf(pool))
  const { timestamp } = world.market.snapshot().block
  await pool.send('updateWeightsGradually', [timestamp + 60, timestamp + 86_460, [ONE / 10n, (9n * ONE) / 10n]])
  let previousWeight = stateNow().weights[0]!
  for (let hour = 0; hour < 3; hour++) {
    await pass(3_600)
    expect(stateNow().weights).toEqual(await weightsOf(pool))
    expect(stateNow().weights[0]!).toBeLessThan(previousWeight)
    previousWeight = stateNow().weights[0]!
    await expectExactQuotes([poolOf(id)])
  }
  await pool.send('setSwapEnabled', [false])
  await world.sync()
  const { quoteExactInput, maxInput, tradingFunction } = familyOf('balancer-v2')!
  expect(() => quoteExactInput(poolOf(id), tokens[0], tokens[1], ONE)).toThrow('its owner has suspended swaps')
  expect(maxInput(poolOf(id), tokens[0], tokens[1])).toBe(0n)
  expect(tradingFunction!(poolOf(id))).toBe(null)
  const swap = { tokenIn: tokens[0], tokenOut: tokens[1], amountIn: ONE }
  expect((await run(world, [{ pool: poolOf(id), swaps: [swap] }]))[0]![0]!.ok).toBe(false)
  await pool.send('setSwapEnabled', [true])
  await world.sync()
  await expectExactQuotes([poolOf(id)])
})

const weightsOf = async (pool: Contract): Promise<readonly bigint[]> => [
  ...(await pool.read<Iterable<bigint>>('getNormalizedWeights')),
]

test('rates of pools of Balancer are those of the block, also if a cached rate has expired', async () => {
  const [share, asset] = [tokenOf('SDAI'), tokenOf('DAI')]
  const families = ['balancer-v2', 'balancer-v3']
  const pools = () => families.flatMap((family) => poolsWith(family, share))
  expect(new Set(pools().map(({ family }) => family))).toEqual(new Set(families))
  const before = new Map(pools().map(({ id, state }) => [id, state]))
  await expectExactQuotes(pools())
  const balance = BigInt(
    await world.request<Hex>('eth_call', [
      { to: asset, data: `0x70a08231${share.slice(2).padStart(64, '0')}` },
      'latest',
    ]),
  )
  // The vault earns 1 %: its shares are worth more, and no pool logs it.
  await world.request('anvil_dealERC20', [share, asset, `0x${((balance * 101n) / 100n).toString(16)}`])
  await pass(60)
  for (const { id, state } of pools()) expect(state).not.toEqual(before.get(id))
  await expectExactQuotes(pools())
})

describe('logs of contracts that do not carry the id of a pool', () => {
  test('a swap fee of a Balancer V2 pool is that of the block', async () => {
    const [pool] = poolsWith('balancer-v2', tokenOf('AAVE')) as [Pool<BalancerV2State>]
    await builder
      .contractAt(['function setSwapFeePercentage(uint256)'], pool.address)
      .send('setSwapFeePercentage', [ONE / 50n])
    await world.sync()
    expect(poolOf(pool.id).state).toEqual({ ...pool.state, swapFee: ONE / 50n })
    await expectExactQuotes([poolOf(pool.id)])
  })

  test('a pause of a Balancer V2 pool is that of the block, and so is its end', async () => {
    const [pool] = poolsWith('balancer-v2', tokenOf('DAI'), tokenOf('USDT')) as [Pool]
    const contract = builder.contractAt(
      ['function pause()', 'function unpause()', 'function getActionId(bytes4) view returns (bytes32)'],
      pool.address,
    )
    const vault = builder.contractAt(['function getAuthorizer() view returns (address)'], rowOf('balancer-v2').address)
    const authorizer = builder.contractAt(
      ['function grantRole(bytes32,address)'],
      await vault.read<string>('getAuthorizer'),
    )
    for (const name of ['pause', 'unpause'])
      await authorizer.send('grantRole', [
        await contract.read('getActionId', [contract.abi.getFunction(name)!.selector]),
        builder.from,
      ])
    await contract.send('pause')
    await world.sync()
    await expectPaused([pool])
    await contract.send('unpause')
    await world.sync()
    expect(poolOf(pool.id)).toEqual(pool)
    await expectExactQuotes([poolOf(pool.id)])
  })

  test.each(['balancer-v2', 'balancer-v3'])(
    'an amplification of %s that starts to move is that of the block',
    async (family) => {
      const [pool] = poolsWith(family, tokenOf('DAI'), tokenOf('USDC'), tokenOf('USDT')) as [Pool<{ amp: bigint }>]
      const { timestamp } = world.market.snapshot().block
      const twiceAmp = (2n * pool.state.amp) / 1_000n
      await asAuthorized(() =>
        builder
          .contractAt(['function startAmplificationParameterUpdate(uint256,uint256)'], pool.address)
          .send('startAmplificationParameterUpdate', [twiceAmp, timestamp + 10 * 86_400]),
      )
      await world.sync()
      for (let hour = 0; hour < 3; hour++) {
        const { amp } = poolOf(pool.id).state as { amp: bigint }
        await pass(3_600)
        expect((poolOf(pool.id).state as { amp: bigint }).amp).toBeGreaterThan(amp)
        await expectExactQuotes([poolOf(pool.id)])
      }
    },
  )

  test.each([
    ['the vault', 'Vault', false],
    ['buffers', 'VaultBuffers', true],
  ] as const)('a pause of %s of Balancer V3 is that of the block, and so is its end', async (_, name, isBuffers) => {
    const vault = builder.contractAt(
      [`function pause${name}()`, `function unpause${name}()`],
      rowOf('balancer-v3').address,
    )
    const isBuffer = ({ state }: Pool) => (state as BalancerV3State).kind === 'buffer'
    const pools = () => poolsWith('balancer-v3').filter((pool) => isBuffers === isBuffer(pool))
    const before = pools()
    await asAuthorized(() => vault.send(`pause${name}`))
    await world.sync()
    await expectPaused(before)
    await asAuthorized(() => vault.send(`unpause${name}`))
    await world.sync()
    expect(new Set(pools().map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)))
    await expectExactQuotes(pools())
  })

  test('a pool of Balancer V3 in recovery mode keeps its whole swap fee', async () => {
    const vault = builder.contractAt(
      ['function enableRecoveryMode(address)', 'function disableRecoveryMode(address)'],
      rowOf('balancer-v3').address,
    )
    const [pool] = poolsWith('balancer-v3', tokenOf('UNI'), tokenOf('WETH')) as [Pool<PooledState>]
    const aggregateFeeNow = () => (poolOf(pool.id).state as PooledState).aggregateFee
    expect(aggregateFeeNow()).toBeGreaterThan(0n)
    await asAuthorized(() => vault.send('enableRecoveryMode', [pool.address]))
    await world.sync()
    expect(aggregateFeeNow()).toBe(0n)
    // The fee that leaves the pool changes the second swap.
    const mismatches = await fuzz(world, 'balancer-v3', 100, 41).then((tally) => tally.mismatches)
    expect(mismatches).toEqual([])
    await asAuthorized(() => vault.send('disableRecoveryMode', [pool.address]))
    await world.sync()
    expect(poolOf(pool.id)).toEqual(pool)
  })
})
