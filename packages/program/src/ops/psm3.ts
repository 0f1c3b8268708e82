/** Operation of the Executor (the swap contract) for family `psm3`: encoding and trades of its step. */
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
