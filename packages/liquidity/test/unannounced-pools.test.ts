/**
 * Tests pools that are created after their pair was searched, and that no log announces: the factory of Curve does not
 * name a new pool in its log, and the vault of Balancer V3 does not name the asset of a new buffer.
 */
import { type Address, type Chain, toAddress } from '@sluice/chains'
import {
  type Builder,
  compileSources,
  createBuilder,
  DEPLOYER,
  type Devnet,
  devnetChain,
  request,
  startDevnet,
} from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { MaxUint256, ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarket, type IndexedMarket } from '../src/market/market.ts'

const ONE = 10n ** 18n
const IDLE_TIMEOUT_MS = 60_000
const TOKEN_ABI = ['function mint(address,uint256)', 'function approve(address,uint256)']
const FACTORY_ABI = [
  'function deploy_plain_pool(string,string,address[4],uint256,uint256)',
  'function find_pool_for_coins(address,address) view returns (address)',
]

let devnet: Devnet
let builder: Builder
let rpc: Rpc
let market: IndexedMarket
beforeAll(async () => {
  devnet = await startDevnet()
  rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
  const text = JSON.stringify(devnetChain(devnet.info, devnet.url))
  const chain: Chain = JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()))
  // Each request repeats the searches of its pairs.
  market = createMarket({ chain, rpc, limits: { pairSearchMs: 0 } })
  await request(devnet.url, 'anvil_impersonateAccount', [DEPLOYER])
  await request(devnet.url, 'anvil_setBalance', [DEPLOYER, `0x${(100n * ONE).toString(16)}`])
  builder = createBuilder(devnet.url, DEPLOYER)
})
afterAll(async () => {
  await market?.stop()
  rpc?.close()
  await devnet?.stop()
})

const tokenOf = (symbol: string): Address => toAddress(devnet.info.tokens[symbol]!.address)

/** Returns the ids of the pools of a pair after a request of the pair and all searches that it started. */
async function poolsOf(pair: readonly Address[]): Promise<readonly string[]> {
  await market.sync()
  await market.ensure(pair)
  const { pools } = await market.whenIdle(IDLE_TIMEOUT_MS)
  return [...pools.values()].filter(({ tokens }) => pair.every((token) => tokens.includes(token))).map(({ id }) => id)
}

async function approve(token: Address, spender: Address, amount: bigint): Promise<void> {
  const contract = builder.contractAt(TOKEN_ABI, token)
  await contract.send('mint', [builder.from, amount])
  await contract.send('approve', [spender, MaxUint256])
}

test('a new pool of Curve is found by a later request of its pair', async () => {
  const pair = [tokenOf('AAVE'), tokenOf('CRV')]
  const before = await poolsOf(pair)
  const factory = builder.contractAt(FACTORY_ABI, devnet.info.routers.curveFactory!)
  const coins = [...pair, tokenOf('UNI'), tokenOf('LINK')]
  await factory.send('deploy_plain_pool', ['new', 'new', coins, 100n, 4_000_000n])
  const pool = toAddress(await factory.read<string>('find_pool_for_coins', pair))
  expect(pool).not.toBe(ZeroAddress)
  for (const coin of coins) await approve(coin, pool, 1_000n * ONE)
  const deposits = coins.map(() => 1_000n * ONE)
  await builder.contractAt(['function add_liquidity(uint256[4],uint256)'], pool).send('add_liquidity', [deposits, 0n])
  expect((await poolsOf(pair)).toSorted()).toEqual([...before, pool].toSorted())
})

test('a new buffer of Balancer V3 is found by a later request of its share and asset', async () => {
  const dai = tokenOf('DAI')
  const { SavingsVault, BalancerV3Trader } = compileSources()
  const share = await builder.deploy(SavingsVault!, ['New Savings', 'NEW', dai, 0])
  const pair = [dai, share.address]
  expect(await poolsOf(pair)).toEqual([])
  await approve(dai, share.address, 3_000n * ONE)
  await share.send('deposit', [2_000n * ONE, builder.from])
  const trader = builder.contractAt(BalancerV3Trader!.abi, devnet.info.routers.balancerV3Trader!)
  await approve(dai, trader.address, ONE)
  await share.send('approve', [trader.address, MaxUint256])
  await trader.send('initializeBuffer', [share.address, 1_000n * ONE, 1_000n * ONE])
  expect(await poolsOf(pair)).toEqual([expect.stringMatching(new RegExp(`^${share.address}`, 'i'))])
})
