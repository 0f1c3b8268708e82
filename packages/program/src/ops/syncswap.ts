/** Program operation of family `syncswap`: how its step is encoded, and which pools it trades with. */
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
