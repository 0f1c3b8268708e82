/** Test vectors of Ekubo. */
import { unpackRatio } from '../../src/dexes/ekubo/ratio.ts'
import type { EkuboState } from '../../src/dexes/ekubo/types.ts'
import type { Tick } from '../../src/math/concentrated.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const stateOf = ({ kind, sqrtRatio, tick, liquidity, ticks }: VectorPool): EkuboState => ({
  sqrtRatio: unpackRatio(BigInt(sqrtRatio)),
  tick,
  liquidity: BigInt(liquidity),
  // Pools with a single range have no ticks in our state: the range follows from the config.
  ticks: kind === 'concentrated' ? ticks.map(([index, net]: [number, string]): Tick => [index, BigInt(net)]) : [],
})

/** Converts quotes of the real core contract. A partial fill at the end of the price range must be refused. */
export const ekuboForm: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
    const { config, ...state } = states[vector.state]
    const first = vector.zeroForOne
    const amountIn = BigInt(vector.partial ? vector.amountSpecified : vector.amountIn)
    return {
      label: `${amountIn} of token ${first ? 0 : 1} in ${vector.state}`,
      pool: { ...pairOf('ekubo', [TOKEN_0, TOKEN_1], stateOf(state)), fixed: { config } },
      tokenIn: first ? TOKEN_0 : TOKEN_1,
      tokenOut: first ? TOKEN_1 : TOKEN_0,
      amountIn,
      amountOut: vector.fails || vector.partial ? null : BigInt(vector.amountOut),
      after(after: unknown) {
        const { sqrtRatio, tick, liquidity } = after as EkuboState
        return differences(
          { sqrtRatio, tick, liquidity },
          { ...vector.after, sqrtRatio: unpackRatio(BigInt(vector.after.sqrtRatio)) },
        )
      },
    }
  })
