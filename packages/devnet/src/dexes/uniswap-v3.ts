import type { Hex } from '@sluice/chains'
import { keccak256, MaxUint256, ZeroAddress } from 'ethers'
import { hardhatArtifact } from '../artifact.ts'
import { type TieredPoolSpec, UNISWAP_V3_POOLS } from '../pools.ts'
import { give } from '../tokens.ts'
import { ranges, sorted } from './concentrated.ts'
import { amounts } from './constant-product.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Uniswap V3'
const FAMILY = 'uniswap-v3'
/** Past every block of the local chain. */
const NEVER = 1n << 40n

export const uniswapV3: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const poolCode = hardhatArtifact('@uniswap/v3-core', 'UniswapV3Pool')
  const factory = await chain.deploy(hardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory'))
  // The tier for stable pairs came after the factory's own three, by vote.
  await factory.send('enableFeeAmount', [100, 1])
  const periphery = (name: string) => hardhatArtifact('@uniswap/v3-periphery', name)
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [factory.address, weth, ZeroAddress])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth])
  const quoter = await chain.deploy(periphery('lens/QuoterV2'), [factory.address, weth])
  const tickLens = await chain.deploy(periphery('lens/TickLens'))

  for (const symbol of new Set(UNISWAP_V3_POOLS.flatMap(({ pair }) => pair))) {
    await tokens[symbol].send('approve', [positions.address, MaxUint256])
  }

  async function createPool(spec: TieredPoolSpec): Promise<DevnetPool> {
    const { token0, token1, amount0, amount1, sqrtPriceX96 } = sorted(spec, tokens)
    const given = amounts(spec)
    for (const [index, symbol] of spec.pair.entries()) await give(chain, tokens, symbol, chain.from, given[index]!)
    await positions.send('createAndInitializePoolIfNecessary', [token0, token1, spec.fee, sqrtPriceX96])
    const pool = chain.at(poolCode.abi, await factory.read<string>('getPool', [token0, token1, spec.fee]))
    // The pool has computed its tick from the price: no logarithm of ours decides where liquidity stands.
    const slot0 = pool.abi.decodeFunctionResult('slot0', await pool.call('slot0'))
    const spacing = Number(await pool.read<bigint>('tickSpacing'))
    for (const { tickLower, tickUpper, shareBps, side } of ranges(Number(slot0.tick), spacing)) {
      await positions.send('mint', [
        {
          token0,
          token1,
          fee: spec.fee,
          tickLower,
          tickUpper,
          amount0Desired: side === '1' ? 0n : (amount0 * shareBps) / 10_000n,
          amount1Desired: side === '0' ? 0n : (amount1 * shareBps) / 10_000n,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: chain.from,
          deadline: NEVER,
        },
      ])
    }
    return { dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair, feePpm: spec.fee }
  }

  const pools: DevnetPool[] = []
  for (const spec of UNISWAP_V3_POOLS) pools.push(await createPool(spec))
  return {
    row: {
      family: FAMILY,
      brand: BRAND,
      role: 'factory',
      address: factory.address,
      initCodeHash: keccak256(poolCode.bytecode) as Hex,
      startBlock: START_BLOCK,
    },
    pools,
    routers: {
      uniswapV3Factory: factory.address,
      uniswapV3PositionManager: positions.address,
      uniswapV3SwapRouter: router.address,
      uniswapV3QuoterV2: quoter.address,
      uniswapV3TickLens: tickLens.address,
    },
  }
}
