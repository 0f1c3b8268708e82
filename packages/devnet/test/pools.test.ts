/** Tests of Uniswap-style pools against independent formulas and quoters. */
import { toAddress } from '@sluice/chains'
import { AbiCoder, concat } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevnetPool, PERMIT2 } from '../src/index.ts'
import { request } from '../src/node.ts'
import { amountWorth, type TokenSymbol } from '../src/tokens.ts'
import { approve, both, info, NEVER, pairAbi, permit2Abi, poolsOf, startView, v3PoolAbi } from './fixture.ts'

let devnet: Awaited<ReturnType<typeof startView>>
beforeAll(async () => {
  devnet = await startView()
})
afterAll(() => devnet.stop())

/** Computes the output of x·y=k after the fee, as the pairs do. */
function constantProduct(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, feePpm: number): bigint {
  const amountAfterFee = amountIn * BigInt(1_000_000 - feePpm)
  return (amountAfterFee * reserveOut) / (reserveIn * 1_000_000n + amountAfterFee)
}

async function reserves(pool: DevnetPool, tokenIn: TokenSymbol): Promise<readonly [bigint, bigint]> {
  const pair = devnet.chain.contractAt(pairAbi, pool.address)
  const [reserve0, reserve1] = pair.abi.decodeFunctionResult('getReserves', await pair.call('getReserves'))
  const inIsToken0 = toAddress(await pair.read<string>('token0')) === info.tokens[tokenIn].address
  return inIsToken0 ? [reserve0, reserve1] : [reserve1, reserve0]
}

describe('the chain', () => {
  it('has at least 25 pools, none twice, and a pool of every DEX row', () => {
    expect(info.pools.length).toBeGreaterThanOrEqual(25)
    expect(new Set(info.pools.map(({ address, id }) => id ?? address)).size).toBe(info.pools.length)
    expect(new Set(info.pools.map(({ dex }) => dex))).toEqual(new Set(info.dexes.map(({ brand }) => brand)))
  })
})

describe('Uniswap V2', () => {
  it.each(poolsOf('Uniswap V2'))('%s swaps both ways through Router02', async (_, pool) => {
    const router = devnet.router('uniswapV2Router02', '@uniswap/v2-periphery/build/UniswapV2Router02.json')
    for (const [tokenIn, tokenOut] of both(pool)) {
      const amountIn = amountWorth(tokenIn, 1_000n)
      await approve(devnet.token(tokenIn), router.address)
      const [reserveIn, reserveOut] = await reserves(pool, tokenIn)
      const arrives = tokenIn === 'TAXED' ? amountIn - amountIn / 20n : amountIn
      const leaves = constantProduct(arrives, reserveIn, reserveOut, pool.feePpm!)
      const expected = tokenOut === 'TAXED' ? leaves - leaves / 20n : leaves
      const before = await devnet.balance(tokenOut)
      await router.send('swapExactTokensForTokensSupportingFeeOnTransferTokens', [
        amountIn,
        0n,
        [info.tokens[tokenIn].address, info.tokens[tokenOut].address],
        devnet.me,
        NEVER,
      ])
      const received = (await devnet.balance(tokenOut)) - before
      // Shares of the rebasing token lose a few base units to rounding on both transfers.
      const tolerance = pool.tokens.includes('STETH') ? 3n : 0n
      expect(received).toBeGreaterThanOrEqual(expected - tolerance)
      expect(received).toBeLessThanOrEqual(expected + tolerance)
    }
  })

  it('refuses a taxed token on the way that does not expect a tax', async () => {
    const router = devnet.router('uniswapV2Router02', '@uniswap/v2-periphery/build/UniswapV2Router02.json')
    await approve(devnet.token('TAXED'), router.address)
    const path = [info.tokens.TAXED.address, info.tokens.WETH.address]
    const swap = router.call('swapExactTokensForTokens', [amountWorth('TAXED', 1_000n), 0n, path, devnet.me, NEVER])
    await expect(swap).rejects.toThrow(/UniswapV2: K/)
  })
})

describe('PancakeSwap V2', () => {
  it.each(poolsOf('PancakeSwap V2'))('%s keeps 0.20 percent of its input', async (_, pool) => {
    for (const [tokenIn, tokenOut] of both(pool)) {
      const [reserveIn, reserveOut] = await reserves(pool, tokenIn)
      await devnet.token(tokenIn).send('transfer', [pool.address, amountWorth(tokenIn, 1_000n)])
      const arrived = (await devnet.balance(tokenIn, pool.address)) - reserveIn
      const out = constantProduct(arrived, reserveIn, reserveOut, pool.feePpm!)
      const pair = devnet.chain.contractAt(pairAbi, pool.address)
      const outIsToken0 = toAddress(await pair.read<string>('token0')) === info.tokens[tokenOut].address
      const swap = (amount: bigint) => [outIsToken0 ? amount : 0n, outIsToken0 ? 0n : amount, devnet.me, '0x']
      // An output that is 0.02 % higher, about a tenth of the fee, is rejected, so the fee is not lower than claimed.
      await expect(pair.call('swap', swap(out + out / 5_000n + 1n))).rejects.toThrow(/revert/)
      await pair.send('swap', swap(out))
    }
  })
})

describe('Uniswap V3', () => {
  it.each(poolsOf('Uniswap V3'))('%s pays the amounts of QuoterV2 in both directions', async (_, pool) => {
    const router = devnet.router(
      'uniswapV3SwapRouter',
      '@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
    )
    const quoter = devnet.router(
      'uniswapV3QuoterV2',
      '@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
    )
    for (const [symbolIn, symbolOut] of both(pool)) {
      const common = {
        tokenIn: info.tokens[symbolIn].address,
        tokenOut: info.tokens[symbolOut].address,
        fee: pool.feePpm,
        amountIn: amountWorth(symbolIn, 20_000n),
        sqrtPriceLimitX96: 0n,
      }
      await approve(devnet.token(symbolIn), router.address)
      const quoted = await quoter.read<bigint>('quoteExactInputSingle', [common])
      const before = await devnet.balance(symbolOut)
      await router.send('exactInputSingle', [
        { ...common, recipient: devnet.me, deadline: NEVER, amountOutMinimum: 0n },
      ])
      expect((await devnet.balance(symbolOut)) - before).toBe(quoted)
      // Fee, skew, and depth cost less than a tenth, so the pool is near its list price.
      expect(quoted).toBeGreaterThan((amountWorth(symbolOut, 20_000n) * 9n) / 10n)
    }
  })

  it('has liquidity in several ranges of every pool', async () => {
    for (const [, pool] of poolsOf('Uniswap V3')) {
      const contract = devnet.chain.contractAt(v3PoolAbi, pool.address)
      const mints = await request<unknown[]>(devnet.url, 'eth_getLogs', [
        {
          fromBlock: '0x0',
          toBlock: 'latest',
          address: pool.address,
          topics: [contract.abi.getEvent('Mint')!.topicHash],
        },
      ])
      expect(mints).toHaveLength(5)
    }
    expect(new Set(poolsOf('Uniswap V3').map(([, { feePpm }]) => feePpm))).toEqual(new Set([100, 500, 3000, 10000]))
  })
})

describe("Uniswap's later routers", () => {
  it('SwapRouter02 swaps over both DEXes', async () => {
    const router = devnet.router(
      'uniswapSwapRouter02',
      '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
    )
    await approve(devnet.token('WETH'), router.address)
    const weth = info.tokens.WETH.address
    const usdc = info.tokens.USDC.address
    const before = await devnet.balance('USDC')
    await router.send('swapExactTokensForTokens', [amountWorth('WETH', 3_000n), 0n, [weth, usdc], devnet.me])
    await router.send('exactInputSingle', [
      {
        tokenIn: weth,
        tokenOut: usdc,
        fee: 500,
        recipient: devnet.me,
        amountIn: amountWorth('WETH', 3_000n),
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      },
    ])
    expect((await devnet.balance('USDC')) - before).toBeGreaterThan(amountWorth('USDC', 5_900n))
  })

  it('UniversalRouter swaps with an allowance in Permit2', async () => {
    const router = devnet.router(
      'uniswapUniversalRouter',
      '@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
    )
    const amountIn = amountWorth('WETH', 3_000n)
    await approve(devnet.token('WETH'), PERMIT2)
    const permit2 = devnet.chain.contractAt(permit2Abi, PERMIT2)
    await permit2.send('approve', [info.tokens.WETH.address, router.address, amountIn, NEVER])
    const abi = AbiCoder.defaultAbiCoder()
    const path = concat([info.tokens.WETH.address, '0x0001f4', info.tokens.USDC.address])
    const V3_SWAP_EXACT_IN = '0x00'
    const input = abi.encode(
      ['address', 'uint256', 'uint256', 'bytes', 'bool', 'uint256[]'],
      [devnet.me, amountIn, 0n, path, true, []],
    )
    const before = await devnet.balance('USDC')
    await router.send('execute(bytes,bytes[],uint256)', [V3_SWAP_EXACT_IN, [input], NEVER])
    expect((await devnet.balance('USDC')) - before).toBeGreaterThan(amountWorth('USDC', 2_950n))
  })
})
