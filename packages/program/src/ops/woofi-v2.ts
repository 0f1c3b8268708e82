/** Operation of the Executor (the swap contract) for family `woofi-v2`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const woofiV2 = defineOp(
  {
    name: 'woofi-v2',
    title: 'WOOFi pool',
    mechanism: 'pmm',
    code: 0x12,
    families: ['woofi-v2', 'woofi-v2-sampled'],
    fields: { pool: address, tokenOut: address },
  },
  tradeBetween,
)
