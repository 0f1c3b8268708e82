/** Operation of the Executor (the swap contract) for family `euler-swap`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

/** Swaps in a pool. The pool takes its whole balance of the input token as the input. */
export const eulerSwap = defineOp(
  {
    name: 'euler-swap',
    title: 'EulerSwap',
    mechanism: 'product',
    code: 0x1c,
    families: ['euler-swap', 'euler-swap-sampled'],
    fields: { pool: address, tokenOut: address },
    canBePrepaid: true,
  },
  tradeBetween,
)
