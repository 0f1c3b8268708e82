/** Operation of the Executor (the swap contract) for family `aave-v3`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp } from './op.ts'

/**
 * Supplies an asset for the aToken `tokenOut`, or redeems the aToken `tokenIn` for its asset. `pool` is Aave's Pool
 * contract, which serves all assets of a market.
 */
export const aaveV3 = defineOp(
  {
    name: 'aave-v3',
    title: 'Aave V3 market',
    mechanism: 'wrap',
    code: 0x19,
    fields: { pool: address, tokenOut: address },
    // The Pool contract takes the input of a supply by an allowance, so it must be trusted.
    singleton: 'pool',
    trustedIn: 'aaveV3Markets',
    direction: { name: 'supply', meaning: 'supply, else withdrawal' },
  },
  ({ supply, tokenIn, tokenOut }) => [{ pool: supply ? tokenOut : tokenIn, tokenIn, tokenOut }],
)
