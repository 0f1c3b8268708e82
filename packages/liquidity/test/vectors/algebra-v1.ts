/** Test vectors of Algebra V1. */
import type { AlgebraV1State } from '../../src/dexes/algebra-v1/types.ts'
import type { Tick } from '../../src/math/concentrated.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

/**
 * Converts a pool of another program. The fees are those that a swap pays at the source's block; `feeZto` applies to
 * selling the first token.
 */
export const algebraV1: Adapter = ({ pool }) => {
  const { liquidity, globalState, tickSpacing, ticks } = pool.extra
  const state: AlgebraV1State = {
    sqrtPriceX96: BigInt(globalState.price),
    tick: globalState.tick,
    liquidity: BigInt(liquidity),
    feePpm: globalState.feeZto,
    fee1Ppm: globalState.feeOtz,
    tickSpacing,
    ticks: ticks.map((tick: VectorPool): Tick => [tick.Index, BigInt(tick.LiquidityNet), BigInt(tick.LiquidityGross)]),
  }
  return pairOf(
    'algebra-v1',
    pool.tokens.map((token: VectorPool) => namedAddress(token.Address)),
    state,
  )
}
