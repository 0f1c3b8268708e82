/** Program operation of family `fluid-dex`: how its step is encoded, and which pools it trades with. */
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
