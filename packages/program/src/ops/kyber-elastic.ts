/** Operation of the Executor (the swap contract) for family `kyber-elastic`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const kyberElastic = defineOp(
  {
    name: 'kyber-elastic',
    title: 'Kyber Elastic pool',
    mechanism: 'concentrated',
    code: 0x1f,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
  },
  tradeWithUnknownOutput,
)
