/** Test vectors of Pancake Infinity. */
import type { InfinityState } from '../../src/dexes/pancake-infinity/types.ts'
import type { Tick } from '../../src/math/concentrated.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

function stateOf(from: VectorPool): InfinityState {
  const fees = {
    feePpm: from.lpFee,
    protocolFee0Ppm: from.protocolFee & 0xfff,
    protocolFee1Ppm: from.protocolFee >> 12,
  }
  if (from.kind === 'cl')
    return {
      kind: 'cl',
      sqrtPriceX96: BigInt(from.sqrtPriceX96),
      tick: from.tick,
      liquidity: BigInt(from.liquidity),
      tickSpacing: from.tickSpacing,
      ticks: from.ticks.map(([index, net]: [number, string]): Tick => [index, BigInt(net)]),
      ...fees,
    }
  return {
    kind: 'bin',
    binStep: from.binStep,
    activeId: from.activeId,
    bins: from.bins.map(([id, x, y]: [number, string, string]) => ({ id, reserveX: BigInt(x), reserveY: BigInt(y) })),
    allBelow: true,
    allAbove: true,
    limited: true,
    ...fees,
  }
}

/** Converts quotes of both real pool managers. A partial fill at the end of the price range must be refused. */
export const pancakeInfinityForm: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
    const first = vector.zeroForOne ?? vector.swapForY
    const amountIn = vector.partial ? -BigInt(vector.amountSpecified) : BigInt(vector.amountIn)
    return {
      label: `${amountIn} of token ${first ? 0 : 1} in ${vector.state}`,
      pool: pairOf('pancake-infinity', [TOKEN_0, TOKEN_1], stateOf(states[vector.state])),
      tokenIn: first ? TOKEN_0 : TOKEN_1,
      tokenOut: first ? TOKEN_1 : TOKEN_0,
      amountIn,
      amountOut: vector.fails || vector.partial ? null : BigInt(vector.amountOut),
      after: (state: unknown) => differences(state as Readonly<Record<string, string>>, vector.after),
    }
  })
