/** Test vectors of pools with Uniswap V3 math. */
import type { ConcentratedState, Tick } from '../../src/math/concentrated.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

const tokensOf = (pool: VectorPool) =>
  [pool.token0 ?? pool.currency0 ?? 'A', pool.token1 ?? pool.currency1 ?? 'B'].map(namedAddress)

/** Returns the adapter of a family. */
export const concentratedVectors =
  (family: string): Adapter =>
  ({ source, pool }, { reproduced }) => {
    if (reproduced === false) return 'its source merges steps between ticks, so its result is not exact'
    if (source === 'entity') return entity(family, pool)
    const state: ConcentratedState = {
      sqrtPriceX96: BigInt(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: BigInt(pool.liquidity),
      feePpm: pool.fee,
      tickSpacing: pool.tickSpacing,
      // Null: the swap did not read this tick's liquidity, so it did not reach the tick.
      ticks: pool.ticks.map(([index, net]: [number, string | null]): Tick => [index, BigInt(net ?? 0)]),
    }
    return pairOf(family, tokensOf(pool), state)
  }

/** Converts a pool of an indexer. */
function entity(family: string, pool: VectorPool) {
  const { sqrtPriceX96, tick, liquidity, tickSpacing, ticks } = pool.extra
  const state: ConcentratedState = {
    sqrtPriceX96: BigInt(sqrtPriceX96),
    tick,
    liquidity: BigInt(liquidity),
    feePpm: pool.swapFee,
    tickSpacing,
    ticks: ticks.map((one: { index: number; liquidityNet: string }): Tick => [one.index, BigInt(one.liquidityNet)]),
  }
  return pairOf(
    family,
    pool.tokens.map(({ address }: { address: string }) => namedAddress(address)),
    state,
  )
}
