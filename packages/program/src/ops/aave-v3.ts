/** Program operation of family `aave-v3`: how its step is encoded, and which pools it trades with. */
import { address } from './fields.ts'
import { defineOp } from './op.ts'

/**
 * Supplies an asset for the aToken `tokenOut`, or withdraws with the aToken `tokenIn`; `pool` is the Aave market, which
 * holds many assets.
 */
export const aaveV3 = defineOp(
  {
    name: 'aave-v3',
    title: 'Aave V3 market',
    mechanism: 'wrap',
    code: 0x19,
    fields: { pool: address, tokenOut: address },
    // Contract that the input is approved to.
    singleton: 'pool',
    trustedIn: 'aaveV3Markets',
    direction: { name: 'supply', meaning: 'supply, else withdrawal' },
  },
  ({ supply, tokenIn, tokenOut }) => [{ pool: supply ? tokenOut : tokenIn, tokenIn, tokenOut }],
)
