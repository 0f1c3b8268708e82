import { address } from './fields.ts'
import { defineOp, inPool } from './op.ts'

/** `vault` is zero where the pool holds its tokens itself. */
export const syncswap = defineOp(
  {
    name: 'syncswap',
    title: 'SyncSwap pool',
    mechanism: 'product',
    code: 0x10,
    fields: { pool: address, vault: address },
    keeper: 'vault',
  },
  inPool,
)
