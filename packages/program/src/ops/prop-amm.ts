/** Operation of the Executor (the swap contract) for family `prop-amm`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

/** Swaps at the contract of a proprietary market maker, which has the interface of IPropAmm.sol. */
export const propAmm = defineOp(
  {
    name: 'prop-amm',
    title: 'Proprietary market makers',
    mechanism: 'pmm',
    code: 0x1e,
    fields: { pool: address, tokenOut: address },
  },
  tradeBetween,
)
