import { unpack } from '../dexes/ekubo/ratio.ts'
import type { EkuboState } from '../dexes/ekubo/types.ts'
import type { Tick } from '../math/concentrated.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

const stateOf = ({ kind, sqrtRatio, tick, liquidity, ticks }: VectorPool): EkuboState => ({
  sqrtRatio: unpack(BigInt(sqrtRatio)),
  tick,
  liquidity: BigInt(liquidity),
  // Pools of one range have no ticks of their own: the file tells the ends of the range, which follow from the config.
  ticks: kind === 'concentrated' ? ticks.map(([index, net]: [number, string]): Tick => [index, BigInt(net)]) : [],
})

/** Answers of the genuine core. Where the end of prices was met before the amount, less was taken than asked: refused here. */
export const ekuboForm: Form = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
    const { config, ...state } = states[vector.state]
    const first = vector.zeroForOne
    const amountIn = BigInt(vector.partial ? vector.amountSpecified : vector.amountIn)
    return {
      asked: `${amountIn} of token ${first ? 0 : 1} in ${vector.state}`,
      pool: { ...pairOf('ekubo', [TOKEN_0, TOKEN_1], stateOf(state)), fixed: { config } },
      tokenIn: first ? TOKEN_0 : TOKEN_1,
      tokenOut: first ? TOKEN_1 : TOKEN_0,
      amountIn,
      amountOut: vector.fails || vector.partial ? null : BigInt(vector.amountOut),
      after(after: unknown) {
        const { sqrtRatio, tick, liquidity } = after as EkuboState
        return differences(
          { sqrtRatio, tick, liquidity },
          { ...vector.after, sqrtRatio: unpack(BigInt(vector.after.sqrtRatio)) },
        )
      },
    }
  })
