/** Which pools stand on the local chain. Depths and prices differ on purpose, so that good routes split and hop. */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Dollars on both sides together. */
  readonly dollars: bigint
  /** How much cheaper the second token is here than its list price, in basis points. */
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
  pool('TAIL', 'FAR', 120_000n, -20n),
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
  tiered('DAI', 'USDC', 100, 30_000_000n, -1n),
  tiered('DAI', 'USDC', 500, 2_000_000n, 3n),
  tiered('FRAX', 'USDC', 500, 8_000_000n, -2n),
  tiered('LINK', 'WETH', 3000, 7_000_000n, 6n),
  tiered('UNI', 'WETH', 3000, 5_000_000n, -6n),
  tiered('AAVE', 'WETH', 3000, 3_000_000n, 4n),
  tiered('CRV', 'WETH', 10000, 900_000n, -16n),
  tiered('PEPE', 'WETH', 10000, 1_500_000n, 13n),
]
