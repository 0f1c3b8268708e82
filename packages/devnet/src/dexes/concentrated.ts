/** Integer arithmetic and positions shared by the recipes of concentrated-liquidity pools. */
import type { Address } from '@sluice/chains'
import { MaxUint256 } from 'ethers'
import type { Builder, Contract } from '../builder.ts'
import type { PoolSpec } from '../pools.ts'
import { giveTokens, type Tokens } from '../tokens.ts'
import { amounts } from './constant-product.ts'

/** Bound of all prices on the local chain. Ranges round it to a multiple of the tick spacing. */
const MAX_TICK = 887_272

/** Deadline after every block of the local chain. */
const NEVER = 1n << 40n

/** A pool's tokens, amounts, and start price in the order of its contract. */
export type SortedPool = {
  readonly token0: Address
  readonly token1: Address
  readonly amount0: bigint
  readonly amount1: bigint
  readonly sqrtPriceX96: bigint
}

/**
 * Sorts a pool's tokens by address.
 *
 * @param addressOf - returns the address of a pool's token; the token's own by default
 */
export function sortedPool(
  spec: PoolSpec,
  tokens: Tokens,
  addressOf: (symbol: PoolSpec['pair'][0]) => Address = (symbol) => tokens[symbol].address,
): SortedPool {
  const [amountA, amountB] = amounts(spec)
  const [a, b] = [addressOf(spec.pair[0]), addressOf(spec.pair[1])]
  const inOrder = BigInt(a) < BigInt(b)
  const [token0, token1, amount0, amount1] = inOrder ? [a, b, amountA, amountB] : [b, a, amountB, amountA]
  return { token0, token1, amount0, amount1, sqrtPriceX96: squareRoot((amount1 << 192n) / amount0) }
}

/** A range of ticks and its share of the pool's dollars. */
export type TickRange = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly shareBps: bigint
  /** Tokens that the range takes. One-sided ranges do not contain the price. */
  readonly side: 'both' | '0' | '1'
}

/** Returns the ranges of a pool: a deep center, a wide middle, a thin full range, and a narrow range on each side of the price. */
export function ranges(tick: number, spacing: number): TickRange[] {
  const tickBelow = (value: number) => Math.floor(value / spacing) * spacing
  const tickAbove = (value: number) => Math.ceil(value / spacing) * spacing
  const nearTicks = Math.max(200, 4 * spacing)
  const wide = Math.max(2_000, 20 * spacing)
  return [
    { tickLower: tickAbove(-MAX_TICK), tickUpper: tickBelow(MAX_TICK), shareBps: 1_000n, side: 'both' },
    { tickLower: tickBelow(tick - wide), tickUpper: tickAbove(tick + wide), shareBps: 4_000n, side: 'both' },
    { tickLower: tickBelow(tick - nearTicks), tickUpper: tickAbove(tick + nearTicks), shareBps: 4_000n, side: 'both' },
    { tickLower: tickAbove(tick + nearTicks), tickUpper: tickAbove(tick + 3 * nearTicks), shareBps: 500n, side: '0' },
    { tickLower: tickBelow(tick - 3 * nearTicks), tickUpper: tickBelow(tick - nearTicks), shareBps: 500n, side: '1' },
  ]
}

/**
 * Returns liquidity that takes roughly the range's share of the pool's amounts, for pools that take liquidity instead
 * of amounts. To first order, a range of w ticks on one side of the price needs w / 20,000 of a full range's amount.
 */
export function liquidityOf({ tickLower, tickUpper, shareBps, side }: TickRange, pool: SortedPool): bigint {
  const width = (tickUpper - tickLower) / (side === 'both' ? 2 : 1)
  const ticks = BigInt(Math.min(Math.trunc(width), 20_000))
  return (squareRoot(pool.amount0 * pool.amount1) * shareBps * 20_000n) / (ticks * 10_000n)
}

/** Mints the pool's ranges through a position manager similar to Uniswap V3's. */
export async function mintRanges(
  chain: Builder,
  positions: Contract,
  pool: SortedPool,
  { tick, spacing }: { tick: number; spacing: number },
  /** Additional fields of the manager's `mint`. */
  poolFields: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { tickLower, tickUpper, shareBps, side } of ranges(tick, spacing)) {
    await positions.send('mint', [
      {
        ...poolFields,
        token0: pool.token0,
        token1: pool.token1,
        tickLower,
        tickUpper,
        amount0Desired: side === '1' ? 0n : (pool.amount0 * shareBps) / 10_000n,
        amount1Desired: side === '0' ? 0n : (pool.amount1 * shareBps) / 10_000n,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: chain.from,
        deadline: NEVER,
      },
    ])
  }
}

/** Gives the deployer `times` the pools' amounts and approves the spender. */
export async function fund(
  chain: Builder,
  tokens: Tokens,
  spender: Address,
  specs: readonly PoolSpec[],
  times = 1n,
): Promise<void> {
  for (const spec of specs) {
    const deposits = amounts(spec)
    for (const [index, symbol] of spec.pair.entries()) {
      await giveTokens(chain, tokens, symbol, chain.from, deposits[index]! * times)
    }
  }
  for (const symbol of new Set(specs.flatMap(({ pair }) => pair))) {
    await tokens[symbol].send('approve', [spender, MaxUint256])
  }
}

/** Returns the square root, rounded down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
