/** Operation of the Executor (the swap contract) for family `rate-wrapper`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp } from './op.ts'

/** Calls wrap(uint256) of the wrapper `tokenOut`, or unwrap(uint256) of the wrapper `tokenIn`. */
export const rateWrapper = defineOp(
  {
    name: 'rate-wrapper',
    title: 'Rate wrapper',
    mechanism: 'wrap',
    code: 0x0c,
    families: ['rate-wrapper', 'rate-wrapper-sampled'],
    fields: { tokenOut: address },
    direction: { name: 'wrap', meaning: 'wrap, else unwrap' },
  },
  ({ wrap, tokenIn, tokenOut }) => [{ pool: wrap ? tokenOut : tokenIn, tokenIn, tokenOut }],
)
