import { address } from './fields.ts'
import { defineOp } from './op.ts'

/** An asset for its aToken, which is `tokenOut`, or the aToken, which is `tokenIn`, back; `pool` is the market, which holds many. */
export const aaveV3 = defineOp(
  {
    name: 'aave-v3',
    title: 'Aave V3 market',
    mechanism: 'wrap',
    code: 0x19,
    fields: { pool: address, tokenOut: address },
    // What the input is approved to.
    singleton: 'pool',
    trustedIn: 'aaveV3Markets',
    direction: { name: 'supply', says: 'supply, else withdrawal' },
  },
  ({ supply, tokenIn, tokenOut }) => [{ pool: supply ? tokenOut : tokenIn, tokenIn, tokenOut }],
)
