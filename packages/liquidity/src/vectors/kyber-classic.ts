import type { KyberClassicState } from '../dexes/kyber-classic/types.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

const stateOf = (from: VectorPool): KyberClassicState => ({
  reserve0: BigInt(from.reserve0),
  reserve1: BigInt(from.reserve1),
  virtual0: BigInt(from.vReserve0),
  virtual1: BigInt(from.vReserve1),
  fee: BigInt(from.feeInPrecision),
})

/** Answers of a deployed pair with states written into it, one by one, and swaps in turn with the reserves that each left. */
export const kyberClassicForm: Form = ({ pools }) =>
  pools.flatMap((pool: VectorPool) => [
    ...pool.swaps.map((swap: VectorPool) => () => question(pool, pool.name, swap)),
    ...(pool.sequence ?? []).map((swap: VectorPool) => () => question(swap.before, `${pool.name}, in turn`, swap)),
  ])

function question(from: VectorPool, name: string, swap: VectorPool) {
  return {
    asked: `${swap.amountIn} of token ${swap.zeroForOne ? 0 : 1}: ${name}`,
    pool: pairOf('kyber-classic', [TOKEN_0, TOKEN_1], stateOf(from)),
    tokenIn: swap.zeroForOne ? TOKEN_0 : TOKEN_1,
    tokenOut: swap.zeroForOne ? TOKEN_1 : TOKEN_0,
    amountIn: BigInt(swap.amountIn),
    amountOut: swap.refusal === undefined && swap.amountOut !== 'refused' ? BigInt(swap.amountOut) : null,
    after: (state: unknown) => {
      const { reserve0, reserve1, virtual0, virtual1 } = state as KyberClassicState
      if (!swap.after) return undefined
      const theirs = swap.after
      return differences(
        { reserve0, reserve1, vReserve0: virtual0, vReserve1: virtual1 },
        {
          reserve0: theirs.reserve0,
          reserve1: theirs.reserve1,
          vReserve0: theirs.vReserve0,
          vReserve1: theirs.vReserve1,
        },
      )
    },
  }
}
