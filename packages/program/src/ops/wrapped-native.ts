/** Operations that wrap and unwrap the native token. */
import { ZERO_ADDRESS } from '../zero.ts'
import { address } from './fields.ts'
import { defineOp } from './op.ts'

/** Wraps the native token. `tokenIn` is the zero address, and is not encoded. */
export const wrap = defineOp(
  {
    name: 'wrap',
    title: 'Wrap the native token',
    mechanism: 'wrap',
    code: 0x03,
    fields: { wrapped: address },
    native: 'only',
    families: ['wrapped-native'],
  },
  ({ wrapped, tokenIn }) => [{ pool: wrapped, tokenIn, tokenOut: wrapped }],
)

/** Unwraps to the native token; `tokenIn` is the wrapper. */
export const unwrap = defineOp(
  {
    name: 'unwrap',
    title: 'Unwrap to the native token',
    mechanism: 'wrap',
    code: 0x04,
    fields: {},
    families: ['wrapped-native'],
  },
  ({ tokenIn }) => [{ pool: tokenIn, tokenIn, tokenOut: ZERO_ADDRESS }],
)
