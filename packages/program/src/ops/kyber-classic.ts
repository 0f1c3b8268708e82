/** Operation of the Executor (the swap contract) for family `kyber-classic`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const kyberClassic = defineOp(
  {
    name: 'kyber-classic',
    title: 'Kyber Classic pair',
    mechanism: 'product',
    code: 0x11,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
    canBePrepaid: true,
  },
  tradeWithUnknownOutput,
)
