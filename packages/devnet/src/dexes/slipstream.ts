/** Deploys Slipstream, Aerodrome's concentrated-liquidity pools, from its sources. */
import { ZeroAddress } from 'ethers'
import { compileSources } from '../compile.ts'
import { type FeeOverride, type PoolSpec, poolSpec } from '../pools.ts'
import { compile, publishedSources } from '../solc.ts'
import { fundDeployer, mintRanges, sortPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Slipstream'
const FAMILY = 'slipstream'
const SOURCES = 'sphere-mezo-solidity-files/domains/aerodrome-slipstream/contracts'

export const compileSlipstream = () =>
  compile({
    compiler: 'solc-0.7.6',
    evmVersion: 'istanbul',
    // Setting of Slipstream's authors. With many more runs the pool could exceed the EVM's code size limit.
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
  { ...poolSpec('WETH', 'USDC', 9_000_000n, -4n), tickSpacing: 100 },
  { ...poolSpec('USDC', 'USDT', 7_000_000n, 1n), tickSpacing: 1 },
  { ...poolSpec('WBTC', 'WETH', 4_000_000n, 6n), tickSpacing: 200, customFeePpm: 2_100 },
]

export const slipstream: Recipe = async (chain, tokens) => {
  const { CLPool, CLFactory, CustomSwapFeeModule, NonfungiblePositionManager, SwapRouter, QuoterV2 } =
    compileSlipstream()
  const weth = tokens.WETH.address
  // One empty contract serves as the voter (there are no gauges) and as the previous factory (which has no pools).
  const { address: emptyContract } = await chain.deploy(compileSources().SlipstreamBeginnings!)
  const implementation = await chain.deploy(CLPool!)
  const factory = await chain.deploy(CLFactory!, [emptyContract, emptyContract, implementation.address])
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

  await fundDeployer(chain, tokens, positions.address, SLIPSTREAM_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of SLIPSTREAM_POOLS) {
    const { tickSpacing } = spec
    const sortedSpec = sortPool(spec, tokens)
    await factory.send('createPool', [sortedSpec.token0, sortedSpec.token1, tickSpacing, sortedSpec.sqrtPriceX96])
    const pool = chain.contractAt(
      CLPool!.abi,
      await factory.read<string>('getPool', [sortedSpec.token0, sortedSpec.token1, tickSpacing]),
    )
    const { tick } = await pool.readAll('slot0')
    const poolFields = { tickSpacing, sqrtPriceX96: 0n }
    await mintRanges(chain, positions, sortedSpec, { tick: Number(tick), spacing: tickSpacing }, poolFields)
    if (spec.customFeePpm) await feeModule.send('setCustomFee', [pool.address, spec.customFeePpm])
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
