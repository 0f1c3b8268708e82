/** Program operation of family `euler-swap`: how its step is encoded, and which pools it trades with. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

/** Swaps in a pool, which deposits its whole token balance. */
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
