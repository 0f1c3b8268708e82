/** Operation of the Executor (the swap contract) for family `liquidity-book`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

export const liquidityBook = defineOp(
  {
    name: 'liquidity-book',
    title: 'Liquidity Book pair',
    mechanism: 'bins',
    code: 0x0a,
    families: ['liquidity-book', 'liquidity-book-sampled'],
    fields: { pool: address },
    direction: { name: 'swapForY', meaning: 'token X is sold' },
    canBePrepaid: true,
  },
  tradeWithUnknownOutput,
)
