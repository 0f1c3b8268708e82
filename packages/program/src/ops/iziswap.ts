/** Operation of the Executor (the swap contract) for family `iziswap`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const iziswap = defineOp(
  {
    name: 'iziswap',
    title: 'iZiSwap pool',
    mechanism: 'concentrated',
    code: 0x0f,
    fields: { pool: address },
    direction: { name: 'zeroForOne', meaning: 'the first token is sold' },
  },
  tradeWithUnknownOutput,
)
