/** Arithmetic and positions that concentrated-liquidity pools share, in whole numbers only. */
import type { PoolSpec } from '../pools.ts'
import type { Tokens } from '../tokens.ts'
import { amounts } from './constant-product.ts'

/** Far enough for any price of the local chain, and a multiple of every tick spacing after rounding. */
const MAX_TICK = 887_272

/** Token order, amounts and start price of a pool as its contract sees them. */
export function sorted(spec: PoolSpec, tokens: Tokens) {
  const [amountA, amountB] = amounts(spec)
  const a = tokens[spec.pair[0]].address
  const b = tokens[spec.pair[1]].address
  const inOrder = BigInt(a) < BigInt(b)
  const [token0, token1, amount0, amount1] = inOrder ? [a, b, amountA, amountB] : [b, a, amountB, amountA]
  return { token0, token1, amount0, amount1, sqrtPriceX96: squareRoot((amount1 << 192n) / amount0) }
}

/** A range of ticks and the part of the pool's dollars that stands in it. */
export type Range = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly shareBps: bigint
  /** Which tokens it takes: one-sided ranges stand beside the price. */
  readonly side: 'both' | '0' | '1'
}

/** A deep centre, a wide middle, a thin full range, and an order-like range on each side of the price. */
export function ranges(tick: number, spacing: number): Range[] {
  const down = (value: number) => Math.floor(value / spacing) * spacing
  const up = (value: number) => Math.ceil(value / spacing) * spacing
  const near = Math.max(200, 4 * spacing)
  const wide = Math.max(2_000, 20 * spacing)
  return [
    { tickLower: up(-MAX_TICK), tickUpper: down(MAX_TICK), shareBps: 1_000n, side: 'both' },
    { tickLower: down(tick - wide), tickUpper: up(tick + wide), shareBps: 4_000n, side: 'both' },
    { tickLower: down(tick - near), tickUpper: up(tick + near), shareBps: 4_000n, side: 'both' },
    { tickLower: up(tick + near), tickUpper: up(tick + 3 * near), shareBps: 500n, side: '0' },
    { tickLower: down(tick - 3 * near), tickUpper: down(tick - near), shareBps: 500n, side: '1' },
  ]
}

/** Rounded down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
