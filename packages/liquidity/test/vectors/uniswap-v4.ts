/** Test vectors of Uniswap V4. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { touchesSwaps } from '../../src/dexes/uniswap-v4/hooks.ts'
import type { UniswapV4State } from '../../src/dexes/uniswap-v4/types.ts'
import type { Tick } from '../../src/math/concentrated.ts'
import { namedAddress } from './address.ts'
import { concentratedVectors } from './concentrated.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorForm, VectorPool } from './types.ts'

const withoutProtocolFee = { protocolFee0Ppm: 0, protocolFee1Ppm: 0 }
const adapt = concentratedVectors('uniswap-v4')

/** Converts a pool of another program. Its fee includes the protocol fee. */
export const uniswapV4: Adapter = (state, vector) => {
  const pool = adapt(state, vector)
  if (typeof pool === 'string') return pool
  const fixedFields = { fee: state.pool.fee, tickSpacing: state.pool.tickSpacing, hooks: ZERO_ADDRESS }
  return { ...pool, fixed: fixedFields, state: { ...(pool.state as object), ...withoutProtocolFee } }
}

/**
 * Converts pools of the real PoolManager with the same liquidity and different hooks. Negative amounts are exact
 * inputs.
 */
export const uniswapV4HooksForm: VectorForm = ({ ranges, pools }) =>
  pools.flatMap((pool: VectorPool) =>
    pool.swaps.map((swap: VectorPool) => () => {
      const [currency0, currency1, fee, tickSpacing, hooks] = pool.key
      if (touchesSwaps(namedAddress(hooks))) return { skip: 'its hook takes part in swaps: such pools are left out' }
      if (!swap.amount.startsWith('-')) return { skip: 'exactOut is not quoted' }
      const state: UniswapV4State = {
        sqrtPriceX96: BigInt(pool.sqrtPriceX96),
        tick: Number(pool.tick),
        liquidity: BigInt(pool.liquidity),
        feePpm: Number(pool.lpFee),
        protocolFee0Ppm: Number(pool.protocolFee) & 0xfff,
        protocolFee1Ppm: Number(pool.protocolFee) >> 12,
        tickSpacing,
        ticks: ticksOf(ranges),
      }
      const tokens = [namedAddress(currency0), namedAddress(currency1)] as const
      const [sold, bought] = swap.zeroForOne ? [0, 1] : [1, 0]
      return {
        label: `${swap.amount.slice(1)} of token ${sold} in the pool with ${pool.name}`,
        pool: { ...pairOf('uniswap-v4', tokens, state), fixed: { fee, tickSpacing, hooks: namedAddress(hooks) } },
        tokenIn: tokens[sold]!,
        tokenOut: tokens[bought]!,
        amountIn: -BigInt(swap.amount),
        amountOut: swap.fails ? null : BigInt(bought === 0 ? swap.delta0 : swap.delta1),
      }
    }),
  )

function ticksOf(ranges: readonly (readonly [number, number, string])[]): readonly Tick[] {
  const net = new Map<number, bigint>()
  for (const [lower, upper, liquidity] of ranges) {
    net.set(lower, (net.get(lower) ?? 0n) + BigInt(liquidity))
    net.set(upper, (net.get(upper) ?? 0n) - BigInt(liquidity))
  }
  return [...net].sort(([a], [b]) => a - b)
}
