import { daiFor } from '../dexes/lite-psm/math.ts'
import type { LitePsmState } from '../dexes/lite-psm/types.ts'
import { pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

const MOST = 2n ** 256n - 1n

const stateOf = (from: VectorPool): LitePsmState => ({
  tin: BigInt(from.tin),
  tout: BigInt(from.tout),
  factor: BigInt(from.to18ConversionFactor),
  dai: BigInt(from.daiInPsm),
  gems: BigInt(from.gemInPocket),
})

/** Gems are bought by their number: the question is what the DAI that they took would have bought. */
export const litePsmForm: Form = ({ states }) =>
  states.flatMap((from: VectorPool) =>
    from.swaps.map((swap: VectorPool) => () => {
      const state = stateOf(from)
      const gems = BigInt(swap.gemAmt)
      const sellGem = swap.f === 'sellGem'
      const dai = swap.refusal === undefined ? BigInt(swap.dai) : daiFor({ ...state, tout: state.tout % MOST }, gems)
      return {
        asked: `${swap.f} ${gems} at tin ${state.tin}, tout ${state.tout}`,
        pool: pairOf('lite-psm', [TOKEN_0, TOKEN_1], state),
        tokenIn: sellGem ? TOKEN_0 : TOKEN_1,
        tokenOut: sellGem ? TOKEN_1 : TOKEN_0,
        amountIn: sellGem ? gems : dai,
        amountOut: swap.refusal !== undefined ? null : sellGem ? dai : gems,
      }
    }),
  )
