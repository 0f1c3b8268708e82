/** Operation of the Executor (the swap contract) for family `solidly`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const solidly = defineOp(
  {
    name: 'solidly',
    title: 'Solidly pool',
    mechanism: 'product',
    code: 0x06,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
    canBePrepaid: true,
    families: ['solidly', 'velodrome-v2', 'camelot-v2'],
  },
  tradeWithUnknownOutput,
)
