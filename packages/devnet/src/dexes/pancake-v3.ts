/** Deploys PancakeSwap V3, a fork of Uniswap V3 with a separate pool deployer, and its pools. */
import type { Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { loadHardhatArtifact } from '../artifact.ts'
import { compileSources } from '../compile.ts'
import { type TieredPoolSpec, tieredPoolSpec } from '../pools.ts'
import { fundDeployer, liquidityOf, sortPool, tickRanges } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'PancakeSwap V3'
const FAMILY = 'pancake-v3'

const PANCAKE_V3_POOLS: readonly TieredPoolSpec[] = [
  tieredPoolSpec('WETH', 'USDC', 500, 16_000_000n, 3n),
  tieredPoolSpec('WETH', 'USDT', 2500, 6_000_000n, -12n),
  tieredPoolSpec('USDC', 'USDT', 100, 12_000_000n, 1n),
  tieredPoolSpec('AAVE', 'USDC', 2500, 1_800_000n, 9n),
  tieredPoolSpec('WETH', 'PEPE', 10000, 700_000n, -21n),
]

export const pancakeV3: Recipe = async (chain, tokens) => {
  const { PancakeV3Deployer, PancakeV3Trader } = compileSources()
  const poolArtifact = loadHardhatArtifact('@pancakeswap/v3-core', 'PancakeV3Pool')
  const storedCode = await chain.transact({ data: initcodeThatStores(poolArtifact.bytecode) })
  const deployer = await chain.deploy(PancakeV3Deployer!, [storedCode.contractAddress])
  const factory = await chain.deploy(loadHardhatArtifact('@pancakeswap/v3-core', 'PancakeV3Factory'), [
    deployer.address,
  ])
  await deployer.send('setFactoryAddress', [factory.address])
  const trader = await chain.deploy(PancakeV3Trader!)

  await fundDeployer(chain, tokens, trader.address, PANCAKE_V3_POOLS, 2n)
  const pools: DevnetPool[] = []
  for (const spec of PANCAKE_V3_POOLS) {
    const sortedSpec = sortPool(spec, tokens)
    const key = [sortedSpec.token0, sortedSpec.token1, spec.fee]
    await factory.send('createPool', key)
    const pool = chain.contractAt(poolArtifact.abi, await factory.read<string>('getPool', key))
    await pool.send('initialize', [sortedSpec.sqrtPriceX96])
    const { tick } = await pool.readAll('slot0')
    const spacing = await pool.read<bigint>('tickSpacing')
    for (const range of tickRanges(Number(tick), Number(spacing))) {
      await trader.send('mint', [pool.address, range.tickLower, range.tickUpper, liquidityOf(range, sortedSpec)])
    }
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair, feePpm: spec.fee })
  }
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, {
        initCodeHash: keccak256(poolArtifact.bytecode) as Hex,
        contracts: { poolDeployer: deployer.address },
      }),
    ],
    pools,
    routers: { pancakeV3Factory: factory.address, pancakeV3Trader: trader.address },
  }
}

/**
 * Returns the init code of a contract whose code is a zero byte (STOP) and then `code`. A call of the contract does
 * nothing. The pool deployer reads the init code of pools from it.
 */
function initcodeThatStores(code: Hex): Hex {
  const size = (code.length / 2).toString(16).padStart(4, '0')
  // PUSH2 size DUP1 PUSH1 10 RETURNDATASIZE CODECOPY RETURNDATASIZE RETURN, then the copied bytes from offset 10.
  return `0x61${size}80600a3d393df300${code.slice(2)}`
}
