/** Operation of the Executor (the swap contract) for family `lite-psm`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const litePsm = defineOp(
  {
    name: 'lite-psm',
    title: 'Peg stability module',
    mechanism: 'wrap',
    code: 0x14,
    fields: { pool: address, tokenOut: address },
    direction: { name: 'sellGem', meaning: 'the gem is sold' },
  },
  tradeBetween,
)
