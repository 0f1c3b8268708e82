/** The local chain's pools of every family: found, and quoted as their own contracts quote them. */
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import {
  type Devnet,
  devnetChain,
  loadArtifact,
  loadHardhatArtifact,
  NodeProxy,
  request,
  startDevnet,
} from '@sluice/devnet'
import { createRpc, type Rpc, RpcError } from '@sluice/rpc'
import { Interface, type InterfaceAbi } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf, type Market, type Pool, PoolRefusal, type Snapshot } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { type Random, random } from './random.ts'

const QUOTES = process.env.LONG ? 20_000 : 200
const AT_ONCE = 50

let devnet: Devnet
let rpc: Rpc
let market: Market
beforeAll(async () => {
  devnet = await startDevnet()
  rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
  market = createMarket({ chain: chainOf(devnet), rpc })
  await market.ensure(Object.values(devnet.info.tokens).map(({ address }) => toAddress(address)))
})
afterAll(async () => {
  await market?.stop()
  rpc?.close()
  await devnet?.stop()
})

/** As the registry gives it: addresses in lower case. */
function chainOf({ info, url }: Devnet): Chain {
  const text = JSON.stringify(devnetChain(info, url))
  return JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()))
}

const poolsOf = (family: string) => [...market.snapshot().pools.values()].filter((pool) => pool.family === family)

test.each([
  'uniswap-v2',
  'uniswap-v3',
  'uniswap-v4',
  'pancake-v3',
  'algebra-integral',
  'algebra-v1',
  'curve-stable',
  'balancer-v2',
  'erc4626',
  'rate-wrapper',
])('finds every pool of %s that can be quoted exactly', (family) => {
  const ids = devnet.info.pools
    .filter((pool) => pool.family === family)
    // A hook may do as it likes.
    .filter(({ hooks = ZERO_ADDRESS }) => toAddress(hooks) === ZERO_ADDRESS)
    .map((pool) => pool.id ?? pool.address)
  expect(
    poolsOf(family)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids.map((id) => id.toLowerCase()).sort())
})

type Genuine = (pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint) => Promise<bigint | null>

/** Calls `to` in the EVM; null if it reverts. */
async function ask(abi: InterfaceAbi, to: Address, method: string, args: readonly unknown[]): Promise<bigint | null> {
  const contract = new Interface(abi)
  try {
    const data = contract.encodeFunctionData(method, args) as Hex
    return contract.decodeFunctionResult(method, await rpc.call({ to, data, gas: 1_000_000_000n }, 'latest'))[0]
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return null
    throw error
  }
}

const NOBODY = `0x${'0'.repeat(40)}`
const curveAbi = loadArtifact(
  '@perp/curie-deployments/optimism-goerli/core/artifacts/contracts/curve/StableSwap.vy/StableSwap.json',
).abi
const queriesAbi = loadArtifact(
  '@balancer-labs/v2-deployments/dist/tasks/20220721-balancer-queries/artifact/BalancerQueries.json',
).abi
const quoterAbi = loadHardhatArtifact('@cryptoalgebra/integral-periphery', 'lens/QuoterV2').abi
const quoterV1Abi = loadHardhatArtifact('@cryptoalgebra/periphery', 'lens/Quoter').abi
const vaultAbi = [
  'function previewDeposit(uint256) view returns (uint256)',
  'function previewRedeem(uint256) view returns (uint256)',
]

const genuine: Record<string, Genuine> = {
  'curve-stable': (pool, tokenIn, tokenOut, amountIn) =>
    ask(curveAbi, pool.address, 'get_dy(int128,int128,uint256)', [
      pool.tokens.indexOf(tokenIn),
      pool.tokens.indexOf(tokenOut),
      amountIn,
    ]),
  'balancer-v2': (pool, assetIn, assetOut, amount) =>
    ask(queriesAbi, toAddress(devnet.info.routers.balancerV2Queries!), 'querySwap', [
      { poolId: pool.id, kind: 0, assetIn, assetOut, amount, userData: '0x' },
      { sender: NOBODY, fromInternalBalance: false, recipient: NOBODY, toInternalBalance: false },
    ]),
  erc4626: (pool, tokenIn, _tokenOut, amountIn) =>
    ask(vaultAbi, pool.address, tokenIn === pool.tokens[0] ? 'previewDeposit' : 'previewRedeem', [amountIn]),
  'algebra-v1': (_pool, tokenIn, tokenOut, amountIn) =>
    ask(quoterV1Abi, toAddress(devnet.info.routers.algebraV1Quoter!), 'quoteExactInputSingle', [
      tokenIn,
      tokenOut,
      amountIn,
      0n,
    ]),
  'algebra-integral': (_pool, tokenIn, tokenOut, amountIn) =>
    ask(quoterAbi, toAddress(devnet.info.routers.algebraIntegralQuoterV2!), 'quoteExactInputSingle', [
      { tokenIn, tokenOut, deployer: NOBODY, amountIn, limitSqrtPrice: 0n },
    ]),
}

test.each(Object.keys(genuine))('%s quotes the output of its contracts, for any amount', async (family) => {
  const r = random(17)
  const pools = poolsOf(family)
  let quoted = 0
  for (let done = 0; done < QUOTES; done += AT_ONCE) {
    const cases = Array.from({ length: AT_ONCE }, () => pick(r, r.pick(pools)))
    await Promise.all(
      cases.map(async ({ pool, tokenIn, tokenOut, amountIn }) => {
        const theirs = await genuine[family]!(pool, tokenIn, tokenOut, amountIn)
        const label = `${pool.id} ${tokenIn} ${tokenOut} ${amountIn}`
        try {
          const { amountOut } = familyOf(family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
          expect(`${label}: ${amountOut}`).toBe(`${label}: ${theirs}`)
          quoted++
        } catch (error) {
          if (!(error instanceof PoolRefusal)) throw error
          // A quoter shows no limits: an answer of nothing, or one for an input the pool would not take in full.
          if (error.code === 'TOO_SMALL') expect(`${label}: ${theirs ?? 0n}`).toBe(`${label}: 0`)
        }
      }),
    )
  }
  expect(quoted).toBeGreaterThan(QUOTES / 2)
})

function pick(r: Random, pool: Pool) {
  const i = r.integer(pool.tokens.length)
  const j = (i + 1 + r.integer(pool.tokens.length - 1)) % pool.tokens.length
  const reserve = familyOf(pool.family)!.reserves(pool)[i]!
  const bits = reserve.toString(2).length
  return { pool, tokenIn: pool.tokens[i]!, tokenOut: pool.tokens[j]!, amountIn: r.amount(1, bits) }
}

test('state that changes without logs is updated in one round of calls per block, and equals a full reread', async () => {
  const proxy = await NodeProxy.start(devnet.url)
  const counted = createRpc({ chainId: devnet.chainId, urls: [proxy.url] })
  const followed = createMarket({ chain: chainOf(devnet), rpc: counted })
  const tokens = Object.values(devnet.info.tokens).map(({ address }) => toAddress(address))
  await followed.ensure(tokens)
  const before = followed.snapshot()
  // A gift makes a vault's shares worth more, and no log of the vault reports it.
  const [vault] = poolsOf('erc4626')
  const data = IERC20__factory.createInterface().encodeFunctionData('transfer', [vault!.address, 12_345_678n])
  await request(devnet.url, 'evm_increaseTime', [3_600])
  const gift = { from: devnet.info.accounts[0]!.address, to: vault!.tokens[0], data }
  await request(devnet.url, 'eth_sendTransactionSync', [gift])
  const methodsBefore = proxy.calledMethods.length
  const after = await followed.sync()
  // All families are there: more gas than one call may take, so that it is two, sent together, and one for samples.
  expect(proxy.calledMethods.slice(methodsBefore).filter((method) => method === 'eth_call').length).toBeLessThanOrEqual(
    3,
  )
  const moved = [...after.pools.values()].filter((pool) => before.pools.get(pool.id) !== pool)
  expect(moved.map(({ id }) => id)).toContain(vault!.id)

  const freshMarket = createMarket({ chain: chainOf(devnet), rpc })
  await freshMarket.ensure(tokens)
  expect(freshMarket.snapshot().block.hash).toBe(after.block.hash)
  const sorted = (snapshot: Snapshot) => [...snapshot.pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  expect(sorted(after)).toEqual(sorted(freshMarket.snapshot()))
  for (const each of [followed, freshMarket]) await each.stop()
  counted.close()
  await proxy.stop()
})
