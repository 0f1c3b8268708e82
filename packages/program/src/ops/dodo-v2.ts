/** Operation of the Executor (the swap contract) for family `dodo-v2`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const dodoV2 = defineOp(
  {
    name: 'dodo-v2',
    title: 'DODO pool',
    mechanism: 'pmm',
    code: 0x0d,
    fields: { pool: address },
    direction: { name: 'sellBase', meaning: 'the base token is sold' },
    canBePrepaid: true,
  },
  tradeWithUnknownOutput,
)
