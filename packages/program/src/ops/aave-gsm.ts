/** Operation of the Executor (the swap contract) for family `aave-gsm`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const aaveGsm = defineOp(
  {
    name: 'aave-gsm',
    title: 'GHO stability module',
    mechanism: 'wrap',
    code: 0x18,
    families: ['aave-gsm', 'aave-gsm-sampled'],
    fields: { pool: address, tokenOut: address },
    direction: { name: 'sellAsset', meaning: 'the asset is sold' },
  },
  tradeBetween,
)
