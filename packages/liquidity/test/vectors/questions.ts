/** Converts vectors whose states hold a `pool` in the format of another program. */
import type { Pool } from '../../src/family.ts'
import { adapters } from './adapters.ts'
import { namedAddress } from './address.ts'
import type { Question, Vector, VectorFile } from './types.ts'

/**
 * Returns the question of a vector, or a reason to skip it.
 *
 * @throws TypeError, SyntaxError, RangeError if a field is missing or malformed
 */
export function questionOf({ family, states }: VectorFile, vector: Vector): Question | { readonly skip: string } {
  const adapter = adapters[family]
  if (!adapter) return { skip: 'the family is not one of this build' }
  if (vector.mode !== 'exactIn') return { skip: `${vector.mode} is not quoted` }
  if (vector.sequence && vector.provenance?.row !== 0) return { skip: 'starts from an unknown state' }
  if (vector.sqrtPriceLimitX96 !== undefined) return { skip: 'price limits are not used' }
  const state = states[vector.state]
  if (!state) throw new RangeError(`there is no state ${vector.state}`)
  const pool: Pool | string = adapter(state, vector)
  if (typeof pool === 'string') return { skip: pool }
  const [tokenIn, tokenOut] =
    vector.zeroForOne === undefined
      ? [namedAddress(vector.tokenIn), namedAddress(vector.tokenOut)]
      : vector.zeroForOne
        ? [pool.tokens[0]!, pool.tokens[1]!]
        : [pool.tokens[1]!, pool.tokens[0]!]
  const { after } = vector
  return {
    label: `${vector.amountIn} ${vector.tokenIn} for ${vector.tokenOut} in ${vector.state}`,
    pool,
    tokenIn,
    tokenOut,
    amountIn: BigInt(vector.amountIn!),
    amountOut: vector.fails ? null : BigInt(vector.amountOut!),
    ...(after ? { after: (state: unknown) => (sameAfter(state, after) ? undefined : 'price, tick or liquidity') } : {}),
  }
}

function sameAfter(state: unknown, after: NonNullable<Vector['after']>): boolean {
  const { sqrtPriceX96, tick, liquidity } = state as { sqrtPriceX96: bigint; tick: number; liquidity: bigint }
  return `${sqrtPriceX96}` === after.sqrtPriceX96 && tick === after.tick && `${liquidity}` === after.liquidity
}
