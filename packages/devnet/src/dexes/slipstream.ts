/** Slipstream, Aerodrome's concentrated liquidity, compiled from its sources. */
import { ZeroAddress } from 'ethers'
import { compileSources } from '../compile.ts'
import { type FeeOverride, type PoolSpec, pool } from '../pools.ts'
import { compile, publishedSources } from '../solc.ts'
import { fund, mintRanges, sortedPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Slipstream'
const FAMILY = 'slipstream'
const SOURCES = 'sphere-mezo-solidity-files/domains/aerodrome-slipstream/contracts'

export const slipstreamContracts = () =>
  compile({
    compiler: 'solc-0.7.6',
    evmVersion: 'istanbul',
    // The authors' setting. The pool is close to the EVM's code size limit.
    runs: 200,
    sources: publishedSources([
      `${SOURCES}/core/CLPool.sol`,
      `${SOURCES}/core/CLFactory.sol`,
      `${SOURCES}/core/fees/CustomSwapFeeModule.sol`,
      `${SOURCES}/periphery/NonfungiblePositionManager.sol`,
      `${SOURCES}/periphery/SwapRouter.sol`,
      `${SOURCES}/periphery/lens/QuoterV2.sol`,
    ]),
    packages: ['sphere-mezo-solidity-files'],
  })

type SpacedPoolSpec = PoolSpec & FeeOverride & { readonly tickSpacing: number }

const SLIPSTREAM_POOLS: readonly SpacedPoolSpec[] = [
  { ...pool('WETH', 'USDC', 9_000_000n, -4n), tickSpacing: 100 },
  { ...pool('USDC', 'USDT', 7_000_000n, 1n), tickSpacing: 1 },
  { ...pool('WBTC', 'WETH', 4_000_000n, 6n), tickSpacing: 200, ownFeePpm: 2_100 },
]

export const slipstream: Recipe = async (chain, tokens) => {
  const { CLPool, CLFactory, CustomSwapFeeModule, NonfungiblePositionManager, SwapRouter, QuoterV2 } =
    slipstreamContracts()
  const weth = tokens.WETH.address
  // Stands in for the voter, with its gauges, and for the previous factory, with its pools.
  const { address: nothing } = await chain.deploy(compileSources().SlipstreamBeginnings!)
  const implementation = await chain.deploy(CLPool!)
  const factory = await chain.deploy(CLFactory!, [nothing, nothing, implementation.address])
  const feeModule = await chain.deploy(CustomSwapFeeModule!, [factory.address])
  await factory.send('setSwapFeeModule', [feeModule.address])
  const positions = await chain.deploy(NonfungiblePositionManager!, [
    factory.address,
    weth,
    ZeroAddress,
    'Slipstream Position NFT',
    'CL-POS',
  ])
  const router = await chain.deploy(SwapRouter!, [factory.address, weth])
  const quoter = await chain.deploy(QuoterV2!, [factory.address, weth])

  await fund(chain, tokens, positions.address, SLIPSTREAM_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of SLIPSTREAM_POOLS) {
    const { tickSpacing } = spec
    const side = sortedPool(spec, tokens)
    await factory.send('createPool', [side.token0, side.token1, tickSpacing, side.sqrtPriceX96])
    const pool = chain.contractAt(
      CLPool!.abi,
      await factory.read<string>('getPool', [side.token0, side.token1, tickSpacing]),
    )
    const { tick } = await pool.readAll('slot0')
    const poolFields = { tickSpacing, sqrtPriceX96: 0n }
    await mintRanges(chain, positions, side, { tick: Number(tick), spacing: tickSpacing }, poolFields)
    if (spec.ownFeePpm) await feeModule.send('setCustomFee', [pool.address, spec.ownFeePpm])
    const feePpm = Number(await pool.read<bigint>('fee'))
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair, feePpm, tickSpacing })
  }
  return {
    rows: [factoryRow({ family: FAMILY, brand: BRAND }, factory.address)],
    pools,
    routers: {
      slipstreamFactory: factory.address,
      slipstreamPositionManager: positions.address,
      slipstreamSwapRouter: router.address,
      slipstreamQuoterV2: quoter.address,
    },
  }
}
