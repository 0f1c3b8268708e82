import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const woofiV2 = defineOp(
  {
    name: 'woofi-v2',
    title: 'WOOFi pool',
    mechanism: 'pmm',
    code: 0x12,
    fields: { pool: address, tokenOut: address },
  },
  tradeBetween,
)
