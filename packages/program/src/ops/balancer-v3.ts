/** Program operation of family `balancer-v3`: how its step is encoded, and which pools it trades with. */
import { address } from './fields.ts'
import { defineOp, tradesInSeries } from './op.ts'

/**
 * Swaps in several pools of the vault in one unlock. A hop whose `pool` is the token that it sells or buys uses the
 * vault's buffer of that wrapped token.
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
 * Returns the pool id of a buffer: the wrapped token's address and 12 bytes of the vault's address. The token's address
 * alone is the pool id of the token's ERC-4626 vault.
 */
const bufferId = (vault: `0x${string}`, share: `0x${string}`): `0x${string}` => `${share}${vault.slice(2, 26)}`
