/** Operation of the Executor (the swap contract) for family `balancer-v3`: encoding and trades of its step. */
import { address } from './fields.ts'
import { defineOp, tradesInSeries } from './op.ts'

/**
 * Swaps in several pools of the vault in one unlock. A hop whose `pool` equals its input or output token swaps in the
 * vault's ERC-4626 buffer of this token.
 */
export const balancerV3 = defineOp(
  {
    name: 'balancer-v3',
    title: 'Balancer V3',
    mechanism: 'weighted',
    code: 0x09,
    families: ['balancer-v3', 'balancer-v3-sampled'],
    fields: { vault: address },
    hops: { pool: address, tokenOut: address },
    singleton: 'vault',
    trustedIn: 'vaultsV3',
  },
  (step) =>
    tradesInSeries(step, ({ pool, tokenOut }, soldToken) =>
      pool === tokenOut || pool === soldToken ? bufferId(step.vault, pool) : pool,
    ),
)

/**
 * Returns the pool id of a buffer: the address of its ERC-4626 share, then 12 bytes of the vault's address. The address
 * of the share alone would be the id of a pool of family `erc4626`.
 */
const bufferId = (vault: `0x${string}`, share: `0x${string}`): `0x${string}` => `${share}${vault.slice(2, 26)}`
