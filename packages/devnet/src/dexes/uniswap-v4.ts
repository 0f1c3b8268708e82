/**
 * Deploys Uniswap V4, whose PoolManager holds all pools. A helper contract of this package adds liquidity and trades,
 * because the periphery package is too large to install.
 */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder, keccak256 } from 'ethers'
import { loadArtifact } from '../artifact.ts'
import { compileSources } from '../compile.ts'
import { type TieredPoolSpec, tieredPoolSpec } from '../pools.ts'
import { fundDeployer, liquidityOf, sortPool, tickRanges } from './concentrated.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Uniswap V4'
const FAMILY = 'uniswap-v4'

/**
 * Address of the hook. Its low bits are its permissions: `afterSwap` (1 << 6), and to return a delta from it (1 << 2).
 */
const HOOK = toAddress('0x00000000000000000000000000000000ab000044')

/** Wei sent with each mint in a pool of the native token: more than any needs. The helper contract returns the rest. */
const SPARE_WEI = 100_000n * 10n ** 18n

const loadCoreArtifact = (name: string) => loadArtifact(`@uniswap/v4-core/out/${name}.sol/${name}.json`)

/** Key of a Uniswap V4 pool. */
export type PoolKey = {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** Returns the id of a pool: the hash of its key. */
export function poolId({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex {
  const types = ['address', 'address', 'uint24', 'int24', 'address']
  return keccak256(AbiCoder.defaultAbiCoder().encode(types, [currency0, currency1, fee, tickSpacing, hooks])) as Hex
}

type KeyedPoolSpec = TieredPoolSpec & {
  readonly tickSpacing: number
  /** `native`: trades the native token instead of WETH. `hooked`: a hook takes an additional fee. */
  readonly kind: 'plain' | 'native' | 'hooked'
}

const keyedPoolSpec = (
  spec: TieredPoolSpec,
  tickSpacing: number,
  kind: KeyedPoolSpec['kind'] = 'plain',
): KeyedPoolSpec => ({
  ...spec,
  tickSpacing,
  kind,
})

const UNISWAP_V4_POOLS: readonly KeyedPoolSpec[] = [
  keyedPoolSpec(tieredPoolSpec('WETH', 'USDC', 500, 24_000_000n, -4n), 10, 'native'),
  keyedPoolSpec(tieredPoolSpec('WETH', 'USDT', 3000, 9_000_000n, 14n), 60, 'native'),
  keyedPoolSpec(tieredPoolSpec('WETH', 'LINK', 3000, 2_500_000n, -9n), 60, 'native'),
  keyedPoolSpec(tieredPoolSpec('WBTC', 'USDC', 3000, 4_000_000n, 7n), 60),
  keyedPoolSpec(tieredPoolSpec('USDC', 'USDT', 10, 20_000_000n), 1),
  keyedPoolSpec(tieredPoolSpec('SDAI', 'USDC', 100, 3_000_000n, 1n), 1),
  keyedPoolSpec(tieredPoolSpec('UNI', 'USDC', 3000, 600_000n, -8n), 60, 'hooked'),
]

export const uniswapV4: Recipe = async (chain, tokens) => {
  const manager = await chain.deploy(loadCoreArtifact('PoolManager'), [chain.from])
  const trader = await chain.deploy(compileSources().UniswapV4Trader!, [manager.address])

  async function createPool(spec: KeyedPoolSpec): Promise<DevnetPool> {
    const addressOf = (symbol: KeyedPoolSpec['pair'][0]) =>
      spec.kind === 'native' && symbol === 'WETH' ? ZERO_ADDRESS : tokens[symbol].address
    const sortedSpec = sortPool(spec, tokens, addressOf)
    const { fee, tickSpacing } = spec
    const hooks = spec.kind === 'hooked' ? HOOK : ZERO_ADDRESS
    const key: PoolKey = { currency0: sortedSpec.token0, currency1: sortedSpec.token1, fee, tickSpacing, hooks }
    const tick = Number(await manager.read<bigint>('initialize', [key, sortedSpec.sqrtPriceX96]))
    await manager.send('initialize', [key, sortedSpec.sqrtPriceX96])
    for (const range of tickRanges(tick, tickSpacing)) {
      const value = spec.kind === 'native' ? SPARE_WEI : 0n
      await trader.send('mint', [key, range.tickLower, range.tickUpper, liquidityOf(range, sortedSpec)], value)
    }
    return {
      dex: BRAND,
      family: FAMILY,
      address: manager.address,
      id: poolId(key),
      tokens: spec.pair.map((symbol) => (spec.kind === 'native' && symbol === 'WETH' ? 'ETH' : symbol)),
      feePpm: fee,
      tickSpacing,
      hooks,
    }
  }

  // On live chains, deployers search a CREATE2 salt for an address with these bits. Here the code is set at the
  // address.
  const hook = await chain.deploy(loadCoreArtifact('FeeTakingHook'), [manager.address])
  await chain.setCode(HOOK, await chain.code(hook.address))

  await fundDeployer(chain, tokens, trader.address, UNISWAP_V4_POOLS, 2n)
  const pools: DevnetPool[] = []
  for (const spec of UNISWAP_V4_POOLS) pools.push(await createPool(spec))
  return {
    rows: [{ family: FAMILY, brand: BRAND, role: 'pool manager', address: manager.address, startBlock: START_BLOCK }],
    pools,
    routers: { uniswapV4PoolManager: manager.address, uniswapV4Trader: trader.address },
  }
}
