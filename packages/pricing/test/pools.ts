import { type Address, type Chain, NATIVE, toAddress } from '@sluice/chains'
import { type Curve, type Pool, PoolRefusal, type Snapshot } from '@sluice/liquidity'
import type { Valuation } from '../src/pool-view.ts'

/** Two shapes of liquidity that tests can place exactly: over all prices, and in ranges. */
type Product = { readonly reserves: readonly [number, number]; readonly keepIn: number }
type Range = { readonly from: number; readonly to: number; readonly liquidity: number }
type Ranges = { readonly price: number; readonly ranges: readonly Range[] }

const product: Valuation = {
  reserves: (pool) => (pool.state as Product).reserves.map(BigInt),
  curve(pool, tokenIn) {
    const { reserves, keepIn } = pool.state as Product
    const [x, y] = tokenIn === pool.tokens[0] ? reserves : [reserves[1], reserves[0]]
    if (x === 0 || y === 0) throw new PoolRefusal('EMPTY', 'one side is empty')
    return {
      sqrtPrice: Float64Array.of(Math.sqrt(y / x), 0),
      liquidity: Float64Array.of(Math.sqrt(x * y)),
      keepIn,
      keepOut: 1,
    }
  },
}

/** Prices are units of the second token per unit of the first. */
const ranges: Valuation = {
  reserves(pool) {
    const { price, ranges: all } = pool.state as Ranges
    let first = 0
    let second = 0
    for (const { from, to, liquidity } of all) {
      const at = Math.min(Math.max(Math.sqrt(price), Math.sqrt(from)), Math.sqrt(to))
      first += liquidity * (1 / at - 1 / Math.sqrt(to))
      second += liquidity * (at - Math.sqrt(from))
    }
    return [BigInt(Math.floor(first)), BigInt(Math.floor(second))]
  },
  curve(pool, tokenIn): Curve {
    const { price, ranges: all } = pool.state as Ranges
    const zeroForOne = tokenIn === pool.tokens[0]
    const seen = zeroForOne ? all : all.map(({ from, to, liquidity }) => ({ from: 1 / to, to: 1 / from, liquidity }))
    const now = zeroForOne ? price : 1 / price
    const bounds = [now, ...seen.flatMap(({ from, to }) => [from, to]).filter((bound) => bound < now)]
    const falling = [...new Set(bounds)].sort((x, y) => y - x)
    const liquidity = falling
      .slice(1)
      .map((to, k) =>
        seen
          .filter((range) => range.from <= to && range.to >= falling[k]!)
          .reduce((sum, range) => sum + range.liquidity, 0),
      )
    return {
      sqrtPrice: Float64Array.from(falling, Math.sqrt),
      liquidity: Float64Array.from(liquidity),
      keepIn: 0.997,
      keepOut: 1,
    }
  },
}

export const familyOf = (id: string): Valuation | undefined => ({ product, ranges })[id]

export const address = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)

let poolCount = 0
function makePool(family: string, tokens: readonly Address[], state: unknown): Pool {
  poolCount++
  return { id: `pool-${poolCount}`, family, dex: family, address: address(0xf000_0000 + poolCount), tokens, state }
}

/** Reserves in base units. */
export const pair = (a: Address, b: Address, reserveA: number, reserveB: number, keepIn = 0.997) =>
  makePool('product', [a, b], { reserves: [Math.floor(reserveA), Math.floor(reserveB)], keepIn })

export const ranged = (a: Address, b: Address, price: number, all: readonly Range[]) =>
  makePool('ranges', [a, b], { price, ranges: all })

/** Liquidity of a range that holds `amount` of the second token below the price. */
export const liquidityFor = (amount: number, from: number, price: number) =>
  amount / (Math.sqrt(price) - Math.sqrt(from))

export const USDC = address(0x10)
export const USDT = address(0x11)
export const DAI = address(0x12)
export const WETH = address(0x20)
export const WBTC = address(0x21)

export const decimalsOf: Readonly<Record<Address, number>> = { [USDC]: 6, [USDT]: 6, [DAI]: 18, [WETH]: 18, [WBTC]: 8 }
const token = (symbol: string, at: Address) => ({ symbol, address: at, decimals: decimalsOf[at]! })

export const chain: Chain = {
  chainId: 1,
  name: 'test',
  displayName: 'Test',
  trackerName: 'Test',
  coinsPrefix: null,
  nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  wrappedNative: token('WETH', WETH),
  stables: [token('USDC', USDC), token('USDT', USDT), token('DAI', DAI)],
  hubs: [WETH, USDC, USDT, DAI, WBTC],
  tokens: [token('WBTC', WBTC)],
  rpcUrls: [],
  blockTimeMs: 12_000,
  l1FeeModel: 'none',
  evm: {},
  dexes: [],
}

export const usdc = (dollars: number) => dollars * 1e6
export const dai = (dollars: number) => dollars * 1e18
export const eth = (whole: number) => whole * 1e18

/** A healthy centre: ether at 3,000 dollars, bitcoin at 60,000. */
export const centre = (): Pool[] => [
  pair(WETH, USDC, eth(10_000), usdc(30e6)),
  pair(WETH, USDT, eth(5_000), usdc(15e6)),
  pair(WETH, DAI, eth(2_000), dai(6e6)),
  pair(WBTC, WETH, 100 * 1e8, eth(2_000)),
]

export function snapshotOf(pools: readonly Pool[]): Snapshot {
  return {
    chainId: 1,
    block: {
      number: 1,
      hash: `0x${'01'.repeat(32)}`,
      parentHash: `0x${'00'.repeat(32)}`,
      timestamp: 1,
      gasLimit: 30_000_000n,
      baseFeePerGas: 1n,
      miner: NATIVE,
    },
    pools: new Map(pools.map((pool) => [pool.id, pool])),
    changed: null,
  }
}
