/** Test vectors of SyncSwap. */
import { ZERO_ADDRESS } from '@sluice/chains'
import type { SyncswapState } from '../../src/dexes/syncswap/types.ts'
import { differences, pairOf, swapsAndSequence, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const AQUA = '3'
const STABLE = '2'

const stateOf = (from: VectorPool): SyncswapState => ({
  vault: ZERO_ADDRESS,
  stable: from.poolType === STABLE,
  reserve0: BigInt(from.reserves[0]),
  reserve1: BigInt(from.reserves[1]),
  multiplier0: BigInt(from.token0PrecisionMultiplier ?? 1),
  multiplier1: BigInt(from.token1PrecisionMultiplier ?? 1),
  fee0: BigInt(from.fee0To1),
  fee1: BigInt(from.fee1To0),
})

/** Converts quotes of deployed pools, and sequences of swaps with the reserves after each. */
export const syncswapForm: VectorForm = ({ pools }) => pools.flatMap(swapsAndSequence(question))

function question(from: VectorPool, name: string, swap: VectorPool) {
  if (from.poolType === AQUA) return { skip: 'aqua pools, whose source is not public, are left out' }
  return {
    label: `${swap.amountIn} of token ${swap.zeroForOne ? 0 : 1}: ${name}`,
    pool: pairOf('syncswap', [TOKEN_0, TOKEN_1], stateOf(from)),
    tokenIn: swap.zeroForOne ? TOKEN_0 : TOKEN_1,
    tokenOut: swap.zeroForOne ? TOKEN_1 : TOKEN_0,
    amountIn: BigInt(swap.amountIn),
    amountOut: swap.refusal === undefined ? BigInt(swap.amountOut) : null,
    after: (state: unknown) => {
      const { reserve0, reserve1 } = state as SyncswapState
      if (!swap.after) return undefined
      return differences({ reserve0, reserve1 }, { reserve0: swap.after.reserves[0], reserve1: swap.after.reserves[1] })
    },
  }
}
