import { type Address, type Chain, NATIVE, toAddress } from '@sluice/chains'
import type { Pool, Snapshot, UniswapV2State, UniswapV3State } from '@sluice/liquidity'

export const address = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)

let poolCount = 0
function makePool(family: string, tokens: readonly Address[], state: unknown): Pool {
  poolCount++
  // Hex as of contracts: maps of pools find their place by its last digits.
  const own = address(0xf000_0000 + poolCount)
  return { id: own, family, dex: family, address: own, tokens, state }
}

/** Reserves in base units. */
export const pair = (a: Address, b: Address, reserveA: number, reserveB: number, feePpm = 3_000) =>
  makePool('uniswap-v2', [a, b], {
    reserve0: integer(reserveA),
    reserve1: integer(reserveB),
    feePpm,
  } satisfies UniswapV2State)

/** Prices in base units of b per base unit of a. */
type Range = { readonly from: number; readonly to: number; readonly liquidity: number }

export function ranged(a: Address, b: Address, price: number, all: readonly Range[]): Pool {
  const net = new Map<number, bigint>()
  const add = (tick: number, liquidity: bigint) => net.set(tick, (net.get(tick) ?? 0n) + liquidity)
  const tick = tickAt(price)
  let liquidity = 0n
  for (const range of all) {
    const [lower, upper] = [tickAt(range.from), tickAt(range.to)]
    add(lower, integer(range.liquidity))
    add(upper, -integer(range.liquidity))
    if (lower <= tick && tick < upper) liquidity += integer(range.liquidity)
  }
  return makePool('uniswap-v3', [a, b], {
    sqrtPriceX96: integer(Math.sqrt(price) * 2 ** 96),
    tick,
    liquidity,
    feePpm: 3_000,
    tickSpacing: 1,
    ticks: [...net].sort(([x], [y]) => x - y),
  } satisfies UniswapV3State)
}

const tickAt = (price: number) => Math.floor(Math.log(price) / Math.log(1.0001))
const integer = (value: number) => BigInt(Math.floor(value))

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
    changedIds: null,
  }
}
