/** Pools of the genuine V4 manager behind hooks that take no part in swaps, one with a fixed fee and one whose fee its hook sets. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { accounts, compileSources, createBuilder, type PoolKey, poolId } from '@sluice/devnet'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UniswapV4State } from '../src/dexes/uniswap-v4/types.ts'
import { familyOf, isTrustedPool, namedTrust } from '../src/index.ts'
import { fuzz } from './fuzz/trials.ts'
import { startLocal, type World } from './fuzz/world.ts'

const QUOTES = process.env.LONG ? 100_000 : 200
/** afterDonate: the manager asks for one bit at least where the fee is fixed. */
const BYSTANDER = toAddress(`0x${'b'.repeat(36)}0010`)
/** Bits for initialisation, liquidity and donations, none for swaps. */
const FEE_SETTER = toAddress(`0x${'f'.repeat(36)}3f30`)
/** afterSwap. */
const MEDDLER = toAddress(`0x${'e'.repeat(36)}0040`)
const SQRT_PRICE = 1n << 96n
const LIQUIDITY = 10n ** 15n
const managerFunctions = [
  'function initialize((address,address,uint24,int24,address) key, uint160 sqrtPriceX96) returns (int24)',
  'function updateDynamicLPFee((address,address,uint24,int24,address) key, uint24 fee)',
]
const managerAbi = new Interface(managerFunctions)

let world: World
let manager: Address
let keys: Record<'bystander' | 'feeSetter' | 'meddler', PoolKey>

const wordsOf = (key: PoolKey) => [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks]

async function setFee(fee: number): Promise<void> {
  const data = managerAbi.encodeFunctionData('updateDynamicLPFee', [wordsOf(keys.feeSetter), fee])
  await world.request('anvil_impersonateAccount', [FEE_SETTER])
  await world.request('anvil_setBalance', [FEE_SETTER, '0xde0b6b3a7640000'])
  const sent = { from: FEE_SETTER, to: manager, data }
  const { status } = await world.request<{ status: Hex }>('eth_sendTransactionSync', [sent])
  expect(status).toBe('0x1')
}

beforeAll(async () => {
  world = await startLocal()
  manager = world.chain.dexes.find(({ family }) => family === 'uniswap-v4')!.address
  const tokenOf = (name: string) =>
    [...world.chain.tokens, ...world.chain.stables].find(({ symbol }) => symbol === name)!.address
  const [currency0, currency1] = [tokenOf('USDC'), tokenOf('DAI')].sort() as [Address, Address]
  const common = { currency0, currency1, tickSpacing: 10 }
  keys = {
    bystander: { ...common, fee: 700, hooks: BYSTANDER },
    feeSetter: { ...common, fee: 0x800000, hooks: FEE_SETTER },
    meddler: { ...common, fee: 700, hooks: MEDDLER },
  }
  // Answers with the selector it is called by, which is all that the manager asks of a hook without deltas.
  const echo = '0x5f3560e01c60e01b5f5260205ff3'
  for (const hook of [BYSTANDER, FEE_SETTER, MEDDLER]) await world.request('anvil_setCode', [hook, echo])
  const from = toAddress(accounts()[0]!.address)
  const builder = createBuilder(world.chain.rpcUrls[0]!, from)
  const trader = await builder.deploy(compileSources().UniswapV4Trader!, [manager])
  const balance = 1n << 100n
  for (const token of [currency0, currency1]) {
    await world.request('anvil_dealERC20', [from, token, `0x${balance.toString(16).padStart(64, '0')}`])
    await builder.contractAt(['function approve(address,uint256)'], token).send('approve', [trader.address, balance])
  }
  for (const key of Object.values(keys)) {
    await builder.contractAt(managerFunctions, manager).send('initialize', [wordsOf(key), SQRT_PRICE])
    for (const reach of [600, 6_000, 887_270]) await trader.send('mint', [wordsOf(key), -reach, reach, LIQUIDITY])
  }
  await setFee(2_500)
  await world.sync()
})
afterAll(() => world?.stop())

const poolOf = (key: PoolKey) => world.market.snapshot().pools.get(poolId(key))

test('pools whose hook takes no part in swaps are found by their creation log, and others are sampled', () => {
  expect(poolOf(keys.bystander)?.family).toBe('uniswap-v4')
  expect(poolOf(keys.feeSetter)?.family).toBe('uniswap-v4')
  expect(poolOf(keys.meddler)?.family ?? 'uniswap-v4-hooks').toBe('uniswap-v4-hooks')
})

test('quotes equal payments of the manager through the Executor, for any amount', async () => {
  const ids = new Set<string>([poolId(keys.bystander), poolId(keys.feeSetter)])
  const hooked = { ...world, pools: () => world.pools().filter(({ id }) => ids.has(id)) }
  const { exact, mismatches } = await fuzz(hooked, 'uniswap-v4', QUOTES, 41)
  expect(mismatches).toEqual([])
  expect(exact).toBeGreaterThan(QUOTES / 4)
})

test('a fee that a hook sets is followed without logs', async () => {
  const feeOf = () => (poolOf(keys.feeSetter)!.state as UniswapV4State).feePpm
  expect(feeOf()).toBe(2_500)
  await setFee(9_000)
  await world.sync()
  expect(feeOf()).toBe(9_000)
  const only = { ...world, pools: () => [poolOf(keys.feeSetter)!] }
  expect((await fuzz(only, 'uniswap-v4', 40, 42)).mismatches).toEqual([])
})

test('a pool is usable in all routes, unless its hook sets the fee', () => {
  const trust = namedTrust(world.chain)
  expect(isTrustedPool(poolOf(keys.bystander)!, trust)).toBe(true)
  expect(isTrustedPool(poolOf(keys.feeSetter)!, trust)).toBe(false)
  expect(familyOf('uniswap-v4')!.dependsOn!(poolOf(keys.feeSetter)!)).toEqual([FEE_SETTER])
})
