/** Operation of the Executor (the swap contract) for family `fluid-dex`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const fluidDex = defineOp(
  {
    name: 'fluid-dex',
    title: 'Fluid pool',
    mechanism: 'product',
    code: 0x13,
    fields: { pool: address, tokenOut: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
    native: 'also',
  },
  tradeBetween,
)
