/** Program operation of family `woofi-v2`: how its step is encoded, and which pools it trades with. */
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
