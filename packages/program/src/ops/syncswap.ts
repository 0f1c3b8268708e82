/** Operation of the Executor (the swap contract) for family `syncswap`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeWithUnknownOutput } from './op.ts'

/** Swaps in a pool; `vault` is the zero address if the pool holds its tokens itself. */
export const syncswap = defineOp(
  {
    name: 'syncswap',
    title: 'SyncSwap pool',
    mechanism: 'product',
    code: 0x10,
    fields: { pool: address, vault: address },
    families: ['syncswap', 'syncswap-aqua'],
    keeper: 'vault',
  },
  tradeWithUnknownOutput,
)
