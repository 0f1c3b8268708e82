/**
 * Which pools stand on the local chain. Depths and prices differ on purpose, so that good routes split and hop; but no pool
 * is off the list price by more than its fee, so that no cycle gains, and quotes know their bound. Any two
 * tokens are at most four pools of Uniswap's V2 and V3 kind apart, and each has such a pool with a hub of the chain.
 */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Dollars on both sides together. */
  readonly dollars: bigint
  /** Discount of the second token against its list price, in basis points. */
  readonly skewBps: bigint
}

/** `fee` in parts per million, as the factory counts it. */
export type TieredPoolSpec = PoolSpec & { readonly fee: number }

const pool = (a: TokenSymbol, b: TokenSymbol, dollars: bigint, skewBps = 0n): PoolSpec => ({
  pair: [a, b],
  dollars,
  skewBps,
})
const tiered = (a: TokenSymbol, b: TokenSymbol, fee: number, dollars: bigint, skewBps = 0n): TieredPoolSpec => ({
  ...pool(a, b, dollars, skewBps),
  fee,
})

export const UNISWAP_V2_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 20_000_000n),
  pool('WETH', 'USDT', 12_000_000n, 9n),
  pool('WETH', 'DAI', 8_000_000n, -6n),
  pool('WETH', 'WBTC', 6_000_000n, 4n),
  pool('WETH', 'LINK', 3_000_000n, -11n),
  pool('WETH', 'UNI', 2_000_000n, 7n),
  pool('WETH', 'STETH', 4_000_000n, 3n),
  pool('WETH', 'TAXED', 1_500_000n),
  pool('USDC', 'TAXED', 400_000n, 15n),
  pool('WETH', 'PEPE', 1_000_000n, 5n),
  pool('USDC', 'USDT', 2_000_000n, 2n),
  pool('USDC', 'GUSD', 500_000n, -4n),
  pool('LINK', 'HEX', 300_000n, 8n),
  pool('UNI', 'FAR', 120_000n, -20n),
  pool('TAIL', 'FAR', 60_000n, 25n),
]

export const PANCAKE_V2_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 9_000_000n, 12n),
  pool('WETH', 'USDT', 5_000_000n, -8n),
  pool('WBTC', 'USDC', 3_000_000n, 6n),
  pool('DAI', 'USDC', 3_000_000n, -3n),
  pool('WETH', 'UNI', 1_000_000n, -9n),
  pool('WETH', 'AAVE', 1_200_000n, 10n),
  pool('WETH', 'TAXED', 500_000n, -12n),
  pool('STETH', 'USDC', 700_000n, -5n),
  pool('USDT', 'CRV', 600_000n, 14n),
  pool('UNI', 'TAIL', 250_000n),
]

export const UNISWAP_V3_POOLS: readonly TieredPoolSpec[] = [
  tiered('WETH', 'USDC', 500, 60_000_000n, 2n),
  tiered('WETH', 'USDC', 3000, 30_000_000n, -7n),
  tiered('WETH', 'USDC', 10000, 1_000_000n, 31n),
  tiered('WETH', 'USDT', 500, 25_000_000n, -3n),
  tiered('WETH', 'USDT', 3000, 14_000_000n, 11n),
  tiered('WETH', 'DAI', 3000, 10_000_000n, 5n),
  tiered('WBTC', 'WETH', 500, 18_000_000n, -2n),
  tiered('WBTC', 'WETH', 3000, 20_000_000n, 8n),
  tiered('WBTC', 'USDC', 3000, 6_000_000n, -10n),
  tiered('WBTC', 'TBTC', 100, 5_000_000n, 1n),
  tiered('USDC', 'USDT', 100, 40_000_000n, 1n),
  tiered('DAI', 'USDC', 100, 30_000_000n),
  tiered('DAI', 'USDC', 500, 2_000_000n, 3n),
  tiered('FRAX', 'USDC', 500, 8_000_000n, -2n),
  tiered('SDAI', 'USDC', 100, 1_500_000n),
  tiered('SUSDC', 'USDC', 500, 800_000n, 4n),
  tiered('WSTETH', 'WETH', 100, 6_000_000n, 1n),
  tiered('LINK', 'WETH', 3000, 7_000_000n, 6n),
  tiered('UNI', 'WETH', 3000, 5_000_000n, -6n),
  tiered('AAVE', 'WETH', 3000, 3_000_000n, 4n),
  tiered('CRV', 'WETH', 10000, 900_000n, -16n),
  tiered('PEPE', 'WETH', 10000, 1_500_000n, 13n),
]

export type KeyedPoolSpec = TieredPoolSpec & {
  readonly tickSpacing: number
  /** `native`: trades the native token where the pair says WETH. `hooked`: a hook takes a fee of its own. */
  readonly kind: 'plain' | 'native' | 'hooked'
}

const keyed = (spec: TieredPoolSpec, tickSpacing: number, kind: KeyedPoolSpec['kind'] = 'plain'): KeyedPoolSpec => ({
  ...spec,
  tickSpacing,
  kind,
})

export const UNISWAP_V4_POOLS: readonly KeyedPoolSpec[] = [
  keyed(tiered('WETH', 'USDC', 500, 24_000_000n, -4n), 10, 'native'),
  keyed(tiered('WETH', 'USDT', 3000, 9_000_000n, 14n), 60, 'native'),
  keyed(tiered('WETH', 'LINK', 3000, 2_500_000n, -9n), 60, 'native'),
  keyed(tiered('WBTC', 'USDC', 3000, 4_000_000n, 7n), 60),
  keyed(tiered('USDC', 'USDT', 10, 20_000_000n), 1),
  keyed(tiered('SDAI', 'USDC', 100, 3_000_000n, 1n), 1),
  keyed(tiered('UNI', 'USDC', 3000, 600_000n, -8n), 60, 'hooked'),
]

export const PANCAKE_V3_POOLS: readonly TieredPoolSpec[] = [
  tiered('WETH', 'USDC', 500, 16_000_000n, 3n),
  tiered('WETH', 'USDT', 2500, 6_000_000n, -12n),
  tiered('USDC', 'USDT', 100, 12_000_000n, 1n),
  tiered('AAVE', 'USDC', 2500, 1_800_000n, 9n),
  tiered('WETH', 'PEPE', 10000, 700_000n, -21n),
]

export const ALGEBRA_V1_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 7_000_000n, -11n),
  pool('WETH', 'LINK', 2_000_000n, 12n),
  pool('UNI', 'USDC', 1_500_000n, -7n),
]

/** Fees are set by hand: no plugin moves them. */
export const ALGEBRA_INTEGRAL_POOLS: readonly TieredPoolSpec[] = [
  tiered('WETH', 'USDT', 900, 6_000_000n, 4n),
  tiered('WBTC', 'WETH', 400, 9_000_000n, -3n),
  tiered('FRAX', 'USDC', 80, 5_000_000n),
]

/** The plugin that comes with the protocol moves their fees with volatility. */
export const ALGEBRA_INTEGRAL_DYNAMIC_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 5_000_000n, 9n),
  pool('LINK', 'USDC', 1_200_000n, -13n),
]

export type StablePoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  /** Dollars of each token; unequal, so that prices are. */
  readonly dollars: readonly bigint[]
  readonly amplification: bigint
  readonly feePpm: number
}

export const CURVE_POOLS: readonly StablePoolSpec[] = [
  {
    tokens: ['DAI', 'USDC', 'USDT', 'FRAX'],
    dollars: [3_000_000n, 3_100_000n, 2_900_000n, 3_000_000n],
    amplification: 200n,
    feePpm: 400,
  },
  {
    tokens: ['USDC', 'FRAX', 'GUSD', 'DAI'],
    dollars: [520_000n, 545_000n, 505_000n, 530_000n],
    amplification: 100n,
    feePpm: 1000,
  },
]

export type WeightedPoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  readonly weightsPercent: readonly bigint[]
  /** On all sides together, shared by weight. */
  readonly dollars: bigint
  readonly feePpm: number
}

export const BALANCER_WEIGHTED_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['AAVE', 'WETH'], weightsPercent: [80n, 20n], dollars: 4_000_000n, feePpm: 3000 },
  { tokens: ['WBTC', 'WETH', 'USDC'], weightsPercent: [40n, 40n, 20n], dollars: 9_000_000n, feePpm: 1500 },
  { tokens: ['CRV', 'UNI', 'LINK', 'WETH'], weightsPercent: [25n, 25n, 25n, 25n], dollars: 3_000_000n, feePpm: 2500 },
]

export const BALANCER_V1_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['CRV', 'WETH'], weightsPercent: [80n, 20n], dollars: 500_000n, feePpm: 3000 },
  { tokens: ['AAVE', 'UNI', 'LINK'], weightsPercent: [50n, 30n, 20n], dollars: 600_000n, feePpm: 2500 },
]

/** Shares of a vault are counted at what the vault pays for them. */
export const BALANCER_STABLE_POOLS: readonly StablePoolSpec[] = [
  {
    tokens: ['DAI', 'USDC', 'USDT'],
    dollars: [2_000_000n, 1_900_000n, 2_100_000n],
    amplification: 500n,
    feePpm: 300,
  },
  { tokens: ['SDAI', 'USDC'], dollars: [1_540_000n, 1_460_000n], amplification: 200n, feePpm: 400 },
]

/** Fees are those of the kind unless the pool has one of its own. */
export type FeeOverride = { readonly ownFeePpm?: number }

export type SolidlyPoolSpec = PoolSpec & FeeOverride & { readonly stable: boolean }

export const VELODROME_V2_POOLS: readonly SolidlyPoolSpec[] = [
  { ...pool('WETH', 'USDC', 3_000_000n, 8n), stable: false },
  { ...pool('AAVE', 'UNI', 400_000n, -14n), stable: false, ownFeePpm: 10_000 },
  { ...pool('USDC', 'USDT', 2_500_000n, 3n), stable: true },
  { ...pool('DAI', 'USDC', 1_500_000n, -40n), stable: true, ownFeePpm: 100 },
  { ...pool('WSTETH', 'WETH', 1_800_000n, 15n), stable: false },
  { ...pool('GUSD', 'FRAX', 300_000n, -25n), stable: true },
]

export type SpacedPoolSpec = PoolSpec & FeeOverride & { readonly tickSpacing: number }

export const SLIPSTREAM_POOLS: readonly SpacedPoolSpec[] = [
  { ...pool('WETH', 'USDC', 9_000_000n, -4n), tickSpacing: 100 },
  { ...pool('USDC', 'USDT', 7_000_000n, 1n), tickSpacing: 1 },
  { ...pool('WBTC', 'WETH', 4_000_000n, 6n), tickSpacing: 200, ownFeePpm: 2_100 },
]

export const BALANCER_V3_WEIGHTED_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['UNI', 'WETH'], weightsPercent: [80n, 20n], dollars: 2_200_000n, feePpm: 3000 },
  { tokens: ['WBTC', 'USDC', 'LINK'], weightsPercent: [50n, 30n, 20n], dollars: 5_000_000n, feePpm: 1000 },
]

export const BALANCER_V3_STABLE_POOLS: readonly StablePoolSpec[] = [
  { tokens: ['USDC', 'USDT', 'DAI'], dollars: [1_550_000n, 1_600_000n, 1_500_000n], amplification: 1000n, feePpm: 100 },
  { tokens: ['SDAI', 'DAI'], dollars: [970_000n, 1_030_000n], amplification: 150n, feePpm: 500 },
]

export type LendingReserveSpec = {
  readonly asset: 'USDC' | 'DAI'
  /** Name of its aToken, which is none of the list of tokens. */
  readonly aToken: 'AUSDC' | 'ADAI'
  readonly dollars: bigint
}

export const AAVE_V3_RESERVES: readonly LendingReserveSpec[] = [
  { asset: 'USDC', aToken: 'AUSDC', dollars: 2_000_000n },
  { asset: 'DAI', aToken: 'ADAI', dollars: 1_000_000n },
]
