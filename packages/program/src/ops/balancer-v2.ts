/** Operation of the Executor (the swap contract) for family `balancer-v2`: encoding and trades of its step. */
import { address, bytes32 } from './fields.ts'
import { defineOp, tradesInSeries } from './op.ts'

/** Swaps in several pools of the vault in one batch. Token address zero is the native token. */
export const balancerV2 = defineOp(
  {
    name: 'balancer-v2',
    title: 'Balancer V2',
    mechanism: 'weighted',
    code: 0x08,
    families: ['balancer-v2', 'balancer-v2-sampled'],
    fields: { vault: address },
    hops: { poolId: bytes32, tokenOut: address },
    singleton: 'vault',
    trustedIn: 'vaultsV2',
    native: 'also',
  },
  (step) => tradesInSeries(step, ({ poolId }) => poolId),
)
