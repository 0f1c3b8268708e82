/**
 * Encodes swaps as steps of the Executor's program. Serves operations that need only the pool's address and the tokens
 * of the swap.
 */
import { opOf, type Step } from '@sluice/program'
import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from './direction.ts'

/** Fields that `poolStep` can fill in. */
type PoolFields = 'op' | 'pool' | 'tokenIn' | 'tokenOut' | 'input' | 'output'

/** Names of the fields of a step, without its direction. The direction is the only boolean field. */
type FieldsOf<S> = { [Name in keyof S]: S[Name] extends boolean ? never : Name }[keyof S]

/** Operations whose steps have no other fields than the pool, the tokens, and a direction. */
type PoolOp = { [S in Step as S['op']]: FieldsOf<S> extends PoolFields ? S['op'] : never }[Step['op']]

/**
 * Returns the `step` of a family. `pool` and `tokenOut` are set if the operation encodes them. The direction, if the
 * operation has one, is true for a sale of the pool's first token.
 */
export function poolStep<State>(op: PoolOp): DexFamily<State>['step'] {
  const { fields, direction } = opOf({ op })
  return (pool, tokenIn, tokenOut, input, output) =>
    ({
      op,
      ...(fields.pool && { pool: pool.address }),
      ...(direction && { [direction.name]: isZeroForOne(pool, tokenIn, tokenOut) }),
      tokenIn,
      ...(fields.tokenOut && { tokenOut }),
      input,
      output,
    }) as Step
}
