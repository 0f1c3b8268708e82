/** Program operation of family `psm3`: how its step is encoded, and which pools it trades with. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const psm3 = defineOp(
  {
    name: 'psm3',
    title: 'Spark PSM3',
    mechanism: 'wrap',
    code: 0x21,
    fields: { pool: address, tokenOut: address },
  },
  tradeBetween,
)
