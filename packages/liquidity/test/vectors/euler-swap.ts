/** Test vectors of EulerSwap. */
import { limitsFromContract } from '../../src/dexes/euler-swap/math.ts'
import type { EulerSwapLimits, EulerSwapState } from '../../src/dexes/euler-swap/types.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

function stateOf(vectorState: VectorPool): EulerSwapState {
  const pair = (...names: readonly [string, string]): [bigint, bigint] => [
    BigInt(vectorState[names[0]]),
    BigInt(vectorState[names[1]]),
  ]
  return {
    open: true,
    reserves: pair('reserve0', 'reserve1'),
    equilibrium: pair('equilibriumReserve0', 'equilibriumReserve1'),
    prices: pair('priceX', 'priceY'),
    concentrations: pair('concentrationX', 'concentrationY'),
    fees: pair('fee0', 'fee1'),
    limits: [limitsOf(vectorState.limits[0]), limitsOf(vectorState.limits[1])],
  }
}

const limitsOf = (limits: readonly [string, string] | null): EulerSwapLimits | null =>
  limits && limitsFromContract(BigInt(limits[0]), BigInt(limits[1]))

/** Converts quotes of real pools. Each was confirmed by a swap from the same state. */
export const eulerSwapForm: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
    const { zeroForOne } = vector
    const [tokenIn, tokenOut] = zeroForOne ? [TOKEN_0, TOKEN_1] : [TOKEN_1, TOKEN_0]
    const paidAmount = vector.fails ? 0n : BigInt(vector.amountOut)
    return {
      label: `${vector.amountIn} of token ${zeroForOne ? 0 : 1} in ${vector.state}`,
      pool: pairOf('euler-swap', [TOKEN_0, TOKEN_1], stateOf(states[vector.state])),
      tokenIn,
      tokenOut,
      amountIn: BigInt(vector.amountIn),
      // An output of zero must be refused.
      amountOut: paidAmount > 0n ? paidAmount : null,
      after(stateAfter: unknown) {
        const [reserve0, reserve1] = (stateAfter as EulerSwapState).reserves
        return vector.after && differences({ reserve0, reserve1 }, vector.after)
      },
    }
  })
