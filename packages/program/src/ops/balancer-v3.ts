import { address } from './fields.ts'
import { defineOp, inSeries } from './op.ts'

/** Several pools of the vault in one unlock. */
export const balancerV3 = defineOp(
  {
    name: 'balancer-v3',
    title: 'Balancer V3',
    mechanism: 'weighted',
    code: 0x09,
    fields: { vault: address },
    hops: { pool: address, tokenOut: address },
    singleton: 'vault',
    trustedIn: 'vaultsV3',
  },
  (step) => inSeries(step, ({ pool }) => pool),
)
