/** Test vectors of Camelot V2. */
import type { CamelotV2State } from '../../src/dexes/camelot-v2/math.ts'
import { differences, pairOf, swapsAndSequence, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const stateOf = (from: VectorPool): CamelotV2State => ({
  reserve0: BigInt(from.reserve0),
  reserve1: BigInt(from.reserve1),
  unit0: BigInt(from.precisionMultiplier0),
  unit1: BigInt(from.precisionMultiplier1),
  stable: from.stableSwap,
  fee0Ppm: 10 * Number(from.token0FeePercent),
  fee1Ppm: 10 * Number(from.token1FeePercent),
})

/** Converts `getAmountOut` results, and sequences of swaps with the reserves after each. */
export const camelotV2Form: VectorForm = ({ states }) => states.flatMap(swapsAndSequence(question))

function question(from: VectorPool, name: string, swap: VectorPool) {
  const isRefused = swap.refusal !== undefined
  return {
    label: `${swap.amountIn} of token ${swap.zeroForOne ? 0 : 1}: ${name}`,
    pool: pairOf('camelot-v2', [TOKEN_0, TOKEN_1], stateOf(from)),
    tokenIn: swap.zeroForOne ? TOKEN_0 : TOKEN_1,
    tokenOut: swap.zeroForOne ? TOKEN_1 : TOKEN_0,
    amountIn: BigInt(swap.amountIn),
    amountOut: isRefused ? null : BigInt(swap.amountOut),
    after: (state: unknown) => {
      const { reserve0, reserve1, unsettled } = state as CamelotV2State
      if (!swap.after || unsettled) return undefined
      return differences({ reserve0, reserve1 }, { reserve0: swap.after.reserve0, reserve1: swap.after.reserve1 })
    },
  }
}
