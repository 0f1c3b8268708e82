/** Computes and mints the positions of concentrated-liquidity pools. Several recipes use it. */
import type { Address } from '@sluice/chains'
import { MaxUint256 } from 'ethers'
import type { Builder, Contract } from '../builder.ts'
import type { PoolSpec } from '../pools.ts'
import { giveTokens, type Tokens } from '../tokens.ts'
import { depositAmounts } from './constant-product.ts'

/**
 * Maximum absolute tick in Uniswap V3 and its forks. A full-range position ends at the last multiple of the tick
 * spacing within this bound.
 */
const MAX_TICK = 887_272

/** Deadline after every block of the local chain, as a timestamp. */
const FAR_DEADLINE = 1n << 40n

/** A pool's tokens in the order of its contract, its total deposits, and its initial price. */
export type SortedPool = {
  readonly token0: Address
  readonly token1: Address
  readonly amount0: bigint
  readonly amount1: bigint
  readonly sqrtPriceX96: bigint
}

/**
 * Sorts a pool's tokens by address, and computes its initial price from the deposits.
 *
 * @param addressOf - returns the address by which the pool's contract knows a token; by default that of the token
 */
export function sortPool(
  spec: PoolSpec,
  tokens: Tokens,
  addressOf: (symbol: PoolSpec['pair'][0]) => Address = (symbol) => tokens[symbol].address,
): SortedPool {
  const [amountA, amountB] = depositAmounts(spec)
  const [a, b] = [addressOf(spec.pair[0]), addressOf(spec.pair[1])]
  const isInOrder = BigInt(a) < BigInt(b)
  const [token0, token1, amount0, amount1] = isInOrder ? [a, b, amountA, amountB] : [b, a, amountB, amountA]
  return { token0, token1, amount0, amount1, sqrtPriceX96: squareRoot((amount1 << 192n) / amount0) }
}

/** A position's range of ticks. `shareBps` is the position's part of the pool's deposits. */
export type TickRange = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly shareBps: bigint
  /** Tokens that the position holds: both, or only token 0 or 1 if the price is outside of the range. */
  readonly side: 'both' | '0' | '1'
}

/**
 * Returns the ranges of a pool's positions: the full range with little liquidity, a wide and a narrow range around
 * `tick`, and one range on each side of `tick`.
 */
export function tickRanges(tick: number, spacing: number): TickRange[] {
  const tickBelow = (value: number) => Math.floor(value / spacing) * spacing
  const tickAbove = (value: number) => Math.ceil(value / spacing) * spacing
  const nearTicks = Math.max(200, 4 * spacing)
  const wideTicks = Math.max(2_000, 20 * spacing)
  return [
    { tickLower: tickAbove(-MAX_TICK), tickUpper: tickBelow(MAX_TICK), shareBps: 1_000n, side: 'both' },
    { tickLower: tickBelow(tick - wideTicks), tickUpper: tickAbove(tick + wideTicks), shareBps: 4_000n, side: 'both' },
    { tickLower: tickBelow(tick - nearTicks), tickUpper: tickAbove(tick + nearTicks), shareBps: 4_000n, side: 'both' },
    { tickLower: tickAbove(tick + nearTicks), tickUpper: tickAbove(tick + 3 * nearTicks), shareBps: 500n, side: '0' },
    { tickLower: tickBelow(tick - 3 * nearTicks), tickUpper: tickBelow(tick - nearTicks), shareBps: 500n, side: '1' },
  ]
}

/**
 * Returns the liquidity of a position that needs roughly its share of the pool's deposits. Some contracts take
 * liquidity instead of amounts. To first order, w ticks on one side of the price need w / 20,000 of the amount that the
 * full range needs for the same liquidity.
 */
export function liquidityOf({ tickLower, tickUpper, shareBps, side }: TickRange, pool: SortedPool): bigint {
  const width = (tickUpper - tickLower) / (side === 'both' ? 2 : 1)
  const ticks = BigInt(Math.min(Math.trunc(width), 20_000))
  return (squareRoot(pool.amount0 * pool.amount1) * shareBps * 20_000n) / (ticks * 10_000n)
}

/** Mints the positions of a pool through a position manager with the interface of Uniswap V3. */
export async function mintRanges(
  chain: Builder,
  positions: Contract,
  pool: SortedPool,
  { tick, spacing }: { tick: number; spacing: number },
  /** Additional fields of the manager's `mint`. */
  poolFields: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { tickLower, tickUpper, shareBps, side } of tickRanges(tick, spacing)) {
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
        deadline: FAR_DEADLINE,
      },
    ])
  }
}

/** Gives the deployer `factor` times the deposits of the pools, and approves `spender`. */
export async function fundDeployer(
  chain: Builder,
  tokens: Tokens,
  spender: Address,
  specs: readonly PoolSpec[],
  factor = 1n,
): Promise<void> {
  for (const spec of specs) {
    const deposits = depositAmounts(spec)
    for (const [index, symbol] of spec.pair.entries()) {
      await giveTokens(chain, tokens, symbol, chain.from, deposits[index]! * factor)
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
