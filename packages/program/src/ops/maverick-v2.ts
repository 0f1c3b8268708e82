/** Operation of the Executor (the swap contract) for family `maverick-v2`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const maverickV2 = defineOp(
  {
    name: 'maverick-v2',
    title: 'Maverick V2',
    mechanism: 'bins',
    code: 0x20,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'token A is sold' },
  },
  tradeWithUnknownOutput,
)
