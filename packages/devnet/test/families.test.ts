/** Tests that every pool outside Uniswap V2 and V3 trades in both directions for the amount that its own DEX quotes. */
import { toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder, keccak256, MaxUint256 } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadHardhatArtifact } from '../src/artifact.ts'
import type { Contract } from '../src/builder.ts'
import { compileSources } from '../src/compile.ts'
import { loadAaveArtifact } from '../src/dexes/aave-v3.ts'
import { loadBalancerV1Artifact } from '../src/dexes/balancer-v1.ts'
import { loadBalancerV2Artifact } from '../src/dexes/balancer-v2.ts'
import { loadCurveArtifact } from '../src/dexes/curve-stable.ts'
import type { PoolToken } from '../src/dexes/dex.ts'
import { compileSlipstream } from '../src/dexes/slipstream.ts'
import { type PoolKey, poolId } from '../src/dexes/uniswap-v4.ts'
import { compileAerodrome } from '../src/dexes/velodrome-v2.ts'
import { request } from '../src/node.ts'
import { amountWorth, TOKENS, type TokenSymbol } from '../src/tokens.ts'
import { approve, both, info, NEVER, poolsOf, startView } from './fixture.ts'

let devnet: Awaited<ReturnType<typeof startView>>
beforeAll(async () => {
  devnet = await startView()
})
afterAll(() => devnet.stop())

const helper = (name: string, at: string) => devnet.chain.contractAt(compileSources()[name]!.abi, info.routers[at]!)
const addressOf = (symbol: PoolToken) => (symbol === 'ETH' ? ZERO_ADDRESS : info.tokens[symbol]!.address)

/** Sells tokens worth 10,000 dollars, and expects the quoted output, which is within a tenth of the list price. */
async function trade(
  tokenIn: TokenSymbol,
  tokenOut: TokenSymbol,
  spender: Contract,
  quote: (amountIn: bigint) => Promise<bigint>,
  swap: (amountIn: bigint) => Promise<unknown>,
): Promise<void> {
  const amountIn = amountWorth(tokenIn, 10_000n)
  await approve(devnet.token(tokenIn), spender.address)
  const quoted = await quote(amountIn)
  const before = await devnet.balance(tokenOut)
  await swap(amountIn)
  expect((await devnet.balance(tokenOut)) - before).toBe(quoted)
  const list = amountWorth(tokenOut, 10_000n)
  expect(quoted).toBeGreaterThan((list * 9n) / 10n)
  expect(quoted).toBeLessThan((list * 11n) / 10n)
}

describe('PancakeSwap V3', () => {
  it.each(poolsOf('PancakeSwap V3'))('%s', async (_, pool) => {
    const trader = helper('PancakeV3Trader', 'pancakeV3Trader')
    for (const [tokenIn, tokenOut] of both(pool)) {
      const zeroForOne = BigInt(addressOf(tokenIn)) < BigInt(addressOf(tokenOut))
      const args = (amountIn: bigint) => [pool.address, zeroForOne, amountIn]
      await trade(
        tokenIn,
        tokenOut,
        trader,
        (amountIn) => trader.read('swap', args(amountIn)),
        (amountIn) => trader.send('swap', args(amountIn)),
      )
    }
  })

  it('stands at the address that the published pool hash gives', () => {
    const row = info.dexes.find(({ brand }) => brand === 'PancakeSwap V3')
    expect(row?.initCodeHash).toBe('0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2')
    for (const [, pool] of poolsOf('PancakeSwap V3')) {
      const sorted = [...pool.tokens].map(addressOf).sort()
      const salt = keccak256(
        AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint24'], [...sorted, pool.feePpm]),
      )
      const packed = `0xff${row!.contracts!.poolDeployer!.slice(2)}${salt.slice(2)}${row!.initCodeHash!.slice(2)}`
      expect(toAddress(`0x${keccak256(packed).slice(-40)}`)).toBe(pool.address)
    }
  })
})

describe('Uniswap V4', () => {
  const keyOf = (pool: (typeof info.pools)[number]): PoolKey => {
    const [currency0, currency1] = pool.tokens.map(addressOf).sort() as [PoolKey['currency0'], PoolKey['currency0']]
    return { currency0, currency1, fee: pool.feePpm!, tickSpacing: pool.tickSpacing!, hooks: pool.hooks! }
  }
  const pools = poolsOf('Uniswap V4')

  it.each(pools)('%s', async (_, pool) => {
    const key = keyOf(pool)
    expect(poolId(key)).toBe(pool.id)
    const trader = helper('UniswapV4Trader', 'uniswapV4Trader')
    const native = pool.tokens.includes('ETH')
    const token = native ? pool.tokens.find((symbol) => symbol !== 'ETH')! : pool.tokens[0]!
    if (native) {
      const amountIn = amountWorth('WETH', 10_000n)
      const quoted = await swapNative(key, amountIn)
      const before = await devnet.balance(token as TokenSymbol)
      await trader.send('swap', [key, true, amountIn], amountIn)
      expect((await devnet.balance(token as TokenSymbol)) - before).toBe(quoted)
      expect(quoted).toBeGreaterThan((amountWorth(token as TokenSymbol, 10_000n) * 9n) / 10n)

      const sold = amountWorth(token as TokenSymbol, 10_000n)
      await approve(devnet.token(token as TokenSymbol), trader.address)
      const out = await trader.read<bigint>('swap', [key, false, sold])
      const wei = await nativeBalance()
      const receipt = await trader.send('swap', [key, false, sold])
      const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
      expect((await nativeBalance()) - wei + fee).toBe(out)
      return
    }
    for (const [tokenIn, tokenOut] of both(pool)) {
      const args = (amountIn: bigint) => [key, addressOf(tokenIn) === key.currency0, amountIn]
      await trade(
        tokenIn,
        tokenOut,
        trader,
        (amountIn) => trader.read('swap', args(amountIn)),
        (amountIn) => trader.send('swap', args(amountIn)),
      )
    }
  })

  it('has pools of the native token, of two tokens and with a hook', () => {
    const kind = ({ tokens, hooks }: (typeof info.pools)[number]) =>
      hooks === ZERO_ADDRESS ? (tokens.includes('ETH') ? 'native' : 'plain') : 'hooked'
    expect(new Set(pools.map(([, pool]) => kind(pool)))).toEqual(new Set(['native', 'plain', 'hooked']))
  })

  const nativeBalance = async () => BigInt(await request<string>(devnet.url, 'eth_getBalance', [devnet.me, 'latest']))

  async function swapNative(key: PoolKey, amountIn: bigint): Promise<bigint> {
    const { abi, address } = helper('UniswapV4Trader', 'uniswapV4Trader')
    const data = abi.encodeFunctionData('swap', [key, true, amountIn])
    const call = { from: devnet.me, to: address, data, value: `0x${amountIn.toString(16)}` }
    const answer = await request<string>(devnet.url, 'eth_call', [call, 'latest'])
    return abi.decodeFunctionResult('swap', answer)[0] as bigint
  }
})

describe('Algebra V1', () => {
  const periphery = '@cryptoalgebra/periphery/artifacts/contracts'
  it.each(poolsOf('Algebra V1'))('%s', async (_, pool) => {
    const router = devnet.router('algebraV1SwapRouter', `${periphery}/SwapRouter.sol/SwapRouter.json`)
    const quoter = devnet.router('algebraV1Quoter', `${periphery}/lens/Quoter.sol/Quoter.json`)
    for (const [tokenIn, tokenOut] of both(pool)) {
      const pair = { tokenIn: addressOf(tokenIn), tokenOut: addressOf(tokenOut) }
      await trade(
        tokenIn,
        tokenOut,
        router,
        (amountIn) => quoter.read('quoteExactInputSingle', [pair.tokenIn, pair.tokenOut, amountIn, 0n]),
        (amountIn) =>
          router.send('exactInputSingle', [
            { ...pair, recipient: devnet.me, deadline: NEVER, amountIn, amountOutMinimum: 0n, limitSqrtPrice: 0n },
          ]),
      )
    }
  })

  it('takes the fee that its volatility oracle moves', async () => {
    const [, pool] = poolsOf('Algebra V1')[0]!
    const contract = devnet.chain.contractAt(
      loadHardhatArtifact('@cryptoalgebra/core', 'AlgebraPool').abi,
      pool.address,
    )
    const { fee, communityFeeToken0 } = await contract.readAll('globalState')
    expect(fee).toBeGreaterThan(0n)
    expect(communityFeeToken0).toBeDefined()
  })
})

describe('Algebra Integral', () => {
  const periphery = '@cryptoalgebra/integral-periphery/artifacts/contracts'
  it.each(poolsOf('Algebra Integral'))('%s', async (_, pool) => {
    const router = devnet.router('algebraIntegralSwapRouter', `${periphery}/SwapRouter.sol/SwapRouter.json`)
    const quoter = devnet.router('algebraIntegralQuoterV2', `${periphery}/lens/QuoterV2.sol/QuoterV2.json`)
    const contract = devnet.chain.contractAt(
      loadHardhatArtifact('@cryptoalgebra/integral-core', 'AlgebraPool').abi,
      pool.address,
    )
    if (pool.feePpm !== undefined) expect(await contract.read('fee')).toBe(BigInt(pool.feePpm))
    expect((await contract.read<string>('plugin')) === ZERO_ADDRESS).toBe(pool.feePpm !== undefined)
    for (const [tokenIn, tokenOut] of both(pool)) {
      const pair = { tokenIn: addressOf(tokenIn), tokenOut: addressOf(tokenOut), deployer: ZERO_ADDRESS }
      await trade(
        tokenIn,
        tokenOut,
        router,
        (amountIn) => quoter.read('quoteExactInputSingle', [{ ...pair, amountIn, limitSqrtPrice: 0n }]),
        (amountIn) =>
          router.send('exactInputSingle', [
            { ...pair, recipient: devnet.me, deadline: NEVER, amountIn, amountOutMinimum: 0n, limitSqrtPrice: 0n },
          ]),
      )
    }
  })
})

describe('Curve', () => {
  it.each(poolsOf('Curve'))('%s', async (_, pool) => {
    const contract = devnet.chain.contractAt(loadCurveArtifact('StableSwap').abi, pool.address)
    const symbols = pool.tokens as readonly TokenSymbol[]
    for (const [i, tokenIn] of symbols.entries()) {
      const j = (i + 1) % symbols.length
      await trade(
        tokenIn,
        symbols[j]!,
        contract,
        (dx) => contract.read('get_dy', [i, j, dx]),
        (dx) => contract.send('exchange(int128,int128,uint256,uint256)', [i, j, dx, 0n]),
      )
    }
  })
})

describe('Aave V3', () => {
  it.each(poolsOf('Aave V3'))('%s', async (_, pool) => {
    const [asset, aToken] = pool.addresses!
    const symbol = pool.tokens[0] as TokenSymbol
    const market = devnet.chain.contractAt(loadAaveArtifact('pool/Pool').abi, info.routers.aaveV3Pool!)
    const share = devnet.chain.contractAt(['function balanceOf(address) view returns (uint256)'], aToken!)
    const income = () => market.read<bigint>('getReserveNormalizedIncome', [asset])
    // The repaid loan increased the value of each unit, and no open loan changes it further.
    const index = await income()
    expect(index).toBeGreaterThan((10n ** 27n * 101n) / 100n)
    const amount = amountWorth(symbol, 10_000n)
    await approve(devnet.token(symbol), market.address)
    const before = await share.read<bigint>('balanceOf', [devnet.me])
    await market.send('supply', [asset, amount, devnet.me, 0])
    const credited = (await share.read<bigint>('balanceOf', [devnet.me])) - before
    expect(credited).toBeGreaterThanOrEqual(amount - 1n)
    expect(credited).toBeLessThanOrEqual(amount + 1n)
    const balanceBefore = await devnet.balance(symbol)
    await market.send('withdraw', [asset, amount, devnet.me])
    expect((await devnet.balance(symbol)) - balanceBefore).toBe(amount)
    expect(await income()).toBe(index)
  })
})

describe('Balancer V1', () => {
  it.each(poolsOf('Balancer V1'))('%s', async (_, pool) => {
    const traded = devnet.chain.contractAt(loadBalancerV1Artifact('BPool').abi, pool.address)
    const fee = await traded.read<bigint>('getSwapFee')
    const symbols = pool.tokens as readonly TokenSymbol[]
    for (const [i, tokenIn] of symbols.entries()) {
      const tokenOut = symbols[(i + 1) % symbols.length]!
      const [sold, bought] = [addressOf(tokenIn), addressOf(tokenOut)]
      const of = async (token: string) => [
        await traded.read<bigint>('getBalance', [token]),
        await traded.read<bigint>('getDenormalizedWeight', [token]),
      ]
      await trade(
        tokenIn,
        tokenOut,
        traded,
        async (amountIn) => traded.read('calcOutGivenIn', [...(await of(sold)), ...(await of(bought)), amountIn, fee]),
        (amountIn) => traded.send('swapExactAmountIn', [sold, amountIn, bought, 0n, MaxUint256]),
      )
    }
  })
})

describe('Balancer V2', () => {
  it.each(poolsOf('Balancer V2'))('%s', async (_, pool) => {
    const vault = devnet.chain.contractAt(
      loadBalancerV2Artifact('20210418-vault', 'Vault').abi,
      info.routers.balancerV2Vault!,
    )
    const queries = devnet.chain.contractAt(
      loadBalancerV2Artifact('20220721-balancer-queries', 'BalancerQueries').abi,
      info.routers.balancerV2Queries!,
    )
    const GIVEN_IN = 0
    const funds = { sender: devnet.me, fromInternalBalance: false, recipient: devnet.me, toInternalBalance: false }
    const symbols = pool.tokens as readonly TokenSymbol[]
    for (const [i, tokenIn] of symbols.entries()) {
      const tokenOut = symbols[(i + 1) % symbols.length]!
      const single = (amount: bigint) => ({
        poolId: pool.id,
        kind: GIVEN_IN,
        assetIn: addressOf(tokenIn),
        assetOut: addressOf(tokenOut),
        amount,
        userData: '0x',
      })
      await trade(
        tokenIn,
        tokenOut,
        vault,
        (amountIn) => queries.read('querySwap', [single(amountIn), funds]),
        (amountIn) => vault.send('swap', [single(amountIn), funds, 0n, NEVER]),
      )
    }
  })
})

describe('Aerodrome', () => {
  it.each(poolsOf('Aerodrome'))('%s', async (_, pool) => {
    const contract = devnet.chain.contractAt(compileAerodrome().Pool!.abi, pool.address)
    for (const [tokenIn, tokenOut] of both(pool)) {
      const out = (amountIn: bigint) => contract.read<bigint>('getAmountOut', [amountIn, addressOf(tokenIn)])
      await trade(tokenIn, tokenOut, contract, out, async (amountIn) => {
        const amountOut = await out(amountIn)
        const [out0, out1] =
          BigInt(addressOf(tokenIn)) < BigInt(addressOf(tokenOut)) ? [0n, amountOut] : [amountOut, 0n]
        await devnet.token(tokenIn).send('transfer', [pool.address, amountIn])
        await contract.send('swap', [out0, out1, devnet.me, '0x'])
      })
    }
  })
})

describe('Slipstream', () => {
  it.each(poolsOf('Slipstream'))('%s', async (_, { tickSpacing, ...pool }) => {
    const { SwapRouter, QuoterV2 } = compileSlipstream()
    const router = devnet.chain.contractAt(SwapRouter!.abi, info.routers.slipstreamSwapRouter!)
    const quoter = devnet.chain.contractAt(QuoterV2!.abi, info.routers.slipstreamQuoterV2!)
    for (const [tokenIn, tokenOut] of both(pool)) {
      const order = (amountIn: bigint) => ({
        ...{ tokenIn: addressOf(tokenIn), tokenOut: addressOf(tokenOut), tickSpacing, amountIn },
        ...{ recipient: devnet.me, deadline: NEVER, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
      })
      await trade(
        tokenIn,
        tokenOut,
        router,
        (amountIn) => quoter.read('quoteExactInputSingle', [order(amountIn)]),
        (amountIn) => router.send('exactInputSingle', [order(amountIn)]),
      )
    }
  })
})

describe('Balancer V3', () => {
  it.each(poolsOf('Balancer V3'))('%s', async (_, pool) => {
    const trader = helper('BalancerV3Trader', 'balancerV3Trader')
    const symbols = pool.tokens as readonly TokenSymbol[]
    for (const [i, tokenIn] of symbols.entries()) {
      const tokenOut = symbols[(i + 1) % symbols.length]!
      const args = (amountIn: bigint) => [pool.address, addressOf(tokenIn), addressOf(tokenOut), amountIn]
      await trade(
        tokenIn,
        tokenOut,
        trader,
        (amountIn) => trader.read('swap', args(amountIn)),
        (amountIn) => trader.send('swap', args(amountIn)),
      )
    }
  })
})

describe('ERC-4626', () => {
  const vaults = info.pools.filter(({ family }) => family === 'erc4626')
  it.each(vaults)('$dex', async ({ tokens }) => {
    const [asset, share] = tokens as readonly [TokenSymbol, TokenSymbol]
    const vault = devnet.token(share)
    await trade(
      asset,
      share,
      vault,
      (assets) => vault.read('previewDeposit', [assets]),
      (assets) => vault.send('deposit', [assets, devnet.me]),
    )
    await trade(
      share,
      asset,
      vault,
      (shares) => vault.read('previewRedeem', [shares]),
      (shares) => vault.send('redeem', [shares, devnet.me, devnet.me]),
    )
    const wholeShare = 10n ** BigInt(TOKENS[share].decimals)
    expect(await vault.read('convertToAssets', [wholeShare])).toBeGreaterThan(10n ** BigInt(TOKENS[asset].decimals))
  })
})

describe('rate wrapper', () => {
  it('wraps a rebasing token into shares that do not rebase, and back', async () => {
    const wrapper = devnet.token('WSTETH')
    const steth = devnet.token('STETH')
    expect(await wrapper.read('getStETHByWstETH', [10n ** 18n])).toBeGreaterThan(10n ** 18n)
    const amount = amountWorth('STETH', 10_000n)
    await approve(steth, wrapper.address)
    const shares = await wrapper.read<bigint>('wrap', [amount])
    const before = await devnet.balance('WSTETH')
    await wrapper.send('wrap', [amount])
    expect((await devnet.balance('WSTETH')) - before).toBe(shares)
    expect(shares).toBe(await steth.read('sharesFor', [amount]))

    const balanceBefore = await devnet.balance('WSTETH')
    await steth.send('rebase', [50_000n])
    expect(await devnet.balance('WSTETH')).toBe(balanceBefore)
    const back = await wrapper.read<bigint>('unwrap', [shares])
    const steths = await devnet.balance('STETH')
    await wrapper.send('unwrap', [shares])
    const received = (await devnet.balance('STETH')) - steths
    expect(back).toBeGreaterThan(amount)
    expect(back - received).toBeLessThanOrEqual(2n)
    await expect(wrapper.call('mint', [devnet.me, 1n])).rejects.toThrow(/revert/)
  })
})
