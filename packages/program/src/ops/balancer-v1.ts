/** Operation of the Executor (the swap contract) for family `balancer-v1`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradeBetween } from './op.ts'

export const balancerV1 = defineOp(
  {
    name: 'balancer-v1',
    title: 'Balancer V1 pool',
    mechanism: 'weighted',
    code: 0x17,
    fields: { pool: address, tokenOut: address },
  },
  tradeBetween,
)
